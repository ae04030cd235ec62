"""The life of a job: submission, dispatch, phases, ends, failures, preemption, and the way back to RUNNABLE.

Each function makes one change, keeps ledger, queues and timers in step with it and emits what happened. None of them
decides who runs: that is `step`'s.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..model import service_facts
from ..model.stack import State
from ..model.work import Exit, Job
from .blocked import leave_block
from .inputs import InputError
from .ledger import Pairs
from .state import (
    ELIGIBLE,
    END,
    PREEMPTED_ATTEMPTS_KEPT,
    RUN,
    START,
    STOPPED,
    TIMEOUT,
    Attempt,
    Claim,
    JobRecord,
    SchedulerState,
    ShareState,
    Stopping,
)
from .status import DISPATCHED, JobStatus
from .trace import (
    ClaimLapsed,
    ClaimMade,
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionKind,
    PreemptionStarted,
    PriorityUpdated,
    Refused,
    RequeueCause,
    Requeued,
    Running,
    Starting,
    StartKind,
    Submitted,
    Succeeded,
)

ATTEMPT_TIMEOUT_REASON = "Job attempt duration exceeded timeout"
"""Batch's text for container jobs; what it says for service jobs is not public."""
SHARE_DELETED_REASON = "Quota share was deleted"
"""Invented: the service's text is not public."""

_PREEMPTION_REASONS = {
    PreemptionKind.CROSS_SHARE: service_facts.CROSS_SHARE_REASON,
    PreemptionKind.IN_SHARE: service_facts.IN_SHARE_REASON,
    PreemptionKind.LIMIT_LOWERED: "Preemption triggered by a lowered capacity limit",
}


# Arrival and waiting.


def submit(state: SchedulerState, job: Job) -> None:
    """Take a job in; SUBMITTED becomes RUNNABLE at once (assumption A-40). Raises InputError for an impossible job."""
    name, jobs = job.name, state.jobs
    if name in jobs:
        raise InputError(f"job {name!r} was submitted before; keys are unique in a queue")
    need = state.need_of(job)
    if job.duration_ms is not None and job.duration_ms < 0:
        raise InputError(f"job {name!r} lasts {job.duration_ms!r} ms; it must last 0 ms or more, or have no duration")
    share = state.shares.get(job.share)
    if share is None or state.queue_state is not State.ENABLED or share.settings.state is not State.ENABLED:
        state.emit(Refused(state.now_ms, name, job.share, _refusal(state, share, job.share)))
        return
    record = jobs[name] = JobRecord(job, share, need, state.next_seq, state.now_ms)
    state.next_seq += 1
    state.emit(Submitted(state.now_ms, name, share.name, need.by_unit, job.priority))
    record.become(JobStatus.RUNNABLE)
    _wait(state, record)


def _refusal(state: SchedulerState, share: ShareState | None, name: str) -> str:
    """Return why the queue takes no job for this share now. SM: CreateQuotaShareRequest, CreateJobQueueRequest."""
    if share is None:
        return f"quota share {name!r} does not exist"
    return (
        "the job queue is DISABLED" if state.queue_state is not State.ENABLED else f"quota share {name!r} is DISABLED"
    )


def _wait(state: SchedulerState, record: JobRecord) -> None:
    """Queue a RUNNABLE job; its share is looked at anew when that may change the head."""
    share = record.share
    record.queued_ms = state.now_ms
    share.enqueue(record, state.tick())
    if share.waiting[0][2] is record or state.assumptions.backfill:
        state.touch(share)


def update_priority(state: SchedulerState, record: JobRecord, priority: int) -> None:
    """Give the job another priority; the next decision uses it. UG: Quota management."""
    record.priority = priority
    state.emit(PriorityUpdated(state.now_ms, record.key, priority))
    share = record.share
    if record.status is JobStatus.RUNNABLE:
        share.enqueue(record, state.tick())
    elif record.victim_number:
        index_victim(state, record)
    state.touch(share)
    state.released = True


# Dispatch and the phases of an attempt.


def dispatch(
    state: SchedulerState, record: JobRecord, start: StartKind, victims: tuple[str, ...], claimed: bool = False
) -> None:
    """Place a job: RUNNABLE → SCHEDULED, and on where the phases take no time. A claim holds its room already."""
    share = record.share
    pairs = record.need.pairs
    if share.blocked_record is record:
        leave_block(state, share)
    if claimed:
        state.ledger.add_use(share, pairs, -1)
        state.ledger.add_committed(pairs, -1)
    record.borrowed = () if start is StartKind.OWN and not claimed else share.borrowed_part(pairs)
    state.ledger.take(share, pairs)
    share.dequeue(record)
    record.become(JobStatus.SCHEDULED)
    record.status_reason = ""
    record.scheduled_ms = state.now_ms
    record.started_ms = record.running_ms = None
    record.placements += 1
    share.running[record.seq] = record
    if share.victims is not None:
        index_victim(state, record)
    state.served += 1
    share.served_seq = state.served
    _emit_dispatched(state, record, start, victims)
    if state.timing.scheduled_ms:
        set_phase_timer(state, record, state.now_ms + state.timing.scheduled_ms, START)
    else:
        begin_starting(state, record)


def _emit_dispatched(state: SchedulerState, record: JobRecord, start: StartKind, victims: tuple[str, ...]) -> None:
    need = record.need.by_unit
    own, borrowed = need, {}
    assumptions: tuple[str, ...] = ()
    if record.borrowed:
        borrowed = state.ledger.amounts(record.borrowed)
        own = {unit: count - borrowed.get(unit, 0) for unit, count in need.items() if count > borrowed.get(unit, 0)}
        rounded = any(record.share.rounded[unit] for unit, _ in record.borrowed)
        assumptions = ("A-01", "A-05") if rounded else ("A-05",)
    if victims:
        assumptions = (*assumptions, "A-11")
    state.emit(
        Dispatched(
            state.now_ms,
            record.key,
            record.share.name,
            start,
            need,
            own,
            borrowed,
            record.attempts_used + 1,
            victims,
            assumptions,
        )
    )


def begin_starting(state: SchedulerState, record: JobRecord) -> None:
    """SCHEDULED → STARTING: capacity has been acquired, so earlier capacity errors are over."""
    record.become(JobStatus.STARTING)
    record.capacity_blocked = False
    record.capacity_wait_ms = 0
    state.emit(Starting(state.now_ms, record.key))
    if state.timing.starting_ms:
        set_phase_timer(state, record, state.now_ms + state.timing.starting_ms, RUN)
    else:
        begin_running(state, record)


def begin_running(state: SchedulerState, record: JobRecord) -> None:
    record.become(JobStatus.RUNNING)
    record.started_ms = record.running_ms = state.now_ms
    state.emit(Running(state.now_ms, record.key))
    end_ms = own_end_ms(record)
    set_phase_timer(state, record, end_ms, END)


def own_end_ms(record: JobRecord) -> int | None:
    """Return when the RUNNING job ends by itself, well or not; None when nothing says so."""
    job, since_ms = record.job, record.running_ms
    if since_ms is None:
        return None
    end_ms = None if job.duration_ms is None else since_ms + job.duration_ms - record.kept_ms
    if job.exit is not None and _exits(job, job.exit, record.kept_ms):
        return since_ms + job.exit.after_ms
    return end_ms


def _exits(job: Job, own_exit: Exit, kept_ms: int) -> bool:
    """Whether the job's own failure comes no later than its end in this attempt."""
    return job.duration_ms is None or own_exit.after_ms <= job.duration_ms - kept_ms


def set_phase_timer(state: SchedulerState, record: JobRecord, due_ms: int | None, rank: int) -> None:
    """Set the job's timer to the end of its phase, or to its timeout where that comes first."""
    timeout_at_ms = _timeout_at_ms(state, record)
    if timeout_at_ms is not None and (due_ms is None or timeout_at_ms < due_ms):
        due_ms, rank = timeout_at_ms, TIMEOUT
    if due_ms is None:
        state.clear_timer(record)
    else:
        state.set_timer(record, due_ms, rank)


def _timeout_at_ms(state: SchedulerState, record: JobRecord) -> int | None:
    """Return when the attempt times out, as far as its phase starts the count (assumption A-36)."""
    timeout_ms, scheduled_ms = record.job.timeout_ms, record.scheduled_ms
    if timeout_ms is None or scheduled_ms is None:
        return None
    counted_from = state.assumptions.timeout_from
    if counted_from == "scheduled":
        return scheduled_ms + timeout_ms
    if counted_from == "running":
        return None if record.running_ms is None else record.running_ms + timeout_ms
    if record.status is JobStatus.SCHEDULED:
        return None
    return scheduled_ms + state.timing.scheduled_ms + timeout_ms


# Ends.


def end_by_itself(state: SchedulerState, record: JobRecord) -> None:
    """A RUNNING job comes to its end: its own failure where it states one, else success."""
    own_exit = record.job.exit
    if own_exit is not None and _exits(record.job, own_exit, record.kept_ms):
        fail_attempt(state, record, own_exit.status_reason)
    else:
        succeed(state, record)


def succeed(state: SchedulerState, record: JobRecord) -> None:
    _leave(state, record)
    _close_attempt(state, record, "")
    record.become(JobStatus.SUCCEEDED)
    record.status_reason = ""
    record.stopped_ms = state.now_ms
    state.emit(Succeeded(state.now_ms, record.key))


def fail_attempt(state: SchedulerState, record: JobRecord, text: str) -> None:
    """The training failed: RUNNABLE again while attempts are left and no rule says EXIT, else FAILED.

    UG: Service job retry strategies. Rules match the whole reason, first match wins; none matching means retry.
    """
    prefix = service_facts.SAGEMAKER_STATUS_PREFIX
    reason = text if text.startswith(prefix) else prefix + text
    record.attempts_used += 1
    if record.attempts_used < record.job.attempts and _may_retry(record.job, reason):
        lost_ms = keep_checkpoint(state, record)
        _leave(state, record)
        _close_attempt(state, record, reason)
        _requeue(state, record, RequeueCause.RETRY, reason, lost_ms)
    else:
        fail(state, record, reason)


def _may_retry(job: Job, reason: str) -> bool:
    for rule in job.evaluate_on_exit:
        if fnmatchcase(reason, rule.on_status_reason.replace("[", "[[]").replace("?", "[?]")):
            return rule.action.upper() == "RETRY"
    return True


def fail(state: SchedulerState, record: JobRecord, reason: str, terminated: bool = False) -> None:
    """End the job FAILED from wherever it is."""
    if record.status in DISPATCHED:
        _leave(state, record)
        _close_attempt(state, record, reason)
    else:
        _stop_waiting(state, record)
    finish_failed(state, record, reason, terminated)


def finish_failed(state: SchedulerState, record: JobRecord, reason: str, terminated: bool = False) -> None:
    record.become(JobStatus.FAILED)
    record.status_reason = reason
    record.stopped_ms = state.now_ms
    record.is_terminated = terminated
    state.emit(Failed(state.now_ms, record.key, reason, terminated))


def _stop_waiting(state: SchedulerState, record: JobRecord) -> None:
    share = record.share
    if share.claim is not None and share.claim.record is record:
        lapse_claim(state, share.claim)
    if share.blocked_record is record:
        leave_block(state, share)
    share.dequeue(record)
    state.clear_timer(record)
    state.touch(share)


def send_back(state: SchedulerState, record: JobRecord) -> None:
    """A capacity error: back to RUNNABLE, the attempt not counted, to be placed again after a while (A-43)."""
    if record.status is JobStatus.SCHEDULED and record.scheduled_ms is not None:
        record.capacity_wait_ms += state.now_ms - record.scheduled_ms
    lost_ms = keep_checkpoint(state, record)
    _leave(state, record)
    record.capacity_blocked = True
    record.eligible_ms = state.now_ms + state.assumptions.capacity_backoff_ms
    _requeue(state, record, RequeueCause.CAPACITY_ERROR, service_facts.BLOCKED_BY_SAGEMAKER_CAPACITY, lost_ms)
    state.set_timer(record, record.eligible_ms, ELIGIBLE)


# Leaving capacity, and coming back.


def _leave(state: SchedulerState, record: JobRecord) -> None:
    """Give back the capacity of a dispatched job, being stopped or not, and forget its timer."""
    share, stopping = record.share, record.stopping
    pairs = record.need.pairs
    if stopping is None:
        state.ledger.free(share, pairs)
    else:
        _release_held(state, record, stopping)
    record.stopping = None
    record.victim_number = 0
    share.running.pop(record.seq, None)
    state.clear_timer(record)
    state.touch(share)
    state.released = True


def _close_attempt(state: SchedulerState, record: JobRecord, reason: str) -> None:
    record.attempts = (*record.attempts, _ended_attempt(state, record, reason))


def _ended_attempt(state: SchedulerState, record: JobRecord, reason: str) -> Attempt:
    scheduled_ms = state.now_ms if record.scheduled_ms is None else record.scheduled_ms
    return Attempt(record.placements, scheduled_ms, record.started_ms, state.now_ms, reason)


def _requeue(state: SchedulerState, record: JobRecord, cause: RequeueCause, reason: str, lost_ms: int = 0) -> None:
    record.become(JobStatus.RUNNABLE)
    record.status_reason = reason
    if state.assumptions.requeue_position == "requeued":
        record.position_ms = state.now_ms
    state.emit(Requeued(state.now_ms, record.key, cause, reason, lost_ms))
    _wait(state, record)


def keep_checkpoint(state: SchedulerState, record: JobRecord) -> int:
    """Keep the work up to the job's last checkpoint and return the RUNNING time lost, in ms (A-44)."""
    if record.running_ms is None:
        return 0
    done_ms = record.kept_ms + state.now_ms - record.running_ms
    if record.job.checkpoint_continuous:
        kept_ms = done_ms
    elif record.job.checkpoint_ms:
        kept_ms = done_ms // record.job.checkpoint_ms * record.job.checkpoint_ms
    else:
        kept_ms = 0
    record.kept_ms = kept_ms
    return done_ms - kept_ms


# Preemption.


def index_victim(state: SchedulerState, record: JobRecord) -> None:
    """Enter a dispatched job among its share's candidates, once per unit it uses."""
    share = record.share
    if share.victims is None:
        return
    record.victim_number = state.tick()
    share.add_victim((state.victim_key(record), record.victim_number, record))


def preempt(
    state: SchedulerState, victims: list[JobRecord], kind: PreemptionKind, by: JobRecord | None, claim: Claim | None
) -> None:
    """Begin to stop the victims; where stopping takes no time they are gone when this returns."""
    for victim in victims:
        pairs = victim.need.pairs
        state.ledger.add_use(victim.share, pairs, -1)
        victim.stopping = Stopping(kind, by.key if by else "", by.share.name if by else "", claim)
        victim.victim_number = 0
        victim.status_reason = service_facts.PREEMPTION_IN_PROGRESS + _PREEMPTION_REASONS[kind]
        state.touch(victim.share)
        state.emit(
            PreemptionStarted(
                state.now_ms,
                victim.key,
                victim.share.name,
                kind,
                victim.stopping.by,
                victim.stopping.by_share,
                victim.need.by_unit,
                ("A-11",),
            )
        )
        if claim is None and not state.timing.stopping_ms:
            complete_preemption(state, victim)
        else:
            _schedule_stop(state, victim)
    state.released = True


def _schedule_stop(state: SchedulerState, victim: JobRecord) -> None:
    """Set when the victim has stopped, or when it ends by itself if that is no later (A-15)."""
    stopped_ms = state.now_ms + state.timing.stopping_ms
    end_ms = own_end_ms(victim)
    if end_ms is not None and end_ms <= stopped_ms:
        state.set_timer(victim, end_ms, END)
    else:
        state.set_timer(victim, stopped_ms, STOPPED)


def complete_preemption(state: SchedulerState, victim: JobRecord) -> None:
    """The victim has stopped: RUNNABLE again, or FAILED with its preemption retries used up. UG: Preemption."""
    stopping = victim.stopping
    if stopping is None:
        raise RuntimeError(f"job {victim.key!r} is not being preempted")
    reason = _PREEMPTION_REASONS[stopping.kind]
    lost_ms = keep_checkpoint(state, victim)
    victim.preempted_count += 1
    attempt = _ended_attempt(state, victim, reason)
    victim.preempted_attempts = (attempt, *victim.preempted_attempts)[:PREEMPTED_ATTEMPTS_KEPT]
    _leave(state, victim)
    count = victim.preempted_count
    state.emit(PreemptionCompleted(state.now_ms, victim.key, stopping.by, stopping.kind, count, lost_ms))
    retries = victim.job.preemption_retries
    if retries is not None and victim.preempted_count > retries:
        finish_failed(state, victim, reason)
    else:
        _requeue(state, victim, RequeueCause.PREEMPTED, reason)


# Claims (assumption A-15): what a claim needs counts as its share's use; of the environment it holds, per unit, the
# larger of what it needs and what its victims still hold.


def make_claim(
    state: SchedulerState, record: JobRecord, victims: list[JobRecord], kind: PreemptionKind, start: StartKind
) -> None:
    """Stop the victims and have the head wait for their room."""
    share = record.share
    claim = Claim(record, start, tuple(victims))
    share.claim = claim
    state.claims.append(claim)
    preempt(state, victims, kind, record, claim)
    for victim in victims:
        for unit, count in victim.need.pairs:
            claim.held[unit] = claim.held.get(unit, 0) + count
    need = dict(record.need.pairs)
    state.ledger.add_use(share, record.need.pairs, 1)
    state.ledger.add_committed(_beyond(need, claim.held, need), 1)
    state.emit(ClaimMade(state.now_ms, record.key, share.name, record.need.by_unit, claim.victim_names))


def _beyond(need: dict[int, int], held: dict[int, int], units: dict[int, int]) -> Pairs:
    """Return what a claim needs beyond what its victims hold, per unit."""
    return tuple((unit, max(0, need.get(unit, 0) - held.get(unit, 0))) for unit in units)


def _release_held(state: SchedulerState, victim: JobRecord, stopping: Stopping) -> None:
    """A victim is gone: its room passes to the claim as far as that needs it, the rest is free."""
    state.ledger.add_committed(victim.need.pairs, -1)
    claim = stopping.claim
    if claim is None:
        return
    need = dict(claim.record.need.pairs)
    units = dict(victim.need.pairs)
    state.ledger.add_committed(_beyond(need, claim.held, units), -1)
    for unit, count in victim.need.pairs:
        claim.held[unit] -= count
    state.ledger.add_committed(_beyond(need, claim.held, units), 1)
    claim.pending -= 1


def lapse_claim(state: SchedulerState, claim: Claim) -> None:
    """Give up a claim; victims that are still stopping stay so, for nobody."""
    record = claim.record
    share = record.share
    need = dict(record.need.pairs)
    state.ledger.add_use(share, record.need.pairs, -1)
    state.ledger.add_committed(_beyond(need, claim.held, need), -1)
    for victim in claim.victims:
        if victim.stopping is not None and victim.stopping.claim is claim:
            victim.stopping.claim = None
    share.claim = None
    state.claims.remove(claim)
    state.touch(share)
    state.released = True
    state.emit(ClaimLapsed(state.now_ms, record.key, share.name))
