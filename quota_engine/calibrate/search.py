"""Which assumptions explain a record: the same work under each other value, and the values that predict more of it.

Values are adopted one at a time, the best first, for as long as each predicts more than before; so two assumptions that
only together explain something are not found. A value that predicts just as much is not told apart by the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..model.stack import Stack
from ..model.work import Scenario, Timing
from ..scheduler.assumptions import TRIED, Assumptions
from ..scheduler.points import POINTS
from ..simulate import run
from .decisions import Decision, Score, ShareError, decisions, score, share_errors
from .record import Record
from .scenario import scenario_of

Progress = Callable[[int, int], None]
"""Told (runs made, runs to make at least) after each run."""

_TIMING = "timing.stopping"
"""Taken from the record, not tried."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One other value of one assumption, alone: its number, switch and value, and how well it predicts the record."""

    number: str
    switch: str
    value: str
    score: Score


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well the model explains a record.

    `found`, `score` and `shares` are under the assumptions asked for. `adopted` are the alternatives that together
    predict most, each with the score reached with it and those before it; `best` is the last of these scores.
    `better`, `same` and `worse` sort all alternatives, tried alone, by how much they predict.
    """

    record: Record
    stack: str
    timing: Timing
    tolerance_ms: int
    assumptions: Mapping[str, object]
    found: tuple[Decision, ...]
    score: Score
    shares: tuple[ShareError, ...]
    better: tuple[Alternative, ...]
    same: tuple[Alternative, ...]
    worse: tuple[Alternative, ...]
    adopted: tuple[Alternative, ...]
    best: Score


def calibrate(
    record: Record,
    stack: Stack,
    tolerance_ms: int,
    assumptions: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Compare a record with the model. Raises ValueError where the record is none of this declaration's queue."""
    scenario = scenario_of(record, stack, assumptions or {})
    trial = _Trial(record, tolerance_ms, progress, sum(1 for _ in _others(scenario)) + 1)
    found = trial.decisions(scenario)
    base = score(found)
    alone = [(one, trial.score(one)) for one in _others(scenario)]
    adopted = tuple(_adopt(trial, scenario, base, alone))
    told = [_alternative(one, one_score) for one, one_score in alone]
    return Calibration(
        record=record,
        stack=stack.name,
        timing=scenario.timing,
        tolerance_ms=tolerance_ms,
        assumptions=Assumptions.of(scenario.assumptions).changed(),
        found=tuple(found),
        score=base,
        shares=share_errors(found, list(stack.job_queues[record.queue].quota_shares)),
        better=tuple(sorted((one for one in told if one.score.wrong < base.wrong), key=_best_first)),
        same=tuple(one for one in told if one.score.wrong == base.wrong),
        worse=tuple(one for one in told if one.score.wrong > base.wrong),
        adopted=adopted,
        best=adopted[-1].score if adopted else base,
    )


def _best_first(one: Alternative) -> int:
    return one.score.wrong


@dataclass(frozen=True, slots=True)
class _Other:
    number: str
    switch: str
    value: str
    scenario: Scenario


@dataclass(slots=True)
class _Trial:
    """Runs scenarios against the record and counts them."""

    record: Record
    tolerance_ms: int
    progress: Progress | None
    total: int
    made: int = 0

    def decisions(self, scenario: Scenario) -> list[Decision]:
        found = decisions(self.record, run(scenario).trace, self.tolerance_ms)
        self.made += 1
        if self.progress is not None:
            self.progress(self.made, max(self.total, self.made))
        return found

    def score(self, other: _Other) -> Score:
        return score(self.decisions(other.scenario))


def _others(scenario: Scenario) -> Iterator[_Other]:
    """Yield each value of each switch but the scenario's own, by the points' numbers."""
    own = Assumptions.of(scenario.assumptions)
    for point in POINTS:
        for value in TRIED.get(point.switch or "", ()) if point.switch != _TIMING else ():
            changed = replace(scenario, assumptions={**scenario.assumptions, str(point.switch): value})
            if Assumptions.of(changed.assumptions) != own:
                yield _Other(point.number, str(point.switch), value, changed)


def _adopt(trial: _Trial, scenario: Scenario, base: Score, alone: list[tuple[_Other, Score]]) -> Iterator[Alternative]:
    """Yield the values to adopt, the best first, until none predicts more."""
    reached, tried = base, alone
    settled: set[str] = set()
    while tried:
        other, best = min(tried, key=lambda one: one[1].wrong)
        if best.wrong >= reached.wrong:
            return
        yield _alternative(other, best)
        reached = best
        if not reached.wrong:
            return
        settled.add(other.switch)
        tried = [(one, trial.score(one)) for one in _others(other.scenario) if one.switch not in settled]


def _alternative(other: _Other, found: Score) -> Alternative:
    return Alternative(other.number, other.switch, other.value, found)
