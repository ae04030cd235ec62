"""Restoring: a queue put into a situation behaves as the queue that came into it by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, Strategy
from quota_engine.model.work import Job
from quota_engine.scheduler import InputError, JobStatus, SchedulerState, Submit, advance, next_due_ms
from quota_engine.scheduler.restore import Situation, Standing, restore
from quota_engine.scheduler.snapshot import front_of_shares, total_usage, utilisation
from quota_engine.scheduler.trace import Dispatched, PreemptionStarted, TraceEvent

UNIT = "ml.g5.xlarge"
SHARES = {
    "QS1": QuotaShare("QS1", {UNIT: 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED),
    "QS2": QuotaShare("QS2", {UNIT: 1}, Strategy.LEND),
    "QS3": QuotaShare("QS3", {UNIT: 1}, Strategy.RESERVE),
}
QUEUE = JobQueue("training", ("gpu",), "fifo", quota_shares=SHARES)
POOL = ServiceEnvironment("gpu", {UNIT: 3})


def job(name: str, share: str, priority: int = 0, duration_ms: int | None = None) -> Job:
    return Job(name, share, {UNIT: 1}, priority=priority, duration_ms=duration_ms)


def running(name: str, share: str, at_ms: int, priority: int = 0, duration_ms: int | None = None) -> Standing:
    return Standing(job(name, share, priority, duration_ms), JobStatus.RUNNING, at_ms, at_ms, at_ms)


def situation(*jobs: Standing, now_ms: int = 1_000) -> Situation:
    return Situation(QUEUE, POOL, jobs, now_ms)


def events(state: SchedulerState, at_ms: int, *inputs: Submit) -> list[TraceEvent]:
    trace: list[TraceEvent] = []
    advance(state, at_ms, inputs, trace.append)
    return trace


def test_a_restored_queue_reclaims_from_the_job_that_borrows() -> None:
    """The announcement's second step, from the state after the first: the victim is the borrower, not the owner."""
    state = restore(situation(running("high", "QS1", 0, 3), running("med", "QS1", 1, 2)))
    assert utilisation(state) == [("QS1", {UNIT: 2}), ("QS2", {}), ("QS3", {})]
    assert events(state, 1_000) == []
    trace = events(state, 2_000, Submit(job("qs2_job", "QS2")))
    assert [one.job for one in trace if isinstance(one, PreemptionStarted)] == ["med"]


def test_a_waiting_job_that_fits_starts_with_the_first_advance() -> None:
    """What the service has not dispatched although the model would is decided at once, and shows in the trace."""
    state = restore(situation(Standing(job("w", "QS3"), JobStatus.RUNNABLE, 5)))
    (first, *_) = events(state, 1_000)
    assert isinstance(first, Dispatched)
    assert state.jobs["w"].created_ms == 5


def test_a_running_job_ends_when_its_duration_from_its_own_start_is_over() -> None:
    """Half of the job is done already."""
    state = restore(situation(running("a", "QS1", 400, duration_ms=1_000)))
    assert next_due_ms(state) == 1_400
    late = restore(situation(running("a", "QS1", 400, duration_ms=100)))
    assert next_due_ms(late) == 1_000


def test_jobs_that_are_not_running_yet_go_on_through_their_phases() -> None:
    """SCHEDULED and STARTING hold capacity too, and can be victims."""
    state = restore(
        situation(
            Standing(job("s", "QS1"), JobStatus.SCHEDULED, 0, 900),
            Standing(job("t", "QS2"), JobStatus.STARTING, 0, 900),
        )
    )
    assert total_usage(state) == {UNIT: 2}
    events(state, 1_000)
    assert {record.status for record in state.jobs.values()} == {JobStatus.RUNNING}


def test_the_waiting_jobs_of_a_share_keep_their_order() -> None:
    """By priority, then by age, as the service shows its front."""
    state = restore(
        situation(
            running("a", "QS3", 0),
            Standing(job("young", "QS3", 5), JobStatus.RUNNABLE, 30),
            Standing(job("old", "QS3", 5), JobStatus.RUNNABLE, 20),
            Standing(job("low", "QS3", 1), JobStatus.RUNNABLE, 10),
        )
    )
    events(state, 1_000)
    front = front_of_shares(state)["QS3"]
    assert front is not None
    assert front.job == "old"
    assert [record.key for record in state.shares["QS3"].in_order()] == ["old", "young", "low"]


def test_used_up_preemption_retries_are_remembered() -> None:
    """The second preemption of a job that allows one is its end."""
    stands = replace(running("med", "QS1", 1), preempted_count=1)
    stands = replace(stands, job=replace(stands.job, preemption_retries=1))
    state = restore(situation(running("high", "QS1", 0, 3), stands))
    events(state, 2_000, Submit(job("qs2_job", "QS2")))
    assert state.jobs["med"].status is JobStatus.FAILED


@pytest.mark.parametrize(
    ("faulty", "text"),
    [
        (Standing(job("x", "nowhere"), JobStatus.RUNNABLE, 0), "does not exist"),
        (Standing(job("x", "QS1"), JobStatus.SUCCEEDED, 0), "a finished job"),
        (Standing(job("x", "QS1"), JobStatus.RUNNING, 0), "when it was scheduled"),
    ],
)
def test_what_no_queue_can_hold_is_refused(faulty: Standing, text: str) -> None:
    """A wrong situation would give a forecast that looks like a right one."""
    with pytest.raises(InputError, match=text):
        restore(situation(faulty))
    with pytest.raises(InputError, match="given twice"):
        restore(situation(running("a", "QS1", 0), running("a", "QS1", 0)))
