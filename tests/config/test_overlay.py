"""Values laid over a declaration for a sweep: which place a path means, and that they are judged like a file's."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config import Loaded, Setting, find_setting, load_scenario
from quota_engine.model.stack import Strategy
from quota_engine.model.trouble import Trouble
from quota_engine.model.work import Scenario
from quota_engine.rules import check_scenario, check_stack

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios" / "lend-and-borrow.yaml"
SHARES = ("job_queues", "training", "quota_shares")


def laid_over(*lines: str) -> Loaded[Scenario]:
    """Load the announcement's scenario with values laid over its stack, each written PATH=VALUE."""
    base = load_scenario(SCENARIO).value
    assert base is not None
    pairs = [line.split("=") for line in lines]
    overlay = [Setting(find_setting(path, base.stack, base.queue), path, value) for path, value in pairs]
    return load_scenario(SCENARIO, overlay)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("QS1/borrow_limit", (*SHARES, "QS1", "resource_sharing", "borrow_limit")),
        ("QS2/strategy", (*SHARES, "QS2", "resource_sharing", "strategy")),
        ("QS2/ml.g5.xlarge", (*SHARES, "QS2", "capacity_limits", "ml.g5.xlarge")),
        ("gpu/ml.g5.xlarge", ("service_environments", "gpu", "capacity_limits", "ml.g5.xlarge")),
        ("training/QS3/in_share", (*SHARES, "QS3", "preemption", "in_share")),
        (f"{'/'.join(SHARES)}/QS1/state", (*SHARES, "QS1", "state")),
    ],
)
def test_a_path_may_leave_out_what_is_plain(written: str, path: tuple[str, ...]) -> None:
    """Nobody wants to type five parts to name a share's limit."""
    base = load_scenario(SCENARIO).value
    assert base is not None
    assert find_setting(written, base.stack, base.queue) == path


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("QS1/borrow_limits", "did you mean QS1/borrow_limit?"),
        ("QS9/ml.g5.xlarge", "did you mean QS3/ml.g5.xlarge?"),
        ("research/strategy", "known here:"),
        ("QS1.ml.g5.xlarge", "write it like QS3/state"),
        ("borrow_limit/QS1", "write it like"),
        ("", "write it like"),
        ("ml.g5.xlarge", "write more of the path"),
        ("training/borrow_limit", "write more of the path"),
    ],
)
def test_a_path_that_means_no_one_setting_is_refused(written: str, fix: str) -> None:
    """A sweep over the wrong limit answers a question that nobody asked."""
    base = load_scenario(SCENARIO).value
    assert base is not None
    with pytest.raises(Trouble) as trouble:
        find_setting(written, base.stack, base.queue)
    assert fix in trouble.value.fix or fix in trouble.value.why


def test_a_varied_value_is_what_the_declaration_would_say() -> None:
    """The run must be that of a file with this value in it."""
    loaded = laid_over("QS1/borrow_limit=100", "QS2/ml.g5.xlarge=2", "gpu/ml.g5.xlarge=4")
    assert loaded.value is not None
    stack = loaded.value.stack
    shares = stack.job_queues["training"].quota_shares
    assert shares["QS1"].borrow_limit_percent == 100
    assert shares["QS2"].capacity_limits == {"ml.g5.xlarge": 2}
    assert stack.service_environments["gpu"].capacity_limits == {"ml.g5.xlarge": 4}


def test_a_strategy_that_borrows_no_more_drops_the_inherited_limit() -> None:
    """The rule of `extends`: varying the strategy alone is no contradiction with the file's borrow limit."""
    loaded = laid_over("QS1/strategy=LEND")
    assert loaded.value is not None
    share = loaded.value.stack.job_queues["training"].quota_shares["QS1"]
    assert (share.strategy, share.borrow_limit_percent) == (Strategy.LEND, None)
    assert loaded.findings(check_stack, check_scenario) == []


@pytest.mark.parametrize("order", [1, -1])
def test_a_contradiction_among_varied_values_is_found_in_either_order(order: int) -> None:
    """Otherwise the order of options would decide whether a sweep runs."""
    loaded = laid_over(*("QS1/strategy=LEND", "QS1/borrow_limit=50")[::order])
    assert [one.rule for one in loaded.findings(check_stack, check_scenario)] == ["QE304"]


@pytest.mark.parametrize(
    ("line", "rule", "column"),
    [
        ("QS2/borrow_limit=50", "QE304", 18),
        ("QS1/ml.g5.xlarge=NaN", "QE203", 18),
        ("QS1/ml.g5.xlarge=1e3", "QE204", 18),
        ("QS1/ml.g5.xlarge=-1", "QE307", 18),
        ("QS1/strategy=LENT", "QE205", 14),
    ],
)
def test_a_varied_value_is_judged_like_a_files(line: str, rule: str, column: int) -> None:
    """A finding about it names the option's own text, so that the caret stands under the value."""
    found = laid_over(line).findings(check_stack, check_scenario)
    [own] = [one for one in found if one.rule == rule]
    assert own.span is not None
    assert (own.span.file, own.span.line, own.span.column) == ("--vary", 1, column)
