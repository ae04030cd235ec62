"""`quota-engine history` against the emulator: every job once, in order, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from tests.conftest import Emulator
from tests.forecast.test_forecast import HOUR_MS, Live, fill

Capture = pytest.CaptureFixture[str]
PAGE = Path("docs/history.md").read_text(encoding="utf-8")
COMMAND = ["history", "training", "--region", "us-west-2"]


@pytest.fixture
def live(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Live:
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    found = Live(emulator, stack)
    fill(found)
    emulator.advance(HOUR_MS)
    found.batch.terminate_service_job(jobId=found.ids["third"], reason="enough")
    emulator.advance(60_000)
    return found


def listed(capfd: Capture, *more: str) -> list[dict[str, Any]]:
    assert run([*COMMAND, *more]) == 0
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def test_finished_and_unfinished_jobs_are_written_oldest_first(live: Live, capfd: Capture) -> None:
    """What replay and forecast read; a job that is left out would never have happened."""
    jobs = listed(capfd)
    assert [job["job_name"] for job in jobs] == ["high", "med", "third", "fourth"]
    third, fourth = jobs[2:]
    assert (third["status"], third["job_id"]) == ("FAILED", live.ids["third"])
    assert third["duration_ms"] == third["stopped_at_ms"] - third["started_at_ms"] >= HOUR_MS
    assert (fourth["status"], fourth["duration_ms"], fourth["priority"]) == ("RUNNING", None, None)
    assert third["instances"] == {"ml.g5.xlarge": 1}


def test_describing_adds_what_no_list_has(live: Live, capfd: Capture) -> None:
    """Priorities and preemptions come one call a job, so only on request."""
    live.submit("claim", "QS2")
    jobs = {job["job_name"]: job for job in listed(capfd, "--describe")}
    assert (jobs["med"]["status"], jobs["med"]["priority"], jobs["med"]["preempted_count"]) == ("RUNNABLE", 2, 1)


def test_the_documentation_names_every_field(live: Live, capfd: Capture) -> None:
    """The format is a promise."""
    assert live.ids
    for field in listed(capfd)[0]:
        assert f"`{field}`" in PAGE


@pytest.mark.parametrize(("operation", "more"), [("ListServiceJobs", []), ("DescribeServiceJob", ["--describe"])])
def test_a_denied_call_leaves_no_partial_file(
    operation: str, more: list[str], live: Live, tmp_path: Path, capfd: Capture
) -> None:
    """Half a history would pass for a quiet week."""
    denied = {"kind": "fail", "status": 403, "code": "AccessDeniedException", "message": "no", "count": 1}
    live.emulator.control("faults", {**denied, "operation": operation})
    path = tmp_path / "history.jsonl"
    assert run([*COMMAND, *more, "--output", str(path)]) == 2
    assert not path.exists()
    assert f"batch:{operation}" in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_queue_that_is_not_there_is_named(live: Live, capfd: Capture) -> None:
    """A slip in the name must not read as an empty history."""
    assert live.ids
    assert run(["history", "trainning", "--region", "us-west-2"]) == 2
    assert "trainning" in capfd.readouterr().err
