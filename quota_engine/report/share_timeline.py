"""Each share over time, drawn with characters: a row each for its own limit, what it borrows, what waits, preemptions.

For runs of more jobs than anybody looks at one by one. Readable without colour, and with ASCII alone. A height is the
part of the own limit in use, of what is borrowed or waits the part of the most at once; whatever is there is seen, and
the full height is reached only by all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..simulate.loads import Loads, ShareLoad
from .gantt import ASCII, COLUMNS_MIN, UNICODE, axis
from .style import Style, plain
from .visible import visible

HEIGHTS: Final = "▁▂▃▄▅▆▇█"
ASCII_HEIGHTS: Final = ".:-=+*%#"
LABEL: Final = len("  preempted  ")
NOTE: Final = len("  most 1000 of 1000")
_MANY: Final = "+"
"""More than nine preemptions."""


def draw(
    loads: Loads,
    end_ms: int,
    *,
    width: int = 100,
    ascii_only: bool = False,
    titles: Mapping[str, str] | None = None,
    style: Style = plain,
) -> list[str]:
    """Return the lines of the picture; `titles` gives each share's heading. Shares without jobs have no rows."""
    columns = max(COLUMNS_MIN, width - LABEL - NOTE)
    heights = ASCII_HEIGHTS if ascii_only else HEIGHTS
    found: list[str] = []
    for load in loads.over(end_ms, columns):
        rows = list(_rows(load, end_ms, heights, style))
        title = (titles or {}).get(load.share, visible(load.share))
        found.append(style(title, "bold") + ("" if rows else "; no jobs"))
        found += rows
    if not found:
        return []
    legend = f"  {heights[0]} to {heights[-1]}: of the own limit, else of the most at once   1-9, {_MANY}: preemptions"
    return [*found, *axis(end_ms, columns, LABEL, ASCII if ascii_only else UNICODE), legend]


def _rows(load: ShareLoad, end_ms: int, heights: str, style: Style) -> Iterator[str]:
    scale = load.nominal or load.most_own
    amounts = (
        ("own", load.own, scale, "own", f"most {load.most_own} of {load.nominal}"),
        ("borrowed", load.borrowed, load.most_borrowed, "borrowed", f"most {load.most_borrowed}"),
        ("waiting", load.waiting, load.most_waiting, "dim", f"most {load.most_waiting}"),
    )
    for label, parts, most, kind, note in amounts:
        if any(parts):
            row = "".join(_height(part * len(parts), most * end_ms, heights) for part in parts)
            yield f"  {label:<{LABEL - 2}}{style(row, kind)}  {note}"
    total = sum(load.preempted)
    if total:
        row = "".join(map(_digit, load.preempted))
        yield f"  {'preempted':<{LABEL - 2}}{style(row, 'bad')}  {total}"


def _height(amount: int, most: int, heights: str) -> str:
    """Return the character for a part of the most: the nearest; the least for anything, the full one for all of it.

    All of it but for a thousandth, since what lies in a bin across the border of two columns is divided by time.
    """
    if not amount:
        return " "
    if amount * 1_000 >= most * 999:
        return heights[-1]
    level = (2 * amount * len(heights) + most) // (2 * most)
    return heights[min(max(level, 1), len(heights) - 1) - 1]


def _digit(count: int) -> str:
    return " " if not count else str(count) if count < 10 else _MANY
