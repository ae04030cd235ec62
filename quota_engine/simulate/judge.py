"""A scenario's expectations against its run: each holds, fails, or is undecided when it speaks of nothing that was.

Undecided counts as failed. What was seen is read from the trace, event by event, and from the measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..model.durations import format_duration
from ..model.work import Expectation, Scenario
from ..scheduler.trace import TraceEvent
from . import amount_judges, judges
from .judges import Judge, Judgement
from .metrics import Measures, measure
from .outcome import Run, Takers

JUDGES: Final = {**judges.JUDGES, **amount_judges.JUDGES}
"""One judge per kind of expectation."""
_STATES: Final = "state_at"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one expectation. `seen` says what was the case, with its time; `expected` what was asked for."""

    expectation: Expectation
    judgement: Judgement
    expected: str
    seen: str
    at_ms: int | None = None

    @property
    def holds(self) -> bool:
        return self.judgement is Judgement.HOLDS


class Judging:
    """A trace's sink that watches for what expectations speak of; the scenario's own expectations by default."""

    def __init__(self, scenario: Scenario, expectations: Sequence[Expectation] | None = None) -> None:
        asked = scenario.expectations if expectations is None else expectations
        self._judges = [(item, JUDGES[item.kind](item.arguments)) for item in asked]
        self._listeners: dict[type, list[Judge]] = {}
        for _, judge in self._judges:
            for kind in judge.listens:
                self._listeners.setdefault(kind, []).append(judge)

    def __call__(self, event: TraceEvent) -> None:
        for judge in self._listeners.get(type(event), ()):
            judge.take(event)

    def takers(self) -> Takers:
        """Return what takes each kind of event."""
        return {kind: tuple(judge.take for judge in judges) for kind, judges in self._listeners.items()}

    def finish(self, run: Run, measures: Measures) -> list[Verdict]:
        """Return one verdict per expectation, in their order."""
        return [Verdict(item, *_in_order(describe(item), judge.verdict(run, measures))) for item, judge in self._judges]


def _in_order(expected: str, found: tuple[Judgement, str, int | None]) -> tuple[Judgement, str, str, int | None]:
    judgement, seen, at_ms = found
    return judgement, expected, seen, at_ms


def judge(
    run: Run, expectations: Sequence[Expectation] | None = None, measures: Measures | None = None
) -> list[Verdict]:
    """Judge a run from its trace; the scenario's own expectations by default. `measures` spares measuring again."""
    judging = Judging(run.scenario, expectations)
    for event in run.trace:
        judging(event)
    return judging.finish(run, measure(run) if measures is None else measures)


def describe(item: Expectation) -> str:
    """Return an expectation as a sentence of the scenario's words."""
    if item.kind == _STATES:
        at_ms = item.arguments.get("at_ms")
        states = [
            f"{', '.join(map(str, jobs))} {name.upper()}"
            for name, jobs in item.arguments.items()
            if isinstance(jobs, list | tuple)
        ]
        return f"at {format_duration(at_ms if isinstance(at_ms, int) else 0)}: {'; '.join(states)}"
    return " ".join([item.kind.replace("_", " "), *_words(item.arguments)])


def _words(arguments: Mapping[str, object]) -> list[str]:
    words = []
    for name, value in arguments.items():
        label = name.removesuffix("_ms").replace("_", " ")
        if isinstance(value, Mapping):
            words.append(f"{label} {' '.join(_words(value))}")
        elif name.endswith("_ms") and isinstance(value, int):
            words.append(f"{label} {format_duration(value)}")
        else:
            words.append(f"{label} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}")
    return words
