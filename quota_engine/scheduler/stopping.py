"""Preemption carried out: victims begin to stop, have stopped, and their preemptor claims the room meanwhile.

Whom to stop is chosen in `preempt`; this changes the state accordingly and emits what happened.
"""

from __future__ import annotations

from typing import Final

from ..model import service_facts
from .claims import hold_room
from .ends import finish_failed, keep_checkpoint, leave, requeue
from .life import own_end_ms
from .state import END, PREEMPTED_ATTEMPTS_KEPT, STOPPED, Claim, JobRecord, SchedulerState, Stopping
from .trace import PreemptionCompleted, PreemptionKind, PreemptionStarted, RequeueCause, StartKind

_PREEMPTION_REASONS: Final = {
    PreemptionKind.CROSS_SHARE: service_facts.CROSS_SHARE_REASON,
    PreemptionKind.IN_SHARE: service_facts.IN_SHARE_REASON,
    PreemptionKind.LIMIT_LOWERED: "Preemption triggered by a lowered capacity limit",
}
_IN_PROGRESS: Final = {
    kind: service_facts.PREEMPTION_IN_PROGRESS + reason for kind, reason in _PREEMPTION_REASONS.items()
}
_RESTS_ON: Final = ("A-11",)


def preempt(
    state: SchedulerState, victims: list[JobRecord], kind: PreemptionKind, by: JobRecord | None, claim: Claim | None
) -> None:
    """Begin to stop the victims; where stopping takes no time they are gone when this returns."""
    now_ms, reason = state.now_ms, _IN_PROGRESS[kind]
    by_key, by_share = (by.key, by.share.name) if by else ("", "")
    stopping = Stopping(kind, by_key, by_share, claim)
    is_instant = claim is None and not state.timing.stopping_ms
    for victim in victims:
        share, need = victim.share, victim.need
        victim.status_reason = reason  # whoever is told of the event may look at its job
        if not is_instant:
            _begin_to_stop(state, victim, stopping)
        state.emit(PreemptionStarted(now_ms, victim.key, share.name, kind, by_key, by_share, need.by_unit, _RESTS_ON))
        if is_instant:
            _come_back(state, victim, stopping)
        state.released |= need.mask


def _begin_to_stop(state: SchedulerState, victim: JobRecord, stopping: Stopping) -> None:
    """Stop counting the victim as its share's, and set when it has stopped, or ends by itself if no later (A-15)."""
    state.ledger.add_use(victim.share, victim.need.pairs, -1)
    victim.stopping = stopping
    victim.entry_number = 0
    state.touch(victim.share)
    stopped_ms = state.now_ms + state.timing.stopping_ms
    end_ms = own_end_ms(victim)
    if end_ms is not None and end_ms <= stopped_ms:
        state.set_timer(victim, end_ms, END)
    else:
        state.set_timer(victim, stopped_ms, STOPPED)


def complete_preemption(state: SchedulerState, victim: JobRecord) -> None:
    """The time that a victim takes to stop is over. Raises RuntimeError for a job that is not being preempted."""
    stopping = victim.stopping
    if stopping is None:
        raise RuntimeError(f"job {victim.key!r} is not being preempted")
    _come_back(state, victim, stopping)


def _come_back(state: SchedulerState, victim: JobRecord, stopping: Stopping) -> None:
    """The victim has stopped: RUNNABLE again, or FAILED with its preemption retries used up. UG: Preemption."""
    reason = _PREEMPTION_REASONS[stopping.kind]
    lost_ms = keep_checkpoint(state, victim)
    victim.preempted_count += 1
    attempt = victim.ended_attempt(state.now_ms, reason)
    victim.preempted_attempts = (attempt, *victim.preempted_attempts)[:PREEMPTED_ATTEMPTS_KEPT]
    leave(state, victim)
    count = victim.preempted_count
    state.emit(PreemptionCompleted(state.now_ms, victim.key, stopping.by, stopping.kind, count, lost_ms))
    retries = victim.job.preemption_retries
    if retries is not None and victim.preempted_count > retries:
        finish_failed(state, victim, reason)
    else:
        requeue(state, victim, RequeueCause.PREEMPTED, reason)


def make_claim(
    state: SchedulerState, record: JobRecord, victims: list[JobRecord], kind: PreemptionKind, start: StartKind
) -> None:
    """Stop the victims and have the head wait for their room."""
    claim = Claim(record, start, tuple(victims))
    record.share.claim = claim
    state.claims.append(claim)
    preempt(state, victims, kind, record, claim)
    hold_room(state, claim)
