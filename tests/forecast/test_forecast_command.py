"""`quota-engine forecast` as a user runs it, and docs/forecast.md, which shows what it really writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quota_engine import __version__
from quota_engine.cli.main import run
from quota_engine.config import load_stack
from tests.conftest import ACCOUNT, Emulator
from tests.forecast.test_forecast import HOUR_MS, Live, fill

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "forecast.md").read_text(encoding="utf-8")


@pytest.fixture
def changed(emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The sample: QS3 gets a second instance in the declaration while all three are in use."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    live = Live(emulator, stack)
    fill(live)
    emulator.advance(2 * HOUR_MS)
    text = Path("stacks/dev.yaml").read_text(encoding="utf-8")
    start = text.index("      QS3:")
    path = tmp_path / "dev.yaml"
    path.write_text(text[:start] + text[start:].replace("xlarge: 1}", "xlarge: 2}", 1), encoding="utf-8")
    return path


@pytest.mark.parametrize("format_name", ["text", "markdown"])
def test_the_documentation_shows_a_true_sample(format_name: str, changed: Path, capfd: Capture) -> None:
    """A sample that is no longer true misleads whoever reads or parses the output."""
    assert run(["forecast", str(changed), "--assume-duration", "8h", "--format", format_name]) == 1
    output, _ = capfd.readouterr()
    assert output.strip() in PAGE


def test_json_has_every_number_of_the_text(changed: Path, capfd: Capture) -> None:
    """What a gate decides by."""
    assert run(["forecast", str(changed), "--format", "json"]) == 1
    document = json.loads(capfd.readouterr().out)
    assert document["tool"]["version"] == __version__
    (queue,) = document["queues"]
    assert [hit["name"] for hit in queue["at_once"]] == ["med"]
    assert (queue["running"], queue["waiting"], queue["hit_at_least"], queue["hit_at_most"]) == (3, 1, 1, 1)
    assert set(queue) <= {word.strip("`|, ") for word in PAGE.split()}


def test_the_exit_code_is_0_where_nobody_is_hit(changed: Path, capfd: Capture) -> None:
    """So that it can stand before `pulumi up` in a pipeline."""
    assert changed.exists()
    assert run(["forecast", "stacks/dev.yaml"]) == 0
    assert "hits none of 3 running jobs" in capfd.readouterr().out


def test_a_call_that_fails_is_exit_2_and_named(
    changed: Path, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """Never a forecast of a part."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    emulator.control("faults", {"operation": "DescribeServiceJob", "kind": "throttle", "count": 99})
    assert run(["forecast", str(changed)]) == 2
    assert "batch:DescribeServiceJob" in capfd.readouterr().out


def test_wrong_assumptions_are_refused(changed: Path, capfd: Capture) -> None:
    """One clear message, before anything is read."""
    assert run(["forecast", str(changed), "--assume", "victim_order=best"]) == 2
    assert "victim_order" in capfd.readouterr().err
    assert run(["forecast", str(changed), "--assume", "victim_order"]) == 2


def test_the_printed_policy_covers_the_jobs(capfd: Capture) -> None:
    """It is printed before anything is allowed."""
    assert run(["forecast", "stacks/dev.yaml", "--print-iam-policy"]) == 0
    document = json.loads(capfd.readouterr().out)
    actions = {action for statement in document["Statement"] for action in statement["Action"]}
    assert {"batch:ListServiceJobs", "batch:DescribeServiceJob", "batch:GetJobQueueSnapshot"} <= actions
    assert not {action for action in actions if not action.startswith(("batch:Describe", "batch:List", "batch:Get"))}


def test_the_account_is_the_declared_one(changed: Path, capfd: Capture) -> None:
    """A forecast for another account is about other jobs."""
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace("region:", 'account: "999999999999"\nregion:', 1), encoding="utf-8")
    assert run(["forecast", str(changed)]) == 2
    assert ACCOUNT in capfd.readouterr().err
