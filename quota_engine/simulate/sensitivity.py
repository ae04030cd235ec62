"""What a run rests on: the same scenario under each other value of each assumption, and what would be different.

Runs are compared job by job, so an instant's events in another order are no difference unless something follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..model.durations import parse_duration
from ..model.work import Expectation, Scenario
from ..scheduler.assumptions import TRIED, Assumptions
from ..scheduler.points import POINTS
from ..scheduler.trace import SettingsChanged, TraceEvent
from .judge import Verdict, judge
from .outcome import Run
from .run import run

STOPPING: Final = "timing.stopping"
_NUMBERS: Final = {point.switch: point.number for point in POINTS if point.switch in TRIED}


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first thing of a job that differs: what happens as simulated (`here`) and otherwise; None for nothing."""

    at_ms: int
    job: str
    here: TraceEvent | None
    otherwise: TraceEvent | None


@dataclass(frozen=True, slots=True)
class Turned:
    """An expectation that is judged differently under the other value; `seen` is what is seen then."""

    expectation: Expectation
    expected: str
    held: bool
    holds: bool
    seen: str


@dataclass(frozen=True, slots=True)
class Tried:
    """One other value of one assumption. `first` is None where the run stays as it is.

    `number` is the point's (A-11), `switch` and `value` as a user writes them; `jobs` counts the jobs whose course
    changes, `stopped_because` says why the other run was cut off, "" when it came to its end.
    """

    number: str
    switch: str
    value: str
    first: Divergence | None = None
    jobs: int = 0
    turned: tuple[Turned, ...] = ()
    stopped_because: str = ""


def sensitivity(outcome: Run) -> tuple[Tried, ...]:
    """Run the scenario again under each other value; in the order of the points' numbers, then of the values."""
    verdicts = judge(outcome)
    courses = _courses(outcome.trace)
    return tuple(
        _try(switch, value, scenario, courses, verdicts) for switch, value, scenario in _others(outcome.scenario)
    )


def _others(scenario: Scenario) -> Iterator[tuple[str, str, Scenario]]:
    """Yield (switch, value, scenario) for each value but the scenario's own."""
    own = Assumptions.of(scenario.assumptions)
    for switch in sorted(TRIED, key=lambda switch: _NUMBERS[switch]):
        for value in TRIED[switch]:
            if switch == STOPPING:
                other = replace(scenario, timing=replace(scenario.timing, stopping_ms=parse_duration(value) or 0))
                same = other.timing == scenario.timing
            else:
                other = replace(scenario, assumptions={**scenario.assumptions, switch: value})
                same = Assumptions.of(other.assumptions) == own
            if not same:
                yield switch, value, other


def _try(
    switch: str,
    value: str,
    scenario: Scenario,
    courses: Mapping[str, Sequence[TraceEvent]],
    verdicts: Sequence[Verdict],
) -> Tried:
    other = run(scenario)
    found = list(_divergences(courses, _courses(other.trace)))
    if not found:
        return Tried(_NUMBERS[switch], switch, value)
    first = min(found, key=lambda divergence: divergence.at_ms)
    turned = tuple(
        Turned(before.expectation, before.expected, before.holds, after.holds, after.seen)
        for before, after in zip(verdicts, judge(other), strict=True)
        if before.holds != after.holds
    )
    return Tried(_NUMBERS[switch], switch, value, first, len(found), turned, other.stopped_because)


def _courses(trace: Sequence[TraceEvent]) -> dict[str, list[TraceEvent]]:
    """Return each job's own events, jobs in the order in which they first appear."""
    courses: dict[str, list[TraceEvent]] = {}
    for event in trace:
        if not isinstance(event, SettingsChanged):
            courses.setdefault(event.job, []).append(event)
    return courses


def _divergences(
    here: Mapping[str, Sequence[TraceEvent]], otherwise: Mapping[str, Sequence[TraceEvent]]
) -> Iterator[Divergence]:
    """Yield the first difference of each job that has one."""
    for job in dict.fromkeys([*here, *otherwise]):
        left, right = here.get(job, ()), otherwise.get(job, ())
        if left == right:
            continue
        index = next(
            (number for number, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
            min(len(left), len(right)),
        )
        one = left[index] if index < len(left) else None
        other = right[index] if index < len(right) else None
        yield Divergence(min(event.at_ms for event in (one, other) if event is not None), job, one, other)
