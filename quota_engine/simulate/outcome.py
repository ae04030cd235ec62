"""What a run gives: the trace, every job's record, what is left over and why, and the sequence of starts.

`sequence` is what two runs of the same work are compared by, a simulation's and the emulator's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..model.work import Scenario
from ..scheduler.assumptions import Assumptions
from ..scheduler.state import JobRecord
from ..scheduler.trace import Dispatched, PreemptionStarted, Refused, Sink, TraceEvent

PREEMPTED = "preempted"

Takers = Mapping[type[TraceEvent], Sequence[Sink]]
"""Kind of event → what takes it; a kind that is not in it goes unheeded."""


@runtime_checkable
class Listener(Protocol):
    """Something that takes some kinds of events only."""

    def takers(self) -> Takers: ...


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A job that had not ended when the run did. `can_run` is False for one that never can as things are set."""

    job: str
    share: str
    status: str
    reason: str
    can_run: bool


@dataclass(frozen=True, slots=True)
class Run:
    """A scenario's run. `end_ms` is the last instant at which anything happened, or `until` where that came first.

    `records` are the scheduler's own, by job, in order of arrival; `refused` the jobs that were never taken.
    `stopped_because` is "" but where the run was cut off because it would not end. `rests_on` are the assumptions that
    decided something.
    """

    scenario: Scenario
    assumptions: Assumptions
    trace: tuple[TraceEvent, ...]
    records: Mapping[str, JobRecord]
    end_ms: int
    unfinished: tuple[Unfinished, ...]
    refused: tuple[Refused, ...]
    stopped_because: str = ""
    rests_on: tuple[str, ...] = ()

    @property
    def is_traced(self) -> bool:
        """Whether the trace was kept: of many jobs it is not, and only what was counted on the way is known."""
        return bool(self.trace) or not (self.records or self.refused)


@dataclass(frozen=True, slots=True)
class Start:
    """One line of a sequence: `how` is own, borrowed or in-share for a start, or preempted; `by` the preemptor."""

    job: str
    how: str
    by: str = ""


def sequence(trace: Iterable[TraceEvent]) -> list[Start]:
    """Return the starts and preemptions of a trace, in order."""
    starts = []
    for event in trace:
        match event:
            case Dispatched(job=job, start=start):
                starts.append(Start(job, start.value))
            case PreemptionStarted(job=job, by=by):
                starts.append(Start(job, PREEMPTED, by))
            case _:
                pass
    return starts
