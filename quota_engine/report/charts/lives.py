"""Each job's life for the pictures: its stretches of time with the cause of each, and who preempted whom.

Read from the trace; the segments are `simulate.timelines`' own. Causes are few different texts for many jobs: names of
jobs are not in them, they stand in the preemptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...scheduler.trace import (
    Blocked,
    Dispatched,
    PreemptionCompleted,
    PreemptionStarted,
    RequeueCause,
    Requeued,
    SettingsChanged,
    StartKind,
    Submitted,
    TraceEvent,
)
from ...simulate import JobTimeline, Run, Segment, SegmentKind, timelines
from ..story import amount
from ..times import clock
from ..visible import visible

WAITS = "waits for room"
_WAITING = (SegmentKind.WAITING, SegmentKind.PREEMPTED)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One segment with its cause in words."""

    kind: SegmentKind
    from_ms: int
    to_ms: int
    cause: str


@dataclass(frozen=True, slots=True)
class Life:
    """One job; `need` in words, `end` its status at the end of the run."""

    job: str
    share: str
    need: str
    end: str
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class Preemption:
    """Who made way for whom; `by` is "" for a preemption for no job. `lost_ms` is RUNNING time discarded."""

    at_ms: int
    job: str
    by: str
    kind: str
    lost_ms: int


@dataclass(frozen=True, slots=True)
class Change:
    """Settings or capacity that changed after the run began, in words."""

    at_ms: int
    what: str


@dataclass(frozen=True, slots=True)
class Lives:
    """All of a run, jobs in order of arrival, preemptions and changes in order of time."""

    jobs: tuple[Life, ...]
    preemptions: tuple[Preemption, ...]
    changes: tuple[Change, ...] = ()


def lives(run: Run) -> Lives:
    """Return every job's life."""
    causes = _Causes()
    for event in run.trace:
        causes.take_in(event)
    jobs = tuple(_life(line, causes) for line in timelines(run.trace, run.end_ms))
    changes = (event for event in run.trace if isinstance(event, SettingsChanged) and event.at_ms > 0)
    return Lives(jobs, tuple(_preemptions(run.trace)), tuple(Change(one.at_ms, _change(one)) for one in changes))


def _change(event: SettingsChanged) -> str:
    return f"{clock(event.at_ms)} the settings change: {visible(', '.join(event.summary))}"


class _Causes:
    """The causes of starts and of waits, by (job, from_ms). The last word of an instant counts."""

    def __init__(self) -> None:
        self.starts: dict[tuple[str, int], str] = {}
        self.waits: dict[tuple[str, int], str] = {}
        self.waits_since: dict[str, int] = {}

    def take_in(self, event: TraceEvent) -> None:
        match event:
            case Submitted():
                self.waits_since[event.job] = event.at_ms
            case Dispatched():
                self.starts[event.job, event.at_ms] = _start(event)
                self.waits_since.pop(event.job, None)
            case Requeued():
                self.waits[event.job, event.at_ms] = _requeue(event)
                self.waits_since[event.job] = event.at_ms
            case Blocked(reason=reason) if reason:
                since_ms = self.waits_since.get(event.job, event.at_ms)
                self.waits[event.job, since_ms] = f"blocked: {visible(reason)}"
            case _:
                pass

    def of(self, job: str, segment: Segment) -> str:
        key = (job, segment.from_ms)
        return self.waits.get(key, WAITS) if segment.kind in _WAITING else self.starts[key]


def _life(line: JobTimeline, causes: _Causes) -> Life:
    stretches = tuple(Stretch(one.kind, one.from_ms, one.to_ms, causes.of(line.job, one)) for one in line.segments)
    return Life(line.job, line.share, amount(line.need), line.end.value, stretches)


def _start(event: Dispatched) -> str:
    rests = f" (rests on {', '.join(event.assumptions)})" if event.assumptions else ""
    again = f", attempt {event.attempt}" if event.attempt > 1 else ""
    if event.start is StartKind.OWN:
        return f"on its share's own limit{again}{rests}"
    if event.start is StartKind.BORROWED:
        own = f", {amount(event.own)} within its share's own limit" if event.own else ""
        return f"borrows {amount(event.borrowed)}{own}{again}{rests}"
    borrowed = f", still borrowing {amount(event.borrowed)}" if event.borrowed else ""
    return f"started by in-share preemption{borrowed}{again}{rests}"


def _requeue(event: Requeued) -> str:
    if event.cause is RequeueCause.PREEMPTED:
        return "preempted, waits again"
    if event.cause is RequeueCause.CAPACITY_ERROR:
        return f"no capacity at SageMaker, waits again: {visible(event.reason)}"
    return f"failed, waits to be tried again: {visible(event.reason)}"


def _preemptions(trace: Iterable[TraceEvent]) -> list[Preemption]:
    """Return the preemptions as they began; what one cost is known when its victim has stopped."""
    found: list[PreemptionStarted] = []
    lost: dict[int, int] = {}
    open_: dict[str, int] = {}
    for event in trace:
        if isinstance(event, PreemptionStarted):
            open_[event.job] = len(found)
            found.append(event)
        elif isinstance(event, PreemptionCompleted) and event.job in open_:
            lost[open_.pop(event.job)] = event.lost_ms
    return [
        Preemption(event.at_ms, event.job, event.by, event.kind.value, lost.get(index, 0))
        for index, event in enumerate(found)
    ]
