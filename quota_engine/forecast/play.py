"""Letting a situation go on in the scheduling model, with or without a change, and reading what became of its jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..model.work import Job
from ..scheduler.advance import advance, next_due_ms
from ..scheduler.ends import SHARE_DELETED_REASON
from ..scheduler.inputs import Input, Submit
from ..scheduler.restore import Situation, Standing, restore
from ..scheduler.state import SchedulerState
from ..scheduler.status import DISPATCHED
from ..scheduler.trace import Dispatched, Failed, PreemptionStarted, TraceEvent
from .result import Hit, HitKind, Room, Start

Names = Mapping[str, str]
"""{job id: name}."""
_INSTANTS_MAX = 100_000
"""A bound on what is looked at: two jobs that preempt one another for ever would have no end."""


@dataclass(frozen=True, slots=True)
class Played:
    """What happened, what the state was right after the change, and whether `until` was reached."""

    trace: tuple[TraceEvent, ...]
    rooms: Mapping[tuple[str, str], Room]
    is_complete: bool


def play(situation: Situation, inputs: Sequence[Input], until_ms: int, *, everyone_claims: bool = False) -> Played:
    """Apply the inputs now, and let the queue go on until `until_ms`.

    With `everyone_claims` every share then submits jobs of one instance for all that is idle of its own limit.
    """
    state = restore(situation)
    trace: list[TraceEvent] = []
    advance(state, situation.now_ms, inputs, trace.append)
    rooms = _rooms(state)
    if everyone_claims:
        advance(state, situation.now_ms, _claims(state), trace.append)
    for _ in range(_INSTANTS_MAX):
        due_ms = next_due_ms(state)
        if due_ms is None or due_ms > until_ms:
            return Played(tuple(trace), rooms, True)
        advance(state, due_ms, (), trace.append)
    return Played(tuple(trace), rooms, False)


def _claims(state: SchedulerState) -> list[Input]:
    units = state.ledger.unit_names
    return [
        Submit(Job(f"claim {name} {unit} {number}", name, {unit: 1}))
        for name, share in state.shares.items()
        for index, unit in enumerate(units)
        for number in range(share.idle(index))
    ]


def _rooms(state: SchedulerState) -> dict[tuple[str, str], Room]:
    """Return what each share has of each unit that it limits or uses."""
    found: dict[tuple[str, str], Room] = {}
    for name, share in state.shares.items():
        for index, unit in enumerate(state.ledger.unit_names):
            nominal, used = share.cap[index], share.use[index]
            if not nominal and not used:
                continue
            most = min(share.max_use[index], state.ledger.most_for(share, index, state.assumptions))
            found[name, unit] = Room(nominal, max(0, most - nominal) if share.borrows else 0, used)
    return found


def hits_of(situation: Situation, trace: Sequence[TraceEvent], names: Names) -> dict[str, Hit]:
    """Return {job id: its first hit} in the order in which they happen."""
    stands = {one.job.name: one for one in situation.jobs}
    found: dict[str, Hit] = {}
    for event in trace:
        if not isinstance(event, PreemptionStarted | Failed):
            continue
        one = stands.get(event.job)
        if one is None or event.job in found:
            continue
        if isinstance(event, PreemptionStarted):
            if one.status in DISPATCHED:
                found[event.job] = _preempted(situation, one, event, names)
        elif event.terminated:
            found[event.job] = _ended(situation, one, event, names)
    finally_failed = {event.job for event in trace if isinstance(event, Failed)}
    return {
        job: replace(hit, is_final=True) if job in finally_failed and hit.kind in _PREEMPTIONS else hit
        for job, hit in found.items()
    }


_PREEMPTIONS = (HitKind.CROSS_SHARE, HitKind.IN_SHARE, HitKind.LIMIT_LOWERED)


def _preempted(situation: Situation, one: Standing, event: PreemptionStarted, names: Names) -> Hit:
    return Hit(
        job=event.job,
        name=names.get(event.job, event.job),
        share=event.share,
        need=event.need,
        kind=HitKind(event.kind.value),
        after_ms=event.at_ms - situation.now_ms,
        by=event.by,
        by_name=names.get(event.by, event.by),
        by_share=event.by_share,
        ran_ms=_ran_ms(one, event.at_ms),
    )


def _ended(situation: Situation, one: Standing, event: Failed, names: Names) -> Hit:
    return Hit(
        job=event.job,
        name=names.get(event.job, event.job),
        share=one.job.share,
        need=one.job.need,
        kind=HitKind.SHARE_DELETED if event.reason == SHARE_DELETED_REASON else HitKind.TIME_LIMIT,
        after_ms=event.at_ms - situation.now_ms,
        ran_ms=_ran_ms(one, event.at_ms),
        was_running=one.status in DISPATCHED,
        is_final=True,
    )


def _ran_ms(one: Standing, at_ms: int) -> int:
    return 0 if one.started_ms is None else max(0, at_ms - one.started_ms)


def starts_of(situation: Situation, trace: Sequence[TraceEvent], names: Names) -> dict[str, Start]:
    """Return {job id: its first start} of the jobs that wait."""
    waiting = {one.job.name for one in situation.jobs if one.status not in DISPATCHED}
    found: dict[str, Start] = {}
    for event in trace:
        if isinstance(event, Dispatched) and event.job in waiting and event.job not in found:
            found[event.job] = Start(
                event.job,
                names.get(event.job, event.job),
                event.share,
                event.need,
                event.start.value,
                event.at_ms - situation.now_ms,
                event.borrowed,
            )
    return found
