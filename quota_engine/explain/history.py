"""What happened to a job, told from a trace: how it started, by whom it was preempted, under which rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..model.durations import format_duration
from ..scheduler.points import POINTS
from ..scheduler.trace import (
    Blocked,
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionKind,
    PreemptionStarted,
    PriorityUpdated,
    Refused,
    RequeueCause,
    Requeued,
    SettingsChanged,
    StartKind,
    Submitted,
    Succeeded,
    TraceEvent,
)
from .trial import Names

When = Callable[[int], str]
_TITLES = {point.number: point.title for point in POINTS}
_RULES: Mapping[PreemptionKind, str] = {
    PreemptionKind.CROSS_SHARE: "its share was above its own limit, and the other share took back what is its own",
    PreemptionKind.IN_SHARE: "in-share preemption is on, and the other job's priority is higher",
    PreemptionKind.LIMIT_LOWERED: "its share's limit was lowered",
}


def told(trace: Iterable[TraceEvent], job: str, names: Names, when: When) -> list[str]:
    """Return one sentence per event of the job that a person wants to know of, in order."""
    return [
        f"{when(event.at_ms)}: {sentence}"
        for event in trace
        if not isinstance(event, SettingsChanged) and event.job == job and (sentence := _sentence(event, names))
    ]


def _sentence(event: TraceEvent, names: Names) -> str:
    match event:
        case Submitted(share=share, priority=priority):
            return f"submitted to {share} with priority {priority}"
        case Refused(reason=reason):
            return f"refused: {reason}"
        case Dispatched():
            return _started(event, names)
        case PreemptionStarted():
            return _preempted(event, names)
        case PreemptionCompleted(lost_ms=lost_ms) if lost_ms:
            return f"stopped; {format_duration(lost_ms)} of work lost"
        case Requeued(cause=cause, reason=reason) if cause is not RequeueCause.PREEMPTED:
            return f"waits again ({cause.value}): {reason}"
        case PriorityUpdated(priority=priority):
            return f"gets priority {priority}"
        case Blocked(reason=reason) if reason:
            return f"can't run as things are set: {reason}"
        case Succeeded():
            return "succeeded"
        case Failed(reason=reason):
            return f"failed: {reason}"
        case _:
            return ""


def _started(event: Dispatched, names: Names) -> str:
    borrowed = ", ".join(f"{count} {unit}" for unit, count in sorted(event.borrowed.items()))
    how = f"started, borrowing {borrowed}" if borrowed else "started within its share's own limit"
    if event.start is StartKind.IN_SHARE:
        how = "started by in-share preemption"
    victims = ", ".join(names.get(victim, victim) for victim in event.victims)
    return how + (f"; preempted {victims} for it" if victims else "")


def _preempted(event: PreemptionStarted, names: Names) -> str:
    by = f" by {names.get(event.by, event.by)} of {event.by_share}" if event.by else ""
    rests = "; ".join(f"{number}: {_TITLES[number]}" for number in event.assumptions if number in _TITLES)
    return f"preempted{by} ({event.kind.value}): {_RULES[event.kind]}" + (f" (rests on {rests})" if rests else "")
