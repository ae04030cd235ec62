"""Trying a change: the situation, changed, goes on for one scheduling pass, and what became of one job is read off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..scheduler.advance import advance
from ..scheduler.inputs import Input
from ..scheduler.restore import Situation, Standing, restore
from ..scheduler.state import SchedulerState
from ..scheduler.status import DISPATCHED
from ..scheduler.trace import Dispatched, PreemptionStarted, TraceEvent

Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass did."""

    state: SchedulerState
    trace: tuple[TraceEvent, ...]

    def starts(self, job: str) -> bool:
        return any(isinstance(event, Dispatched) and event.job == job for event in self.trace)

    def is_preempted(self, job: str) -> bool:
        return any(isinstance(event, PreemptionStarted) and event.job == job for event in self.trace)

    @property
    def victims(self) -> list[str]:
        return [event.job for event in self.trace if isinstance(event, PreemptionStarted)]

    def borrowed_by(self, job: str) -> Mapping[str, int]:
        """Return what a job that starts borrows."""
        starts = (event for event in self.trace if isinstance(event, Dispatched) and event.job == job)
        return next((event.borrowed for event in starts), {})


def attempt(situation: Situation, inputs: Sequence[Input] = ()) -> Outcome:
    """Let one scheduling pass happen now, after the inputs."""
    state = restore(situation)
    trace: list[TraceEvent] = []
    advance(state, situation.now_ms, inputs, trace.append)
    return Outcome(state, tuple(trace))


def without(situation: Situation, jobs: Sequence[str]) -> Situation:
    """Return the situation with some jobs ended."""
    return replace(situation, jobs=tuple(one for one in situation.jobs if one.job.name not in jobs))


def with_priority(situation: Situation, job: str, priority: int) -> Situation:
    """Return the situation with one job's priority changed."""
    return _changed(situation, job, lambda one: replace(one, job=replace(one.job, priority=priority)))


def _changed(situation: Situation, job: str, change: Callable[[Standing], Standing]) -> Situation:
    return replace(situation, jobs=tuple(change(one) if one.job.name == job else one for one in situation.jobs))


def dispatched(situation: Situation) -> list[Standing]:
    """Return the jobs that hold capacity, last dispatched first."""
    holding = [one for one in situation.jobs if one.status in DISPATCHED]
    return sorted(holding, key=lambda one: (-(one.scheduled_ms or 0), one.job.name))
