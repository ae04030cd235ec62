"""A trace as lines that a person can read: at each instant one line a job, with what happened to it and why.

What belongs together is told together: a submission with its start, a preemption with the start it made room for;
of several victims each has a line of its own after that.
Everything is read from the events; nothing is computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from ..model.stack import Capacity
from ..scheduler.trace import (
    Blocked,
    ClaimLapsed,
    ClaimMade,
    Dispatched,
    Failed,
    InputIgnored,
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
from .times import rough
from .visible import visible

NAMED_MAX: Final = 4
"""Victims that their preemptor's line names."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the story. `job` is "" for what concerns the whole queue; `kind` is a kind of `style.py`, or ""."""

    at_ms: int
    job: str
    share: str
    text: str
    kind: str = ""


@dataclass(slots=True)
class _Told:
    """What is known of a job from earlier events."""

    share: str
    start: StartKind | None = None
    borrowed: Capacity = field(default_factory=dict)


@dataclass(slots=True)
class _Instant:
    """The events of one instant, by job in the order they first appear."""

    by_job: dict[str, list[TraceEvent]] = field(default_factory=dict)
    settings: list[SettingsChanged] = field(default_factory=list)
    preempted_by: dict[str, list[PreemptionStarted]] = field(default_factory=dict)
    completed: dict[str, PreemptionCompleted] = field(default_factory=dict)
    requeued: set[str] = field(default_factory=set)

    def has_one_victim(self, by: str) -> bool:
        return len(self.preempted_by.get(by, ())) == 1

    def is_told_at_once(self, job: str) -> bool:
        """Whether a job's preemption for another began and ended here, so that one line tells all of it."""
        return job in self.completed and any(
            victim.job == job for by, victims in self.preempted_by.items() if by for victim in victims
        )


def story(trace: Iterable[TraceEvent]) -> Iterator[Line]:
    """Yield the lines of a trace in its order."""
    known: dict[str, _Told] = {}
    for at_ms, events in groupby(trace, key=lambda event: event.at_ms):
        yield from _instant(at_ms, _sorted_out(events), known)


def _sorted_out(events: Iterable[TraceEvent]) -> _Instant:
    instant = _Instant()
    for event in events:
        if isinstance(event, SettingsChanged):
            instant.settings.append(event)
            continue
        if isinstance(event, PreemptionStarted):
            instant.preempted_by.setdefault(event.by, []).append(event)
            if event.by:
                instant.by_job.setdefault(event.by, [])  # the preemptor is told before its victims
        instant.by_job.setdefault(event.job, []).append(event)
        if isinstance(event, Requeued):
            instant.requeued.add(event.job)
        elif isinstance(event, PreemptionCompleted):
            instant.completed[event.job] = event
    return instant


def _instant(at_ms: int, instant: _Instant, known: dict[str, _Told]) -> Iterator[Line]:
    for change in instant.settings:
        yield Line(at_ms, "", "", f"the settings change: {visible(', '.join(change.summary))}", "note")
    for job, events in instant.by_job.items():
        for event in events:
            if isinstance(event, Submitted):
                known[job] = _Told(event.share)
        told = known.setdefault(job, _Told(""))
        parts, kind = _parts(job, events, instant, known)
        for event in events:
            _remember(told, event)
        if parts:
            yield Line(at_ms, job, told.share, "; ".join(parts), kind)


def _remember(told: _Told, event: TraceEvent) -> None:
    if isinstance(event, Dispatched):
        told.start, told.borrowed = event.start, event.borrowed
    elif isinstance(event, Refused):
        told.share = event.share


def _parts(
    job: str, events: Sequence[TraceEvent], instant: _Instant, known: Mapping[str, _Told]
) -> tuple[list[str], str]:
    """Return what is told of one job at one instant, and the kind of line it is."""
    parts: list[str] = []
    kind = ""
    moves_on = {type(event) for event in events} & {Dispatched, ClaimMade, Failed}
    for event in events:
        told = _PARTS.get(type(event))
        if told is None:
            continue
        text, event_kind = told(event, _Around(instant, known, bool(moves_on), Dispatched in moves_on))
        parts += [text] if text else []
        kind = event_kind or kind
    victims = instant.preempted_by.get(job, [])
    if victims:
        parts.append(f"preempts {_victims(victims, instant, known)}")
        kind = "warning"
    return parts, kind


@dataclass(frozen=True, slots=True)
class _Around:
    """What a sentence may need beside its event."""

    instant: _Instant
    known: Mapping[str, _Told]
    moves_on: bool
    starts: bool


_Part = tuple[str, str]


def _submitted(event: Submitted, around: _Around) -> _Part:
    what = f"{amount(event.need)}, priority {event.priority}"
    return f"submitted ({what}){'' if around.moves_on else ', waits'}", ""


def _refused(event: Refused, around: _Around) -> _Part:
    return f"refused: {visible(event.reason)}", "warning"


def _ignored(event: InputIgnored, around: _Around) -> _Part:
    return f"{visible(event.input)} has no effect: {visible(event.reason)}", "note"


def _dispatched(event: Dispatched, around: _Around) -> _Part:
    again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
    if event.start is StartKind.OWN:
        return f"starts on {visible(event.share)}'s own limit{again}", "own"
    if event.start is StartKind.BORROWED:
        return f"starts, borrowing {amount(event.borrowed)}{again}", "borrowed"
    borrowed = f", still borrowing {amount(event.borrowed)}" if event.borrowed else ""
    return f"starts by in-share preemption{borrowed}{again}", "in-share"


def _victims(victims: Sequence[PreemptionStarted], instant: _Instant, known: Mapping[str, _Told]) -> str:
    """Tell all of a single victim; of several who they are, for each has a line of its own."""
    if len(victims) == 1:
        [victim] = victims
        what = _fate(victim, instant, known.get(victim.job))
        return f"{visible(victim.job)} ({victim.kind.value})" + (f", which {_joined(what)}" if what else "")
    by_kind: dict[PreemptionKind, list[str]] = {}
    for victim in victims:
        by_kind.setdefault(victim.kind, []).append(visible(victim.job))
    return " and ".join(f"{_joined(_first(names))} ({kind.value})" for kind, names in by_kind.items())


def _first(names: Sequence[str]) -> Sequence[str]:
    return names if len(names) <= NAMED_MAX else [*names[: NAMED_MAX - 1], f"{len(names) - NAMED_MAX + 1} more"]


def _fate(event: PreemptionStarted, instant: _Instant, told: _Told | None) -> list[str]:
    """Return what becomes of a victim at this instant, and on what it ran where that is why."""
    what = []
    if event.kind is PreemptionKind.CROSS_SHARE and told is not None and told.borrowed:
        what.append("ran on borrowed capacity")
    completed = instant.completed.get(event.job)
    if completed is None:
        what.append("is being stopped")
    else:
        what += [f"loses {rough(completed.lost_ms)} of work"] if completed.lost_ms else []
        what += ["waits again"] if event.job in instant.requeued else []
    return what


def _joined(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _completed(event: PreemptionCompleted, around: _Around) -> _Part:
    if around.instant.is_told_at_once(event.job):
        return "", ""
    lost = f", losing {rough(event.lost_ms)} of work" if event.lost_ms else ""
    return f"has stopped{f' for {visible(event.by)}' if event.by else ''}{lost}", "warning"


def _preempted(event: PreemptionStarted, around: _Around) -> _Part:
    """A single victim is told with the job that the room is for; one of several, or for no job, by itself."""
    if around.instant.has_one_victim(event.by) and event.by:
        return "", ""
    whom = f" for {visible(event.by)}" if event.by else ""
    what = _fate(event, around.instant, around.known.get(event.job)) if event.by else []
    return f"is preempted{whom} ({event.kind.value})" + (f": {_joined(what)}" if what else ""), "warning"


def _requeued(event: Requeued, around: _Around) -> _Part:
    if event.cause is RequeueCause.PREEMPTED:
        return "" if around.starts or around.instant.is_told_at_once(event.job) else "waits again", ""
    lost = f", losing {rough(event.lost_ms)} of work" if event.lost_ms else ""
    if event.cause is RequeueCause.CAPACITY_ERROR:
        return f"finds no capacity at SageMaker, waits again: {visible(event.reason)}", "warning"
    return f"fails{lost}, waits to be tried again: {visible(event.reason)}", "warning"


def _succeeded(event: Succeeded, around: _Around) -> _Part:
    return "ends", "good"


def _failed(event: Failed, around: _Around) -> _Part:
    return f"{'is terminated' if event.terminated else 'fails'}: {visible(event.reason)}", "bad"


def _priority(event: PriorityUpdated, around: _Around) -> _Part:
    return f"gets priority {event.priority}", ""


def _blocked(event: Blocked, around: _Around) -> _Part:
    if not event.reason:
        return "can run again as things are set", "note"
    return f"is stuck at the head of {visible(event.share)}: {visible(event.reason)}", "warning"


def _claim(event: ClaimMade, around: _Around) -> _Part:
    return f"waits for {amount(event.need)} to be freed", ""


def _lapsed(event: ClaimLapsed, around: _Around) -> _Part:
    return "gives up its claim", ""


_PARTS: Mapping[type, Callable[..., _Part]] = {
    Submitted: _submitted,
    Refused: _refused,
    InputIgnored: _ignored,
    PriorityUpdated: _priority,
    Blocked: _blocked,
    ClaimMade: _claim,
    ClaimLapsed: _lapsed,
    PreemptionStarted: _preempted,
    PreemptionCompleted: _completed,
    Requeued: _requeued,
    Dispatched: _dispatched,
    Succeeded: _succeeded,
    Failed: _failed,
}
"""Event → what is told of it; Starting and Running are not, a start says it all."""


def amount(capacity: Capacity) -> str:
    """Return {unit: instances} as words."""
    return " and ".join(f"{capacity[unit]} {visible(unit)}" for unit in sorted(capacity)) or "nothing"
