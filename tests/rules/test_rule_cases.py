"""Every rule has a good and a bad case, and says exactly what the bad one expects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.validation import check_all
from quota_engine.model import shapes
from quota_engine.model.diagnostic import Severity
from quota_engine.model.stack import Stack
from quota_engine.rules import RULES, check_stack, page
from quota_engine.rules.registry import HEADINGS, Rule, register
from tests.config.golden import assert_as_expected, expected_in, found_in

CASES = Path(__file__).resolve().parent.parent / "cases" / "rules"
DECLARED = sorted(CASES.glob("*/[gb]*.yaml"))
TOGETHER = sorted(path for path in CASES.glob("*/*") if path.is_dir())
OBSERVED = sorted(CASES.glob("*/*.observed.json"))


def observed_stack(case: dict[str, Any]) -> Stack:
    """Build what a live account shows; such a stack can be what no declaration can state."""
    queues = [
        shapes.queue_from_api(entry["queue"], [shapes.share_from_api(share) for share in entry["shares"]])
        for entry in case["queues"]
    ]
    environments = [shapes.environment_from_api(entry) for entry in case["environments"]]
    policies = [shapes.policy_from_api(entry) for entry in case["policies"]]
    return Stack(
        name="observed",
        region="us-east-1",
        service_environments={environment.name: environment for environment in environments},
        scheduling_policies={policy.name: policy for policy in policies},
        job_queues={queue.name: queue for queue in queues},
    )


@pytest.mark.parametrize("path", DECLARED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_declared_case_is_judged_as_its_lines_expect(path: Path) -> None:
    """A rule that fires elsewhere, or at another column, sends the user to the wrong place."""
    assert_as_expected(path)


@pytest.mark.parametrize("path", DECLARED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_rule_fires_in_its_bad_case_and_only_there(path: Path) -> None:
    """A case that does not show its rule tests something else than its folder says."""
    fired = {one.rule for one in found_in(path)}
    assert (path.parent.name in fired) == (path.stem == "bad")


@pytest.mark.parametrize("folder", TOGETHER, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_stacks_of_one_account_are_judged_together_as_their_lines_expect(folder: Path) -> None:
    """What two declarations do to each other shows in no file alone."""
    files = sorted(folder.iterdir())
    found = check_all([folder]).diagnostics
    expected = expected_in(files)
    actual = sorted(((Path(s.file).name, s.line, one.rule, s.column) for one in found if (s := one.span)), key=str)
    assert actual == expected
    assert len(found) == len(expected)
    assert (folder.parent.name in {one.rule for one in found}) == (folder.name == "bad")


@pytest.mark.parametrize("path", OBSERVED, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_an_observed_case_is_judged_as_it_expects(path: Path) -> None:
    """Live resources can be what a declaration can't state; the same rules judge them."""
    case = json.loads(path.read_text(encoding="utf-8"))
    expected = [(rule, tuple(where)) for rule, where in case["expect"]]
    assert [(one.rule, one.path) for one in check_stack(observed_stack(case))] == expected
    assert (path.parent.name in {rule for rule, _ in expected}) == path.name.startswith("bad")


@pytest.mark.parametrize("rule_id", sorted(RULES))
def test_every_rule_has_a_good_and_a_bad_case(rule_id: str) -> None:
    """A rule without a failing case may never fire, one without a passing case may always fire."""
    kinds = {path.name.partition(".")[0] for path in (CASES / rule_id).glob("*")}
    assert {"good", "bad"} <= kinds


def test_every_case_folder_is_a_rule() -> None:
    """A folder that is named wrongly tests nothing."""
    assert {path.name for path in CASES.iterdir()} == set(RULES)


@pytest.mark.parametrize("rule_id", sorted(RULES))
def test_every_page_has_the_fixed_headings_in_order(rule_id: str) -> None:
    """`quota-engine rule ID` promises what, why, an example, the remedy and the source."""
    lines = page(rule_id).splitlines()
    at = [lines.index(heading) for heading in (*HEADINGS, "Source")]
    assert at == sorted(at)
    assert all(lines[index + 1].startswith("  ") for index in at)


def test_a_second_rule_of_the_same_id_or_name_is_refused() -> None:
    """Two rules of one id would hide each other's findings and pages."""
    known = RULES["QE304"]
    for rule_id, name in (("QE304", "other-name"), ("QE999", known.name)):
        with pytest.raises(ValueError, match="twice"):
            register(Rule(rule_id, name, Severity.ERROR, "", ("share",), known.judge))
    with pytest.raises(ValueError, match="scope"):
        register(Rule("QE999", "other-name", Severity.ERROR, "", ("region",), known.judge))


def test_ids_say_what_a_rule_judges() -> None:
    """QE3xx judge one resource or the stack's own fields, QE4xx several together, QE5xx a scenario's work."""
    for rule in RULES.values():
        block = {
            "3": {"share", "environment", "policy", "queue", "stack"},
            "4": {"stack", "account"},
            "5": {"scenario"},
        }
        assert set(rule.scopes) <= block[rule.id[2]], rule.id
