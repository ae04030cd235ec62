"""What deploying does after its instant, with jobs that end: once for each set of durations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..scheduler.inputs import Input
from ..scheduler.restore import Situation
from .durations import Durations, lasting
from .play import Names, hits_of, play, starts_of
from .result import Hit, Start

Happening = TypeVar("Happening", Hit, Start)


@dataclass(frozen=True, slots=True)
class Later:
    """`hits` and `starts` of the run in the middle, and those of the other runs alone."""

    hits: tuple[Hit, ...] = ()
    starts: tuple[Start, ...] = ()
    possible_hits: tuple[Hit, ...] = ()
    possible_starts: tuple[Start, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outlook:
    """Whom the change hits and who starts if jobs last as one set of durations says, each by job."""

    hits: dict[str, Hit]
    starts: dict[str, Start]
    is_complete: bool


def look_ahead(
    situation: Situation, change: Sequence[Input], end_ms: int, names: Names, runs: Sequence[Durations]
) -> Later:
    """Let the queue go on until `end_ms`, with and without the change, under each set of durations."""
    outlooks = [_outlook(lasting(situation, durations), change, end_ms, names) for durations in runs]
    hits, possible_hits = _merged([one.hits for one in outlooks])
    starts, possible_starts = _merged([one.starts for one in outlooks])
    is_complete = all(one.is_complete for one in outlooks)
    doubts = () if is_complete else ("jobs preempt one another without end: cut off",)
    return Later(hits, starts, possible_hits, possible_starts, doubts)


def _outlook(situation: Situation, change: Sequence[Input], end_ms: int, names: Names) -> _Outlook:
    same, after = play(situation, (), end_ms), play(situation, change, end_ms)
    anyway = hits_of(situation, same.trace, names)
    hits = {job: hit for job, hit in hits_of(situation, after.trace, names).items() if job not in anyway}
    return _Outlook(hits, starts_of(situation, after.trace, names), same.is_complete and after.is_complete)


def _merged(runs: Sequence[dict[str, Happening]]) -> tuple[tuple[Happening, ...], tuple[Happening, ...]]:
    """Return what happens in the run in the middle, and what only in others; each knows when it would in every run."""
    middle = runs[len(runs) // 2]
    others = {job: one for run in runs for job, one in run.items() if job not in middle}
    if len(runs) == 1:
        return tuple(middle.values()), ()
    return _spread(middle, runs), _spread(others, runs)


def _spread(found: dict[str, Happening], runs: Sequence[dict[str, Happening]]) -> tuple[Happening, ...]:
    return tuple(
        replace(one, spread_ms=tuple(run[job].after_ms if job in run else None for run in runs))
        for job, one in found.items()
    )
