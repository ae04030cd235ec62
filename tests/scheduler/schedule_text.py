"""A schedule case's trace as a person writes it: a line per happening, what belongs together in one line.

`TIME JOB what`, times as in a scenario. A dispatch whose phases take no time reads `runs`; a preemption that takes no
time is one line, with the way back in it. Settings changes have `-` in the job's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quota_engine.model.durations import format_duration
from quota_engine.model.stack import Capacity
from quota_engine.scheduler.trace import (
    Blocked,
    ClaimLapsed,
    ClaimMade,
    Dispatched,
    Failed,
    InputIgnored,
    PreemptionCompleted,
    PreemptionStarted,
    PriorityUpdated,
    Refused,
    RequeueCause,
    Requeued,
    Running,
    SettingsChanged,
    Starting,
    StartKind,
    Submitted,
    Succeeded,
    TraceEvent,
)


def trace_lines(trace: Sequence[TraceEvent]) -> list[str]:
    """Return the lines of a trace."""
    lines: list[str] = []
    at = 0
    while at < len(trace):
        text, used = _happening(trace[at : at + 3])
        event = trace[at]
        job = "-" if isinstance(event, SettingsChanged) else event.job
        lines.append(f"{format_duration(event.at_ms)} {job} {text}")
        at += used
    return lines


def _happening(ahead: Sequence[TraceEvent]) -> tuple[str, int]:
    """Return what the first event, with those that belong to it, reads like, and how many events that were."""
    event = ahead[0]
    match event:
        case Dispatched():
            return _dispatched(event, ahead)
        case PreemptionStarted():
            return _preempted(event, ahead)
        case PreemptionCompleted():
            again = len(ahead) > 1 and _is_return(ahead[1], event)
            return f"stopped ({_toll(event)}){', waits again' if again else ''}", 2 if again else 1
        case _:
            return _single(event), 1


def _dispatched(event: Dispatched, ahead: Sequence[TraceEvent]) -> tuple[str, int]:
    at_once = list(ahead[1:]) == [Starting(event.at_ms, event.job), Running(event.at_ms, event.job)]
    parts = list(_parts(event))
    words = ["runs" if at_once else "dispatched", event.start.value, *([f"({' + '.join(parts)})"] if parts else [])]
    if event.victims:
        words.append(f"over {', '.join(event.victims)}")
    return " ".join(words), 3 if at_once else 1


def _parts(event: Dispatched) -> Iterator[str]:
    """Yield the amounts, where the kind of start does not say them."""
    if (event.start is StartKind.BORROWED and event.own) or (event.start is StartKind.IN_SHARE and event.borrowed):
        if event.own:
            yield f"own {_amounts(event.own)}"
        yield f"borrowed {_amounts(event.borrowed)}"


def _amounts(amounts: Capacity) -> str:
    return ", ".join(f"{count} {unit}" for unit, count in amounts.items())


def _preempted(event: PreemptionStarted, ahead: Sequence[TraceEvent]) -> tuple[str, int]:
    by = f" by {event.by}" if event.by else ""
    done = ahead[1] if len(ahead) > 1 else None
    if not isinstance(done, PreemptionCompleted) or done.job != event.job or done.at_ms != event.at_ms:
        return f"stopping {event.kind.value}{by}", 1
    again = len(ahead) > 2 and _is_return(ahead[2], done)
    text = f"preempted {event.kind.value}{by} ({_toll(done)}){', waits again' if again else ''}"
    return text, 3 if again else 2


def _is_return(event: TraceEvent, done: PreemptionCompleted) -> bool:
    return isinstance(event, Requeued) and event.job == done.job and event.cause is RequeueCause.PREEMPTED


def _toll(event: PreemptionCompleted) -> str:
    lost = f", lost {format_duration(event.lost_ms)}" if event.lost_ms else ""
    return f"#{event.preempted_count}{lost}"


def _single(event: TraceEvent) -> str:
    match event:
        case Submitted():
            return "submitted"
        case Refused(reason=reason):
            return f"refused: {reason}"
        case InputIgnored(input=name, reason=reason):
            return f"ignores {name}: {reason}"
        case Starting():
            return "starting"
        case Running():
            return "running"
        case Requeued(cause=cause, reason=reason, lost_ms=lost_ms):
            lost = f", lost {format_duration(lost_ms)}" if lost_ms else ""
            return f"waits again ({cause.value}{lost}): {reason}"
        case Succeeded():
            return "succeeded"
        case Failed(reason=reason, terminated=terminated):
            return f"{'terminated' if terminated else 'failed'}: {reason}"
        case PriorityUpdated(priority=priority):
            return f"priority {priority}"
        case Blocked(reason=reason):
            return f"blocked: {reason}" if reason else "unblocked"
        case ClaimMade(victims=victims):
            return f"claims the room of {', '.join(victims)}"
        case ClaimLapsed():
            return "claim lapses"
        case SettingsChanged(summary=summary):
            return f"settings: {', '.join(summary)}"
        case _:
            raise AssertionError(f"no words for {event!r}")
