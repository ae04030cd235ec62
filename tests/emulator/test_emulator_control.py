"""The emulator's own routes: clock, trace, dump, faults, page; and a declaration deployed at the start."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from quota_engine.emulator import ClockKind, StackRefused
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack, State, Strategy
from tests.conftest import ACCOUNT, REGION, Emulator, StartEmulator
from tests.emulator.resources import make_blog_queue, make_policy, status, submit

START_MS = 1_767_225_600_000


def refusal(emulator: Emulator, path: str, body: Any = None, method: str | None = None) -> str:
    """Return the message with which one of the emulator's own routes refuses."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        emulator.control(path, body, method)
    assert caught.value.code == 400
    message: str = json.loads(caught.value.read())["message"]
    return message


def test_info_tells_lives_apart(start_emulator: StartEmulator) -> None:
    """A Pulumi backend belongs to one life of the emulator: the instance says whether it still is that one."""
    first, second = (start_emulator(account=ACCOUNT, region=REGION).control("info") for _ in range(2))
    assert first["instance"] != second["instance"]
    assert {name: value for name, value in first.items() if name not in ("instance", "version")} == {
        "account": ACCOUNT,
        "region": REGION,
        "clock": "manual",
        "now_ms": START_MS,
    }


def test_the_manual_clock_moves_only_when_told(emulator: Emulator) -> None:
    """By an amount, by a duration, or to an instant; never back."""
    assert emulator.control("clock") == {"clock": "manual", "now_ms": START_MS}
    assert emulator.control("clock", {"advance_ms": 5})["now_ms"] == START_MS + 5
    assert emulator.control("clock", {"advance": "1h30m"})["now_ms"] == START_MS + 5 + 5_400_000
    assert emulator.control("clock", {"set_ms": START_MS + 9_000_000})["now_ms"] == START_MS + 9_000_000
    assert emulator.control("clock")["now_ms"] == START_MS + 9_000_000


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"advance_ms": 1, "set_ms": 2},
        {"advance_ms": -1},
        {"advance_ms": 1.5},
        {"advance_ms": True},
        {"advance_ms": "1"},
        {"advance": "10"},
        {"advance": 10},
        {"set_ms": 0},
        {"set_ms": 10**17},
        {"advance_ms": 10**30},
        {"faster": 1},
        [],
        3,
    ],
    ids=str,
)
def test_a_bad_move_is_refused_and_moves_nothing(emulator: Emulator, body: Any) -> None:
    """A typing error in a test must not silently leave the clock standing."""
    assert refusal(emulator, "clock", body)
    assert emulator.control("clock")["now_ms"] == START_MS


def test_a_real_clock_can_not_be_moved_and_may_run_faster(start_emulator: StartEmulator) -> None:
    """--speed: an hour of jobs in a second, and the API's times with it."""
    emulator = start_emulator(clock=ClockKind.REAL, speed=100_000.0, start_ms=START_MS)
    assert "--clock manual" in refusal(emulator, "clock", {"advance_ms": 1})
    batch = emulator.client("batch")
    make_blog_queue(batch)
    job = submit(batch, "job", "QS1", tags={"quota-engine/duration": "1m"})
    while status(batch, job) != "SUCCEEDED":  # a minute is over within a millisecond of real time
        pass
    (attempt,) = batch.describe_service_job(jobId=job)["attempts"]
    assert attempt["stoppedAt"] - attempt["startedAt"] == 60_000


def test_the_trace_names_jobs_and_shares(emulator: Emulator) -> None:
    """What a demo or a test compares with the simulator's trace."""
    batch = emulator.client("batch")
    make_blog_queue(batch)
    submit(batch, "med", "QS1", 2)
    submit(batch, "more", "QS1", 1)
    submit(batch, "qs2_job", "QS2")
    events = emulator.control("trace?queue=training")["events"]
    preemptions = [event for event in events if event["event"] == "PreemptionStarted"]
    assert [(event["job_name"], event["kind"], event["by_name"], event["by_share"]) for event in preemptions] == [
        ("more", "cross-share", "qs2_job", "QS2")
    ]
    asked = f"trace?queue=training&account={ACCOUNT}&region={REGION}"
    assert emulator.control(asked)["events"] == events
    assert refusal(emulator, "trace?queue=no") == "JobQueue no not found."
    assert "queue=NAME" in refusal(emulator, "trace")


def test_the_dump_shows_that_nothing_is_left(emulator: Emulator) -> None:
    """Resources and unfinished jobs are counted; finished jobs stay describable, as on AWS."""
    empty = {"resources": 0, "unfinished_jobs": 0, "regions": []}
    assert {name: emulator.control("dump")[name] for name in empty} == empty
    batch = emulator.client("batch")
    make_blog_queue(batch)
    submit(batch, "job", "QS1")
    dump = emulator.control("dump")
    assert (dump["resources"], dump["unfinished_jobs"]) == (6, 1)
    (region,) = dump["regions"]
    assert (region["account"], region["region"]) == (ACCOUNT, REGION)
    assert [share["quotaShareName"] for share in region["quota_shares"]] == ["QS1", "QS2", "QS3"]
    assert region["running"] == {"training": {"ml.g5.xlarge": 1}}


def test_an_operation_can_be_throttled_or_fail(emulator: Emulator) -> None:
    """For clients' retries and error handling: the next calls only, and then all is well."""
    batch = emulator.client("batch")
    make_policy(batch)
    emulator.control("faults", {"operation": "ListSchedulingPolicies", "count": 2})
    emulator.control(
        "faults",
        {"operation": "*", "kind": "fail", "code": "AccessDeniedException", "status": 403, "message": "no way"},
    )
    for _ in range(2):
        with pytest.raises(ClientError) as caught:
            batch.list_scheduling_policies()
        error: Any = caught.value.response
        assert error["Error"] == {"Code": "TooManyRequestsException", "Message": "Too Many Requests"}
        assert error["ResponseMetadata"]["HTTPStatusCode"] == 429
    with pytest.raises(ClientError, match=r"AccessDeniedException.*no way"):
        batch.list_scheduling_policies()
    assert len(batch.list_scheduling_policies()["schedulingPolicies"]) == 1
    assert emulator.control("faults") == {"faults": []}


def test_a_throttled_client_that_retries_gets_through(emulator: Emulator) -> None:
    """boto3's own retries, unmodified."""
    retries = Config(retries={"mode": "standard"})
    batch = emulator.session().client("batch", endpoint_url=emulator.url, config=retries)
    emulator.control("faults", {"operation": "DescribeJobQueues", "count": 1})
    answer = batch.describe_job_queues()
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1


def test_faults_can_be_forgotten(emulator: Emulator) -> None:
    """So that one test's faults don't hit the next."""
    emulator.client("batch").describe_job_queues()
    emulator.control("faults", {"operation": "DescribeJobQueues", "count": 5})
    assert emulator.control("faults", method="DELETE") == {"faults": []}
    emulator.client("batch").describe_job_queues()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"operation": ""},
        {"operation": "X", "count": 0},
        {"operation": "X", "count": True},
        {"operation": "X", "kind": "explode"},
        {"operation": "X", "kind": "fail", "status": 200},
        {"operation": "X", "kind": "fail", "code": "a\r\nb"},
        {"operation": "X", "kind": "fail", "message": 3},
        {"job": "11111111-2222-3333-4444-555555555555", "capacity_error": True},
        {"job": 3},
    ],
    ids=str,
)
def test_a_bad_fault_is_refused(emulator: Emulator, body: Any) -> None:
    """A fault that never strikes would make a test pass for nothing."""
    assert refusal(emulator, "faults", body)


def test_jobs_can_be_struck(emulator: Emulator) -> None:
    """A capacity error sends it back uncounted; a lost instance and a failure are SageMaker's to report."""
    batch = emulator.client("batch")
    make_blog_queue(batch)
    job = submit(batch, "job", "QS2")
    arn = batch.describe_service_job(jobId=job)["jobArn"]
    emulator.control("faults", {"job": arn, "capacity_error": True})
    found = batch.describe_service_job(jobId=job)
    assert found["status"] == "RUNNABLE"
    assert found["statusReason"].startswith("CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY")
    emulator.advance(60_000)
    assert status(batch, job) == "RUNNING", "placed again after a while (A-43)"
    emulator.control("faults", {"job": job, "lost_instance": True})
    found = batch.describe_service_job(jobId=job)
    assert found["status"] == "FAILED"
    assert found["statusReason"].startswith("Received status from SageMaker: InternalServerError")
    other = submit(batch, "other", "QS2")
    emulator.control("faults", {"job": other, "fail": "AlgorithmError: boom"})
    assert batch.describe_service_job(jobId=other)["statusReason"].endswith("AlgorithmError: boom")
    assert "say what happens" in refusal(emulator, "faults", {"job": other})


def test_the_page_needs_no_network_and_shows_names_as_text(emulator: Emulator) -> None:
    """It has no outside reference, and nothing users named can become markup: it never writes HTML from data."""
    with urllib.request.urlopen(emulator.url) as answer:
        page = answer.read().decode()
        assert answer.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert '<html lang="en">' in page
    page = page.replace("http://www.w3.org/2000/svg", "")  # what SVG is called, nothing that is fetched
    for forbidden in ("http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "src="):
        assert forbidden not in page


def test_the_view_shows_who_uses_borrows_and_waits(emulator: Emulator) -> None:
    """What the page draws: per share own and borrowed use, fronts with their reason, running jobs, preemptions."""
    batch = emulator.client("batch")
    make_blog_queue(batch)
    submit(batch, "high", "QS1", 3)
    submit(batch, "med", "QS1", 2)
    (queue,) = emulator.control("view")["queues"]
    (unit,) = queue["units"]
    assert (unit["unit"], unit["limit"], unit["used"]) == ("ml.g5.xlarge", 3, 2)
    shown = [
        (share["name"], share["own"], share["borrowed"], share["idle"], share["lends"]) for share in unit["shares"]
    ]
    assert shown == [("QS1", 1, 1, 0, True), ("QS2", 0, 0, 1, True), ("QS3", 0, 0, 1, False)]
    assert [(job["job"], job["start"]) for job in queue["running"]] == [("med", "borrowed"), ("high", "own")]
    submit(batch, "qs2_job", "QS2")
    (queue,) = emulator.control("view")["queues"]
    (front,) = queue["fronts"]
    assert (front["share"], front["job"], front["waiting"]) == ("QS1", "med", 1)
    assert front["why"] == "waits for room", "why it was preempted is not why it waits"
    (preemption,) = queue["preemptions"]
    assert (preemption["job"], preemption["kind"], preemption["by"]) == ("med", "cross-share", "qs2_job")


def test_unknown_routes_of_the_emulator_are_404(emulator: Emulator) -> None:
    """They must not be taken for an operation of Batch."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        emulator.control("nothing")
    assert caught.value.code == 404
    with pytest.raises(urllib.error.HTTPError) as caught:
        emulator.control("info", {}, "POST")
    assert caught.value.code == 405


def declared(**changes: Any) -> Stack:
    share = QuotaShare("QS1", {"ml.g5.xlarge": 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED)
    queue = JobQueue("training", ("gpu",), "fifo", quota_shares={"QS1": share}, tags={"team": "ml"}, **changes)
    return Stack(
        "dev",
        "eu-west-1",
        "210987654321",
        {"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 3})},
        {"fifo": SchedulingPolicy("fifo")},
        {"training": queue},
    )


def test_a_declaration_can_be_there_from_the_start(start_emulator: StartEmulator) -> None:
    """In its own account and region, ready for jobs."""
    emulator = start_emulator(stack=declared())
    batch = emulator.client("batch", account="210987654321", region="eu-west-1")
    (queue,) = batch.describe_job_queues()["jobQueues"]
    assert (queue["status"], queue["tags"]) == ("VALID", {"team": "ml"})
    assert status(batch, submit(batch, "job", "QS1")) == "RUNNING"


def test_a_declaration_the_service_refuses_stops_the_start(start_emulator: StartEmulator) -> None:
    """With the resource and the service's words, not with a traceback from within."""
    with pytest.raises(StackRefused, match="training") as caught:
        start_emulator(stack=declared(priority=2000))
    assert caught.value.why == "Job queue priority must be between 0 and 1000."
