"""Jobs as rows of a picture, under a heading for each share: the data of the timeline, ready to be drawn.

A row is one unit high; row 0 is at the top. A page that draws a part of a large run lays out its rows in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...simulate import SegmentKind
from ..times import clock, rough
from ..visible import visible
from .lives import Life, Lives

NAME_MAX = 30
"""Characters of a job's name beside its row."""
TELLING_MAX = 60
"""Rows of a picture that can't be zoomed."""

Datasets = dict[str, list[dict[str, Any]]]
"""Dataset → its rows: `labels` and `heads` {row, text}, `stretches` {row, kind, from_ms, to_ms, what},
`arrows` {at_ms, row, by_row}, `changes` {at_ms, what}. A preempted job's wait has the kind "preempted"."""


def most_telling(found: Lives, most: int = TELLING_MAX) -> tuple[Life, ...]:
    """Choose jobs to draw: preempted ones with their preemptors, then borrowers, then by arrival; shown by arrival."""
    if len(found.jobs) <= most:
        return found.jobs
    involved = {name for one in found.preemptions for name in (one.job, one.by)}

    def rank(item: tuple[int, Life]) -> tuple[int, int]:
        borrows = any(stretch.kind is SegmentKind.BORROWED for stretch in item[1].stretches)
        return (0 if item[1].job in involved else 1 if borrows else 2, item[0])

    chosen = sorted(enumerate(found.jobs), key=rank)[:most]
    return tuple(life for _, life in sorted(chosen, key=lambda item: item[0]))


def laid_out(found: Lives, jobs: Sequence[Life], titles: Mapping[str, str]) -> Datasets:
    """Return the datasets of these jobs. `titles` gives each share's heading, in the order to show."""
    data: Datasets = {"labels": [], "heads": [], "stretches": []}
    rows: dict[str, int] = {}
    next_row = 0
    for share in dict.fromkeys([*titles, *(life.share for life in jobs)]):
        members = [life for life in jobs if life.share == share]
        if not members:
            continue
        data["heads"].append({"row": next_row, "text": titles.get(share, visible(share))})
        for row, life in enumerate(members, next_row + 1):
            rows[life.job] = row
            data["labels"].append({"row": row, "text": shortened(life.job)})
            data["stretches"] += _stretches(row, life)
        next_row += len(members) + 1
    data["arrows"] = [
        {"at_ms": one.at_ms, "row": rows[one.job], "by_row": rows[one.by]}
        for one in found.preemptions
        if one.job in rows and one.by in rows
    ]
    data["changes"] = [{"at_ms": one.at_ms, "what": one.what} for one in found.changes]
    return data


def _stretches(row: int, life: Life) -> list[dict[str, Any]]:
    return [
        {
            "row": row,
            "kind": one.kind.value,
            "from_ms": one.from_ms,
            "to_ms": one.to_ms,
            "what": f"{visible(life.job)}: {one.cause}, {clock(one.from_ms)} for {rough(one.to_ms - one.from_ms)}",
        }
        for one in life.stretches
    ]


def shortened(name: str) -> str:
    """Return a name as it stands beside a row."""
    shown = visible(name)
    return shown if len(shown) <= NAME_MAX else shown[: NAME_MAX - 1] + "…"


def row_count(data: Datasets) -> int:
    """Return how many rows the datasets take."""
    return len(data["heads"]) + len(data["labels"])
