"""Reading records: events as EventBridge delivers them, and lines of history; and what is counted of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quota_engine.calibrate import Judgement, Record, StintEnd, calibrate, record_of_events, record_of_history
from quota_engine.calibrate.scenario import timing_of
from quota_engine.model.job_history import RecordedJob
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, Strategy
from quota_engine.model.work import Timing

UNIT = "ml.g5.xlarge"
START = 1_796_099_580_000
NAMES = {"SCHEDULED": "scheduledAt", "RUNNING": "startedAt", "SUCCEEDED": "stoppedAt", "FAILED": "stoppedAt"}
SHARES = {name: QuotaShare(name, {UNIT: 1}, Strategy.LEND) for name in ("A", "B")}
STACK = Stack(
    "s",
    "us-west-2",
    service_environments={"gpu": ServiceEnvironment("gpu", {UNIT: 2})},
    job_queues={"training": JobQueue("training", ("gpu",), None, quota_shares=SHARES)},
)


def time_of(at_ms: int) -> str:
    minutes, seconds = divmod((at_ms - START) // 1000, 60)
    return f"2026-12-01T04:{33 + minutes:02d}:{seconds:02d}Z"


def change(job: str, status: str, at_ms: int, *, queue: str = "training", **detail: Any) -> dict[str, Any]:
    """Return a state change of a job of share A that was created at START."""
    arn = f"arn:aws:batch:us-west-2:123456789012:service-job/{job}"
    told = {NAMES[status]: at_ms} if status in NAMES else {}
    if status == "STARTING":
        told = {"scheduledAt": at_ms - 1_000}
    return {
        "id": f"{job}-{status}-{at_ms}",
        "detail-type": "Batch Service Job State Change",
        "time": time_of(at_ms),
        "detail": {
            "jobArn": arn,
            "jobId": job,
            "jobName": job,
            "jobQueue": f"arn:aws:batch:us-west-2:123456789012:job-queue/{queue}",
            "quotaShareName": "A",
            "status": status,
            "createdAt": START,
            "capacityUsage": [{"capacityUnit": UNIT, "quantity": 1.0}],
            **told,
            **detail,
        },
    }


def lines(*events: Any) -> list[str]:
    return [event if isinstance(event, str) else json.dumps(event) for event in events]


def whole(job: str, start_ms: int, running_ms: int, **given: Any) -> list[dict[str, Any]]:
    """Return the course of a job that is SCHEDULED at `start_ms` and RUNNING five seconds later."""
    return [
        change(job, "RUNNABLE", START, **given),
        change(job, "SCHEDULED", start_ms, **given),
        change(job, "STARTING", start_ms + 1_000, **given),
        change(job, "RUNNING", start_ms + 5_000, **given),
        change(job, "SUCCEEDED", start_ms + 5_000 + running_ms, **given),
    ]


def test_a_course_is_told_by_the_times_in_the_details() -> None:
    """The envelope has whole seconds only, the details have milliseconds."""
    record = record_of_events(lines(*whole("j", START + 123, 60_000)))
    [course] = record.courses
    [stint] = course.stints
    assert (record.queue, course.created_ms, course.share, course.need) == ("training", START, "A", {UNIT: 1})
    assert (stint.scheduled_ms, stint.started_ms, stint.stopped_ms) == (START + 123, START + 5_123, START + 65_123)
    assert (stint.running_ms, stint.end, course.ended_ms) == (60_000, StintEnd.SUCCEEDED, START + 65_123)


def test_an_event_that_comes_twice_or_late_changes_nothing() -> None:
    """The service delivers at least once, and in no promised order."""
    events = whole("j", START, 60_000)
    straight = record_of_events(lines(*events))
    mixed = record_of_events(lines(*reversed(events), events[1], events[4]))
    assert mixed.courses == straight.courses
    assert mixed.other_lines == 2


def test_a_preemption_ends_a_stint_and_the_next_begins() -> None:
    """When it was chosen stands in the one event, when it had stopped in the other."""
    arn = "arn:aws:batch:us-west-2:123456789012:service-job/j"
    first, second = whole("j", START, 0)[:4], whole("j", START + 120_000, 60_000)[1:]
    started = {
        "id": "p1",
        "detail-type": "Batch Service Job Preemption Started",
        "time": time_of(START + 30_000),
        "detail": {"preemptedJobArn": arn, "status": "RUNNING"},
    }
    summary = {"preemptedAttemptCount": 1, "recentPreemptedAttempts": [{"stoppedAt": START + 50_000}]}
    completed = {
        "id": "p2",
        "detail-type": "Batch Service Job Preemption Completed",
        "time": time_of(START + 52_000),
        "detail": {"preemptedJobArn": arn, "preemptionSummary": summary, "status": "RUNNABLE"},
    }
    back = change("j", "RUNNABLE", START + 52_000, preemptionSummary=summary)
    record = record_of_events(lines(*first, started, completed, back, *second))
    one, other = record.courses[0].stints
    assert (one.preempted_ms, one.stopped_ms, one.end) == (START + 30_000, START + 50_000, StintEnd.PREEMPTED)
    assert (other.scheduled_ms, other.end) == (START + 120_000, StintEnd.SUCCEEDED)
    assert timing_of(record) == Timing(scheduled_ms=1_000, starting_ms=4_000, stopping_ms=20_000)


def test_an_attempt_that_failed_is_no_decision_of_the_scheduler() -> None:
    """The retry is: the failure is given to the model as it was recorded."""
    events = [*whole("j", START, 0)[:4], change("j", "RUNNABLE", START + 20_000, attempts=[{}])]
    events += whole("j", START + 20_000, 60_000, attempts=[{}])[1:]
    found = calibrate(record_of_events(lines(*events)), STACK, 1_000)
    assert (found.score.recorded, found.score.wrong) == (2, 0)


def test_a_job_ended_by_request_ends_so_in_the_model() -> None:
    """Somebody's TerminateServiceJob is no more predictable than a submission."""
    events = [
        *whole("j", START, 0)[:4],
        change("j", "FAILED", START + 40_000, isTerminated=True, statusReason="enough"),
    ]
    [course] = record_of_events(lines(*events)).courses
    assert (course.end, course.end_reason) == (StintEnd.TERMINATED, "enough")
    assert calibrate(record_of_events(lines(*events)), STACK, 1_000).score.wrong == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "no JSON object"),
        ('{"detail-type": "Batch Service Job State Change"}', "lacks 'id'"),
        (json.dumps(change("k", "RUNNABLE", START, capacityUsage=[])), "capacityUsage is empty"),
        (json.dumps(change("k", "RUNNABLE", START, jobName=7)), "jobName is no text"),
        (json.dumps({**change("k", "RUNNABLE", START), "time": "soon"}), "soon"),
        (json.dumps({**change("k", "RUNNABLE", START), "detail": None}), "detail is no object"),
        (json.dumps({**change("k", "RUNNABLE", START), "time": 5}), "its time is 5"),
        (json.dumps(change("k", "DANCING", START)), "status is 'DANCING'"),
        (json.dumps(change("k", "RUNNABLE", START, createdAt=-5)), "createdAt is -5, no time in ms"),
        (json.dumps(change("k", "RUNNABLE", START, createdAt=START // 1000)), "no time in ms"),
        (json.dumps(change("k", "RUNNABLE", START, createdAt=10**30)), "no time in ms"),
        (json.dumps(change("k", "RUNNABLE", START)).replace(f'"createdAt": {START}', '"createdAt": 1e999'), "is inf"),
        (json.dumps(change("k", "RUNNABLE", START)).replace(f'"createdAt": {START}', '"createdAt": NaN'), "is nan"),
        (json.dumps(change("k", "STARTING", START, scheduledAt="noon")), "scheduledAt is 'noon'"),
        (json.dumps(change("k", "RUNNABLE", START, schedulingPriority="high")), "schedulingPriority is 'high'"),
        (
            json.dumps(change("k", "RUNNABLE", START, preemptionConfiguration=[3])),
            "preemptionConfiguration is no object",
        ),
        (json.dumps(change("k", "RUNNABLE", START, preemptionSummary="many")), "preemptionSummary is no object"),
        (json.dumps(change("k", "RUNNABLE", START, preemptionSummary={"recentPreemptedAttempts": [1]})), "no list of"),
        (json.dumps(change("k", "RUNNABLE", START, capacityUsage=[{"capacityUnit": UNIT, "quantity": 0.5}])), "0.5"),
        ('{"detail-type": "x", "detail": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_can_not_be_used_is_counted_with_its_reason(line: str, reason: str) -> None:
    """A record with a torn line still says something."""
    record = record_of_events(lines(*whole("j", START, 1_000), line))
    assert (len(record.courses), len(record.bad), record.bad[0].line) == (1, 1, 6)
    assert reason in record.bad[0].reason


def test_a_change_told_in_whole_seconds_never_comes_before_its_job() -> None:
    """The envelope's time has whole seconds, so it may lie up to a second before the job was created."""
    created: dict[str, Any] = {"createdAt": START + 900}
    events = [
        change("j", "RUNNABLE", START, schedulingPriority=1, **created),
        change("j", "STARTING", START, schedulingPriority=2, **created, scheduledAt=START + 950),
        change("j", "RUNNING", START + 2_000, schedulingPriority=2, **created),
        change("j", "SUCCEEDED", START + 9_000, schedulingPriority=2, **created),
    ]
    assert calibrate(record_of_events(lines(*events)), STACK, 1_000).score.wrong == 0


def test_several_queues_are_told_apart() -> None:
    """Their jobs have nothing to do with each other."""
    both = lines(*whole("j", START, 1_000), *whole("k", START, 1_000, queue="other"))
    with pytest.raises(ValueError, match="several queues: other, training"):
        record_of_events(both)
    assert [course.job_id for course in record_of_events(both, "other").courses] == ["k"]


def test_what_the_model_does_not_predict_is_counted_by_share() -> None:
    """A start at another time is missed; the mean error says by how much."""
    late = record_of_events(lines(*whole("j", START + 600_000, 60_000)))
    found = calibrate(late, STACK, 60_000)
    assert (found.score.recorded, found.score.predicted, found.score.ratio) == (1, 0, 0)
    assert [one.judgement for one in found.found] == [Judgement.MISSED]
    assert [(one.share, one.mean_error_ms) for one in found.shares] == [("A", 600_000), ("B", None)]
    assert calibrate(late, STACK, 600_000).score.wrong == 0


def test_a_history_tells_the_last_dispatch_and_how_often_before() -> None:
    """Times that nobody tells are no error, but the count is compared."""
    job = RecordedJob(
        "training", "i", "j", "A", "SUCCEEDED", {UNIT: 1}, START, START, START, START + 9_000, 9_000, 0, 0
    )
    record = record_of_history([job])
    assert calibrate(record, STACK, 1_000).score.wrong == 0
    twice = RecordedJob(
        "training", "i", "j", "A", "SUCCEEDED", {UNIT: 1}, START, START, START, START + 9_000, 9_000, 0, 1
    )
    assert calibrate(record_of_history([twice]), STACK, 1_000).score.wrong == 2, "a start and a preemption never made"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (Record("training", ()), "holds no job"),
        (record_of_events(lines(*whole("j", START, 1_000, queue="other"))), "does not declare"),
        (record_of_events(lines(*whole("j", START, 1_000, quotaShareName="Z"))), "no quota share Z"),
    ],
)
def test_a_record_of_something_else_is_refused(record: Record, reason: str) -> None:
    """Another queue's jobs would be compared with nothing."""
    with pytest.raises(ValueError, match=reason):
        calibrate(record, STACK, 1_000)
