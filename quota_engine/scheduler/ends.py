"""The life of a job, second half: how an attempt ends, and the way out or back to RUNNABLE.

Each function makes one change, keeps ledger, queues and timers in step with it and emits what happened.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..model import service_facts
from ..model.work import Job
from .blocked import leave_block
from .claims import lapse_claim, release_held
from .life import exits, wait
from .state import ELIGIBLE, JobRecord, SchedulerState
from .status import DISPATCHED, FAILED, RUNNABLE, SCHEDULED, SUCCEEDED
from .trace import Failed, RequeueCause, Requeued, Succeeded

ATTEMPT_TIMEOUT_REASON = "Job attempt duration exceeded timeout"
"""Batch's text for container jobs; what it says for service jobs is not public."""
SHARE_DELETED_REASON = "Quota share was deleted"
"""Invented: the service's text is not public."""


def end_by_itself(state: SchedulerState, record: JobRecord) -> None:
    """A RUNNING job comes to its end: its own failure where it states one, else success."""
    own_exit = record.job.exit
    if own_exit is not None and exits(record.job, own_exit, record.kept_ms):
        fail_attempt(state, record, own_exit.status_reason)
    else:
        succeed(state, record)


def succeed(state: SchedulerState, record: JobRecord) -> None:
    leave(state, record)
    record.become(SUCCEEDED)
    record.status_reason = ""
    record.stopped_ms = now_ms = state.now_ms
    state.emit(Succeeded(now_ms, record.key))


def fail_attempt(state: SchedulerState, record: JobRecord, text: str) -> None:
    """The training failed: RUNNABLE again while attempts are left and no rule says EXIT, else FAILED.

    UG: Service job retry strategies. Rules match the whole reason, first match wins; none matching means retry.
    """
    prefix = service_facts.SAGEMAKER_STATUS_PREFIX
    reason = text if text.startswith(prefix) else prefix + text
    record.attempts_used += 1
    if record.attempts_used < record.job.attempts and _may_retry(record.job, reason):
        lost_ms = keep_checkpoint(state, record)
        leave(state, record)
        _close_attempt(state, record, reason)
        requeue(state, record, RequeueCause.RETRY, reason, lost_ms)
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
        leave(state, record)
        _close_attempt(state, record, reason)
    else:
        _stop_waiting(state, record)
    finish_failed(state, record, reason, terminated)


def finish_failed(state: SchedulerState, record: JobRecord, reason: str, terminated: bool = False) -> None:
    record.become(FAILED)
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
    record.token = 0
    state.touch(share)


def send_back(state: SchedulerState, record: JobRecord) -> None:
    """A capacity error: back to RUNNABLE, the attempt not counted, to be placed again after a while (A-43)."""
    if record.status is SCHEDULED and record.scheduled_ms is not None:
        record.capacity_wait_ms += state.now_ms - record.scheduled_ms
    lost_ms = keep_checkpoint(state, record)
    leave(state, record)
    record.capacity_blocked = True
    record.eligible_ms = state.now_ms + state.assumptions.capacity_backoff_ms
    requeue(state, record, RequeueCause.CAPACITY_ERROR, service_facts.BLOCKED_BY_SAGEMAKER_CAPACITY, lost_ms)
    state.set_timer(record, record.eligible_ms, ELIGIBLE)


# Leaving capacity, and coming back.


def leave(state: SchedulerState, record: JobRecord) -> None:
    """Give back the capacity of a dispatched job, being stopped or not, and forget its timer.

    Where no job waits, nobody has to look at what came free.
    """
    share, stopping = record.share, record.stopping
    pairs = record.need.pairs
    if stopping is None:
        state.ledger.add_use(share, pairs, -1, -1)
    else:
        release_held(state, record, stopping)
    record.stopping = None
    record.entry_number = 0
    share.running.pop(record.seq, None)
    record.token = 0
    if share.waiting or state.waiting:
        state.touch(share)
        state.released |= record.need.mask


def _close_attempt(state: SchedulerState, record: JobRecord, reason: str) -> None:
    record.former_attempts = (*record.former_attempts, record.ended_attempt(state.now_ms, reason))


def requeue(state: SchedulerState, record: JobRecord, cause: RequeueCause, reason: str, lost_ms: int = 0) -> None:
    record.become(RUNNABLE)
    record.status_reason = reason
    if state.assumptions.requeue_position == "requeued":
        record.position_ms = state.now_ms
    state.emit(Requeued(state.now_ms, record.key, cause, reason, lost_ms))
    wait(state, record)


def keep_checkpoint(state: SchedulerState, record: JobRecord) -> int:
    """Keep the work up to the job's last checkpoint and return the RUNNING time lost, in ms (A-44)."""
    if record.started_ms is None:
        return 0
    done_ms = record.kept_ms + state.now_ms - record.started_ms
    if record.job.checkpoint_continuous:
        kept_ms = done_ms
    elif record.job.checkpoint_ms:
        kept_ms = done_ms // record.job.checkpoint_ms * record.job.checkpoint_ms
    else:
        kept_ms = 0
    record.kept_ms = kept_ms
    return done_ms - kept_ms
