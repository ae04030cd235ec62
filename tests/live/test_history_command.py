"""`quota-engine history` against the emulator: every job once, in order, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.live import LiveTrouble, observe_jobs, read_history
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


def test_describing_tells_when_each_attempt_ran(live: Live, capfd: Capture) -> None:
    """A job's last attempt alone says nothing of the hours that preemption took."""
    (med,) = [job for job in listed(capfd) if job["job_name"] == "med"]
    assert (med["attempt_times"], med["preempted_times"]) == (None, None)
    live.submit("claim", "QS2")
    jobs = {job["job_name"]: job for job in listed(capfd, "--describe")}
    ((begun, stopped),) = jobs["med"]["preempted_times"]
    assert begun == med["started_at_ms"]
    assert stopped - begun >= HOUR_MS
    assert jobs["third"]["attempt_times"] == [[jobs["third"]["started_at_ms"], jobs["third"]["stopped_at_ms"]]]
    assert jobs["high"]["attempt_times"] == []


def test_a_job_preempted_between_two_lists_is_in_one_of_them(live: Live) -> None:
    """Who goes back from RUNNING to RUNNABLE between their lists would be in neither, and in no forecast."""

    def claim(params: dict[str, Any], **_: Any) -> None:
        if params.get("jobStatus") == "RUNNING" and "claim" not in live.ids:
            live.submit("claim", "QS2")

    live.session.events.register("provide-client-params.batch.ListServiceJobs", claim)
    read = observe_jobs(live.stack, ["training"], live.session)["training"]
    assert {job.name: job.status for job in read.jobs}["med"] == "RUNNABLE"


ARN = "arn:aws:batch:us-west-2:123456789012:job-queue/training"


def test_the_region_of_an_arn_gives_way_to_nobody(live: Live, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    """A --region that contradicts it is a slip of one of the two; a variable is but a default."""
    assert live.ids
    assert run(["history", ARN, "--region", "eu-west-1"]) == 2
    error = capfd.readouterr().err
    assert "eu-west-1" in error
    assert "us-west-2" in error
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert run(["history", ARN]) == 0
    assert run(["history", ARN, "--region", "us-west-2"]) == 0
    capfd.readouterr()
    assert run(["history", ARN, ARN.replace("us-west-2", "us-east-1")]) == 2
    assert "several regions" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arn", "says"),
    [
        (ARN.replace("123456789012", "999999999999"), "account 999999999999, but these credentials belong to"),
        (ARN.replace("job-queue", "service-job"), "the ARN of a service-job"),
    ],
)
def test_an_arn_of_something_else_is_refused(arn: str, says: str, live: Live, capfd: Capture) -> None:
    """Its name alone would be looked up, and another queue's jobs told."""
    assert live.ids
    assert run(["history", arn]) == 2
    assert says in capfd.readouterr().err


@pytest.mark.parametrize("operation", ["DescribeServiceJob", "ListServiceJobs"])
def test_an_answer_that_can_not_be_understood_is_named_by_its_operation(operation: str, live: Live) -> None:
    """Whoever looks for the fault looks at the operation that is named."""

    def spoil(parsed: dict[str, Any], **_: Any) -> None:
        for item in parsed.get("jobSummaryList", [parsed]):
            item["capacityUsage"] = [{"capacityUnit": "ml.g5.xlarge", "quantity": float("inf")}]

    live.session.events.register(f"after-call.batch.{operation}", spoil)
    with pytest.raises(LiveTrouble) as caught:
        read_history(["training"], "us-west-2", live.session, with_details=operation.startswith("Describe"))
    assert caught.value.problem is not None
    assert caught.value.problem.operation == f"batch:{operation}"


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
