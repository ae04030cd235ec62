"""A queue in a given situation: jobs that are dispatched and jobs that wait, as they were found somewhere.

The situation is taken as it is, whatever rules led to it: nothing is decided and nothing is emitted here. The first
`advance` afterwards decides what the model would do from there. What holds then is what holds after any `advance`:
every dispatched job is in its share's use, and what of it lies above the share's own limit counts as borrowed by those
that were dispatched last.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..model.stack import JobQueue, ServiceEnvironment
from ..model.work import Job, Timing
from .assumptions import Assumptions
from .inputs import InputError
from .ledger import EVERY_UNIT
from .life import own_end_ms, set_phase_timer
from .state import END, RUN, START, JobRecord, SchedulerState
from .status import DISPATCHED, FINISHED, RUNNABLE, RUNNING, SCHEDULED, STARTING, SUBMITTED, JobStatus

_WAITING = frozenset({SUBMITTED, JobStatus.PENDING, RUNNABLE})


@dataclass(frozen=True, slots=True)
class Standing:
    """One unfinished job as it stands. Times are on the same scale as the state's `now_ms`.

    `job.priority` is the present one. `scheduled_ms` belongs to a dispatched job, `started_ms` to a RUNNING one.
    `kept_ms` is the work of earlier attempts that a checkpoint kept.
    """

    job: Job
    status: JobStatus
    created_ms: int
    scheduled_ms: int | None = None
    started_ms: int | None = None
    preempted_count: int = 0
    attempts_used: int = 0
    kept_ms: int = 0


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything about one queue at `now_ms`, as a value: what `restore` makes a state of."""

    queue: JobQueue
    environment: ServiceEnvironment
    jobs: tuple[Standing, ...]
    now_ms: int
    timing: Timing = field(default_factory=Timing)
    assumptions: Assumptions = field(default_factory=Assumptions)


def restore(situation: Situation) -> SchedulerState:
    """Return a state in which all stands as the situation says. Raises InputError for what no queue can hold.

    Jobs count as submitted in the order of (created_ms, name), and as dispatched in that of (scheduled_ms, created_ms,
    name). A phase or duration that should be over by now ends with the first `advance`.
    """
    state = SchedulerState.create(
        situation.queue, situation.environment, situation.timing, situation.assumptions, situation.now_ms
    )
    ordered = sorted(situation.jobs, key=lambda one: (one.created_ms, one.job.name))
    records = [_enter(state, one) for one in ordered]
    entered = list(zip(ordered, records, strict=True))
    for one, record in sorted(entered, key=lambda pair: (pair[0].scheduled_ms or 0, pair[1].seq)):
        if one.status in DISPATCHED:
            _dispatch(state, record, one)
        else:
            record.share.enqueue(record, state.tick())
    for share in state.shares.values():
        state.touch(share)
    state.ledger.recount(state.assumptions)
    state.released = EVERY_UNIT
    return state


def situation_of(state: SchedulerState) -> Situation:
    """Return where a state stands. Claims are not part of it: a victim that is being stopped counts as dispatched."""
    queue = JobQueue(
        "",
        (state.environment.name,),
        None,
        state=state.queue_state,
        time_limit_actions=state.time_limit_actions,
        quota_shares={name: share.settings for name, share in state.shares.items()},
    )
    jobs = tuple(_standing(record) for record in state.jobs.values() if record.status not in FINISHED)
    return Situation(queue, state.environment, jobs, state.now_ms, state.timing, state.assumptions)


def _standing(record: JobRecord) -> Standing:
    dispatched = record.status in DISPATCHED
    return Standing(
        job=replace(record.job, priority=record.priority),
        status=record.status,
        created_ms=record.created_ms,
        scheduled_ms=record.scheduled_ms if dispatched else None,
        started_ms=record.started_ms if dispatched else None,
        preempted_count=record.preempted_count,
        attempts_used=record.attempts_used,
        kept_ms=record.kept_ms,
    )


def _enter(state: SchedulerState, one: Standing) -> JobRecord:
    """Make the record of a job, RUNNABLE and in no queue yet."""
    job = one.job
    share = state.shares.get(job.share)
    if job.name in state.jobs:
        raise InputError(f"job {job.name!r} is given twice; keys are unique in a queue")
    if share is None:
        raise InputError(f"job {job.name!r} is in quota share {job.share!r}, which does not exist")
    if one.status not in DISPATCHED | _WAITING:
        raise InputError(f"job {job.name!r} is {one.status}: a finished job holds nothing")
    if one.status in DISPATCHED and one.scheduled_ms is None:
        raise InputError(f"job {job.name!r} is {one.status}, but when it was scheduled is not given")
    record = state.jobs[job.name] = JobRecord(job, share, state.need_of(job), state.next_seq, one.created_ms)
    state.next_seq += 1
    record.preempted_count = one.preempted_count
    record.attempts_used = one.attempts_used
    record.kept_ms = one.kept_ms
    record.become(RUNNABLE)
    return record


def _dispatch(state: SchedulerState, record: JobRecord, one: Standing) -> None:
    """Put a job where `life.dispatch` and the phases after it would have put it."""
    share, pairs = record.share, record.need.pairs
    record.borrowed = share.borrowed_part(pairs)
    state.ledger.add_use(share, pairs, 1, 1)
    record.become(SCHEDULED)
    record.scheduled_ms = scheduled_ms = one.scheduled_ms or 0
    record.placements = 1 + record.attempts_used + record.preempted_count
    share.running[record.seq] = record
    state.served += 1
    share.served_seq = state.served
    if one.status is SCHEDULED:
        _due(state, record, scheduled_ms + state.timing.scheduled_ms, START)
        return
    record.become(STARTING)
    if one.status is STARTING:
        _due(state, record, scheduled_ms + state.timing.scheduled_ms + state.timing.starting_ms, RUN)
        return
    record.become(RUNNING)
    record.started_ms = one.started_ms if one.started_ms is not None else scheduled_ms
    _due(state, record, own_end_ms(record), END)


def _due(state: SchedulerState, record: JobRecord, due_ms: int | None, rank: int) -> None:
    set_phase_timer(state, record, None if due_ms is None else max(state.now_ms, due_ms), rank)
