"""The life of a job, first half: submission, waiting, dispatch and the phases of an attempt.

Each function makes one change, keeps ledger, queues and timers in step with it and emits what happened. None of them
decides who runs: that is `step`'s. How jobs end and come back stands in `ends`, how they are preempted in `stopping`.
"""

from __future__ import annotations

from typing import Final

from ..model.stack import Capacity
from ..model.work import Exit, Job
from .blocked import leave_block
from .inputs import InputError
from .ledger import EVERY_UNIT, Pairs
from .state import END, RUN, START, TIMEOUT, JobRecord, SchedulerState, ShareState
from .status import RUNNABLE, RUNNING, SCHEDULED, STARTING
from .trace import OWN, Dispatched, PriorityUpdated, Refused, Running, Starting, StartKind, Submitted

# Arrival and waiting.


def submit(state: SchedulerState, job: Job) -> JobRecord | None:
    """Take a job in; SUBMITTED becomes RUNNABLE at once (assumption A-40). Return it, None where it was refused.

    It is in no queue yet: have it `wait`. Raises InputError for an impossible job.
    """
    name, jobs = job.name, state.jobs
    if name in jobs:
        raise InputError(f"job {name!r} was submitted before; keys are unique in a queue")
    need = state.need_of(job)
    if job.duration_ms is not None and job.duration_ms < 0:
        raise InputError(f"job {name!r} lasts {job.duration_ms!r} ms; it must last 0 ms or more, or have no duration")
    share = state.shares.get(job.share)
    if share is None or not share.takes_jobs or not state.takes_jobs:
        state.emit(Refused(state.now_ms, name, job.share, _refusal(state, share, job.share)))
        return None
    now_ms, seq = state.now_ms, state.next_seq
    record = jobs[name] = JobRecord(job, share, need, seq, now_ms)
    state.next_seq = seq + 1
    state.emit(Submitted(now_ms, name, share.name, need.by_unit, job.priority))
    record.become(RUNNABLE)
    return record


def _refusal(state: SchedulerState, share: ShareState | None, name: str) -> str:
    """Return why the queue takes no job for this share now. SM: CreateQuotaShareRequest, CreateJobQueueRequest."""
    if share is None:
        return f"quota share {name!r} does not exist"
    return f"quota share {name!r} is DISABLED" if state.takes_jobs else "the job queue is DISABLED"


def wait(state: SchedulerState, record: JobRecord) -> None:
    """Queue a RUNNABLE job; its share is looked at anew when that may change the head."""
    share = record.share
    record.queued_ms = state.now_ms
    state.token = token = state.token + 1
    share.enqueue(record, token)
    if share.waiting[0][4] is record or state.assumptions.backfill:
        state.touch(share)


def update_priority(state: SchedulerState, record: JobRecord, priority: int) -> None:
    """Give the job another priority; the next decision uses it. UG: Quota management."""
    record.priority = priority
    state.emit(PriorityUpdated(state.now_ms, record.key, priority))
    share = record.share
    if record.status is RUNNABLE:
        share.enqueue(record, state.tick())
    elif record.entry_number:
        index_victim(state, record)
    state.touch(share)
    state.released = EVERY_UNIT


# Dispatch and the phases of an attempt.

_PLAIN: Final[tuple[str, ...]] = ()
_BORROWED: Final = ("A-05",)
_ROUNDED: Final = ("A-01", "A-05")
_NOTHING: Final[Capacity] = {}


def dispatch(
    state: SchedulerState, record: JobRecord, start: StartKind, victims: tuple[str, ...], claimed: bool = False
) -> None:
    """Place a job: RUNNABLE → SCHEDULED, and on where the phases take no time. A claim holds its room already."""
    share, need, now_ms = record.share, record.need, state.now_ms
    pairs = need.pairs
    if share.blocked_record is record:
        leave_block(state, share)
    if claimed:
        state.ledger.add_use(share, pairs, -1, -1)
    record.borrowed = lent = () if start is OWN and not claimed else share.borrowed_part(pairs)
    state.ledger.add_use(share, pairs, 1, 1)
    if record.entry_number:
        share.dequeue(record)
    record.become(SCHEDULED)
    record.status_reason = ""
    record.scheduled_ms = now_ms
    record.started_ms = None
    record.placements += 1
    share.running[record.seq] = record
    if share.victims is not None:
        index_victim(state, record)
    share.served_seq = state.served = state.served + 1
    own, borrowed = state.ledger.split(need, lent) if lent else (need.by_unit, _NOTHING)
    rests_on = _rests_on(share, lent, victims) if lent or victims else _PLAIN
    attempt = record.attempts_used + 1
    state.emit(
        Dispatched(now_ms, record.key, share.name, start, need.by_unit, own, borrowed, attempt, victims, rests_on)
    )
    if state.timing.scheduled_ms:
        set_phase_timer(state, record, now_ms + state.timing.scheduled_ms, START)
    else:
        begin_starting(state, record)


def _rests_on(share: ShareState, borrowed: Pairs, victims: tuple[str, ...]) -> tuple[str, ...]:
    """Return the assumptions that a dispatch rests on."""
    found = _PLAIN
    if borrowed:
        found = _BORROWED
        for unit, _ in borrowed:
            if share.rounded[unit]:
                found = _ROUNDED
    return (*found, "A-11") if victims else found


def begin_starting(state: SchedulerState, record: JobRecord) -> None:
    """SCHEDULED → STARTING: capacity has been acquired, so earlier capacity errors are over."""
    record.become(STARTING)
    if record.capacity_blocked:
        record.capacity_blocked = False
        record.capacity_wait_ms = 0
    now_ms = state.now_ms
    state.emit(Starting(now_ms, record.key))
    if state.timing.starting_ms:
        set_phase_timer(state, record, now_ms + state.timing.starting_ms, RUN)
    else:
        begin_running(state, record)


def begin_running(state: SchedulerState, record: JobRecord) -> None:
    record.become(RUNNING)
    record.started_ms = now_ms = state.now_ms
    state.emit(Running(now_ms, record.key))
    job = record.job
    if job.duration_ms is None or job.exit is not None or job.timeout_ms is not None:
        set_phase_timer(state, record, own_end_ms(record), END)
    else:  # what nearly every job comes to
        state.set_timer(record, now_ms + job.duration_ms - record.kept_ms, END)


def own_end_ms(record: JobRecord) -> int | None:
    """Return when the RUNNING job ends by itself, well or not; None when nothing says so."""
    job, since_ms = record.job, record.started_ms
    if since_ms is None:
        return None
    if job.exit is not None and exits(job, job.exit, record.kept_ms):
        return since_ms + job.exit.after_ms
    return None if job.duration_ms is None else since_ms + job.duration_ms - record.kept_ms


def exits(job: Job, own_exit: Exit, kept_ms: int) -> bool:
    """Whether the job's own failure comes no later than its end in this attempt."""
    return job.duration_ms is None or own_exit.after_ms <= job.duration_ms - kept_ms


def set_phase_timer(state: SchedulerState, record: JobRecord, due_ms: int | None, rank: int) -> None:
    """Set the job's timer to the end of its phase, or to its timeout where that comes first."""
    timeout_ms = record.job.timeout_ms
    if timeout_ms is not None:
        timeout_at_ms = _timeout_at_ms(state, record, timeout_ms)
        if timeout_at_ms is not None and (due_ms is None or timeout_at_ms < due_ms):
            due_ms, rank = timeout_at_ms, TIMEOUT
    if due_ms is None:
        record.token = 0
    else:
        state.set_timer(record, due_ms, rank)


def _timeout_at_ms(state: SchedulerState, record: JobRecord, timeout_ms: int) -> int | None:
    """Return when the attempt times out, as far as its phase starts the count (assumption A-36)."""
    scheduled_ms = record.scheduled_ms
    if scheduled_ms is None:
        return None
    counted_from = state.assumptions.timeout_from
    if counted_from == "scheduled":
        return scheduled_ms + timeout_ms
    if counted_from == "running":
        return None if record.started_ms is None else record.started_ms + timeout_ms
    if record.status is SCHEDULED:
        return None
    return scheduled_ms + state.timing.scheduled_ms + timeout_ms


def index_victim(state: SchedulerState, record: JobRecord) -> None:
    """Enter a dispatched job among its share's candidates, once per unit it uses."""
    share = record.share
    if share.victims is None:
        return
    record.entry_number = state.token = number = state.token + 1
    share.add_victim((state.victim_key(record), number, record))
