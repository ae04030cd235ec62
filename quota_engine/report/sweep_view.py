"""What text and Markdown show of a sweep: the same tables, one for the whole queue and one for each share.

A row is a combination, so that one reads down a column what a value does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..sweep.intervals import CONFIDENCE_PERCENT, Estimate
from ..sweep.summary import Group, Summary
from .times import rough
from .visible import counted

_HOUR_MS = 3_600_000
_MINUTE_MS = 60_000
_SECONDS_TO_MS = 600_000
"""Durations from here on are told in whole minutes."""
MISSING: Final = "-"


def duration(ms: float) -> str:
    """Return a duration, from ten minutes on without seconds."""
    whole = round(ms / _MINUTE_MS) * _MINUTE_MS if ms >= _SECONDS_TO_MS else round(ms)
    return rough(whole)


def _count(value: float) -> str:
    return f"{value:,.1f}"


def _hours(instance_ms: float) -> str:
    return f"{instance_ms / _HOUR_MS:,.1f}"


def _percent(ratio: float) -> str:
    return f"{ratio * 100:.1f} %"


FIELDS: Final[dict[str, tuple[str, Callable[[float], str]]]] = {
    "wait_p50_ms": ("wait p50", duration),
    "wait_p95_ms": ("wait p95", duration),
    "preemptions": ("preempted", _count),
    "lost_instance_ms": ("lost", _hours),
    "borrowed_instance_ms": ("borrowed", _hours),
    "utilisation_ratio": ("utilisation", _percent),
    "unfinished_jobs": ("unfinished", _count),
}
"""{measure: (column's title, how a value is written)}, what a summary shows."""


@dataclass(frozen=True, slots=True)
class Section:
    """One table: `title`, the columns' titles, and rows of cells; the first `keys` columns say what was chosen."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sections(summary: Summary) -> list[Section]:
    """Return the tables: all shares together, then each share in declared order."""
    seeds = len(summary.swept.plan.seeds)
    axes = [axis.name for axis in summary.swept.plan.axes]
    header = (*axes, *(title for title, _ in FIELDS.values()))
    of_share: dict[str | None, list[tuple[str, ...]]] = {}
    for group in summary.groups:
        chosen = (choice.value for choice in group.combination)
        of_share.setdefault(group.share, []).append((*chosen, *_cells(group, seeds)))
    return [Section("All shares" if s is None else s, header, tuple(rows)) for s, rows in of_share.items()]


def _cells(group: Group, seeds: int) -> list[str]:
    return [_cell(group.estimates[name], write, seeds) for name, (_, write) in FIELDS.items()]


def _cell(found: Estimate | None, write: Callable[[float], str], seeds: int) -> str:
    """Return "12m ± 2m", the mean alone where no seed differs; a star where some of the seeds had no value."""
    if found is None:
        return MISSING
    star = "*" if found.count < seeds else ""
    if not found.half_width:
        return write(found.mean) + star
    return f"{write(found.mean)} ± {write(found.half_width)}{star}"


def heading(summary: Summary) -> str:
    """Return e.g. "64 runs: 4 combinations x 16 seeds"."""
    return sizes(len(summary.swept.plan.combinations), len(summary.swept.plan.seeds))


def sizes(combinations: int, seeds: int) -> str:
    """Return how many runs there are, and of what."""
    runs = counted(combinations * seeds, "run")
    return f"{runs}: {counted(combinations, 'combination')} x {counted(seeds, 'seed')}"


def method(summary: Summary) -> str:
    """Say what the figures are."""
    seeds = len(summary.swept.plan.seeds)
    figures = "lost work and borrowed in instance-hours"
    if seeds == 1:
        return f"One seed: the figures of single runs, with no interval; {figures}."
    return (
        f"Means over {seeds} seeds ± half the {CONFIDENCE_PERCENT} % confidence interval of the mean (Student's t, "
        f"{counted(seeds - 1, 'degree')} of freedom), without it where all seeds agree; {figures}."
    )


def notes(summary: Summary) -> list[str]:
    """Return what a reader has to know of these runs, a sentence each."""
    seeds = len(summary.swept.plan.seeds)
    found = []
    if any(e is not None and e.count < seeds for g in summary.groups for e in g.estimates.values()):
        found.append("* Some seeds have no such value (no job started); the mean is that of the others.")
    if summary.same:
        found.append("Every seed gave the same results: nothing in this scenario is random.")
    if summary.cut_off:
        jobs = "its jobs" if summary.cut_off == 1 else "their jobs"
        found.append(f"{counted(summary.cut_off, 'run')} cut off: {jobs} preempted one another without end.")
    return found
