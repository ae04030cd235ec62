"""The scheduler as its drivers use it: the contract of `advance`, and what the records and snapshots show."""

from __future__ import annotations

import pytest

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, Strategy
from quota_engine.model.work import CapacityError, Job, Terminate, Timing, UpdatePriority
from quota_engine.scheduler import (
    Complete,
    InputError,
    JobStatus,
    PutShare,
    RemoveShare,
    SchedulerState,
    Submit,
    advance,
    next_due_ms,
)
from quota_engine.scheduler.snapshot import front_of_queue, front_of_shares, total_usage, usage_of, utilisation
from quota_engine.scheduler.state import JobRecord
from quota_engine.scheduler.status import TRANSITIONS, TransitionError
from quota_engine.scheduler.trace import TraceEvent

UNIT = "ml.g5.xlarge"


def queue(**shares: QuotaShare) -> JobQueue:
    return JobQueue("q", ("e",), "p", quota_shares=shares)


def announcement(timing: Timing | None = None) -> SchedulerState:
    """Return the announcement's queue, empty."""
    shares = {
        "QS1": QuotaShare("QS1", {UNIT: 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED),
        "QS2": QuotaShare("QS2", {UNIT: 1}, Strategy.LEND),
        "QS3": QuotaShare("QS3", {UNIT: 1}, Strategy.RESERVE),
    }
    return SchedulerState.create(queue(**shares), ServiceEnvironment("e", {UNIT: 3}), timing)


def submit(state: SchedulerState, at_ms: int, name: str, share: str, priority: int = 0) -> JobRecord:
    advance(state, at_ms, [Submit(Job(name, share, {UNIT: 1}, priority=priority))])
    return state.jobs[name]


def test_a_record_shows_what_describe_shows() -> None:
    """DescribeServiceJob is answered from the record alone."""
    state = announcement(Timing(10, 20, 5))
    submit(state, 0, "high", "QS1", 3)
    med = submit(state, 100, "med", "QS1", 2)
    advance(state, 130)
    assert (med.status, med.scheduled_ms, med.started_ms, med.status_reason) == (JobStatus.RUNNING, 100, 130, "")
    submit(state, 1000, "owner", "QS2")
    assert med.status is JobStatus.RUNNING
    assert med.status_reason.startswith("PREEMPTION_IN_PROGRESS: Cross-share preemption")
    assert next_due_ms(state) == 1005
    advance(state, 1005)
    assert (med.status, med.preempted_count) == (JobStatus.RUNNABLE, 1)
    [attempt] = med.preempted_attempts
    assert (attempt.scheduled_ms, attempt.started_ms, attempt.stopped_ms) == (100, 130, 1005)
    assert attempt.reason == "Cross-share preemption triggered to reclaim borrowed capacity"
    assert med.attempts == ()
    advance(state, 1040, [Complete(1040, "owner")])
    assert state.jobs["owner"].status is JobStatus.SUCCEEDED
    advance(state, 1050, [Terminate(1050, "med", "enough")])
    assert (med.status, med.status_reason, med.is_terminated) == (JobStatus.FAILED, "enough", True)
    [ended] = state.jobs["med"].attempts
    assert (ended.placement, ended.reason) == (2, "enough")


def test_snapshots_show_fronts_and_usage() -> None:
    """GetJobQueueSnapshot: a share without waiting jobs is listed, larger use comes first."""
    state = announcement()
    submit(state, 0, "high", "QS1", 3)
    submit(state, 1, "med", "QS1", 2)
    submit(state, 2, "low", "QS1", 1)
    submit(state, 3, "lower", "QS1", 0)
    fronts = front_of_shares(state)
    assert fronts["QS2"] is None
    front = fronts["QS1"]
    assert front is not None
    assert (front.job, front.since_ms) == ("low", 2)
    assert [(job.job, job.since_ms) for job in front_of_queue(state)] == [("low", 2), ("lower", 3)]
    assert total_usage(state) == usage_of(state, "QS1") == {UNIT: 2}
    assert utilisation(state) == [("QS1", {UNIT: 2}), ("QS2", {}), ("QS3", {})]
    advance(state, 10, [UpdatePriority(10, "lower", 2)])
    front = front_of_shares(state)["QS1"]
    assert front is not None
    assert (front.job, front.since_ms) == ("lower", 10)


def test_shares_come_change_and_go_while_jobs_run() -> None:
    """The emulator edits a queue at any time; a finished job stays describable after its share is gone."""
    state = announcement()
    submit(state, 0, "one", "QS2")
    advance(state, 1, [PutShare(QuotaShare("QS4", {UNIT: 1}, Strategy.LEND_AND_BORROW))])
    late = submit(state, 2, "late", "QS4")
    assert late.status is JobStatus.RUNNING
    advance(state, 3, [RemoveShare("QS4")])
    assert (late.status, late.is_terminated, late.share_name) == (JobStatus.FAILED, True, "QS4")
    assert "QS4" not in state.shares
    assert total_usage(state) == {UNIT: 1}


@pytest.mark.parametrize(
    ("at_ms", "given", "part"),
    [
        (4, Submit(Job("late", "QS1", {UNIT: 1})), "can't go back from 5 ms to 4 ms"),
        (6, Submit(Job("one", "QS1", {UNIT: 1})), "'one' was submitted before"),
        (6, Submit(Job("none", "QS1", {"ml.g5.xlarge": 0})), "'none' needs {'ml.g5.xlarge': 0}"),
        (6, Submit(Job("zero", "QS1", {UNIT: 0})), "'zero' needs"),
        (6, Submit(Job("minus", "QS1", {UNIT: -1})), "'minus' needs"),
        (6, Submit(Job("short", "QS1", {UNIT: 1}, duration_ms=-1)), "'short' lasts -1"),
        (6, Terminate(7, "one", "x"), "for 7 ms was given for 6 ms"),
        (6, RemoveShare("QS9"), "no quota share 'QS9'"),
    ],
)
def test_a_broken_contract_is_refused_by_name(at_ms: int, given: Submit | Terminate | RemoveShare, part: str) -> None:
    """A driver's fault must not become a wrong schedule."""
    state = announcement()
    submit(state, 5, "one", "QS1")
    with pytest.raises(InputError) as caught:
        advance(state, at_ms, [given])
    assert part in str(caught.value)


def test_an_unlisted_change_of_status_raises_with_both_names() -> None:
    """The table is the only place where statuses change."""
    record = submit(announcement(), 0, "one", "QS1")
    for old in JobStatus:
        for new in JobStatus:
            record.status = old
            if new in TRANSITIONS[old]:
                record.become(new)
                continue
            with pytest.raises(TransitionError, match=f"'one' can't change from {old} to {new}"):
                record.become(new)


def test_time_may_pass_in_any_number_of_steps() -> None:
    """The emulator looks when it is asked, the simulation at every event: the trace must not depend on that."""

    def trace_of(times: list[int]) -> list[TraceEvent]:
        trace: list[TraceEvent] = []
        state = announcement(Timing(10, 20, 5))
        jobs = [Job(f"j{n}", f"QS{1 + n % 3}", {UNIT: 1}, duration_ms=40 + n, priority=n % 4) for n in range(9)]
        advance(state, 0, [Submit(job) for job in jobs], trace.append)
        for at_ms in times:
            advance(state, at_ms, (), trace.append)
        return trace

    assert trace_of([5000]) == trace_of(list(range(0, 5001, 7)))


def test_a_head_that_needs_nothing_may_wait_while_others_release() -> None:
    """A payload may name no unit, and such a job waits too: after a capacity error, while another share's job ends."""
    state = announcement(Timing(scheduled_ms=60_000))
    advance(state, 0, [Submit(Job("empty", "QS1", {}, duration_ms=5)), Submit(Job("other", "QS2", {UNIT: 1}))])
    advance(state, 10, [CapacityError(10, "empty")])
    advance(state, 20, [Terminate(20, "other")])
    assert state.jobs["empty"].placements == 1
    advance(state, 60_010)
    assert state.jobs["empty"].placements == 2
