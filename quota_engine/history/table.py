"""What every format is read into: rows, and a getter for each column that is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from .text import LINE_MAX, HistoryError
from .values import BadValue, LeftOut

Getter = Callable[[Any], object]
"""A row → the value of one column; None where the row has none."""

Numbered = Iterable[tuple[int, str | None]]
"""Lines of a file with their numbers; None for one that is too long to be held."""

SHOWN_MAX: Final = 20


def too_long() -> BadValue:
    return BadValue(f"the line is longer than {LINE_MAX // 1024} KiB")


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` yields (line number, row), with an exception in the place of a row that is none.

    `getter` returns what reads a column; it raises UnknownColumn where the table is known to have no such column.
    `need` reads a row's instances where the format states them as {type: count}.
    """

    rows: Iterator[tuple[int, Any | BadValue | LeftOut]]
    getter: Callable[[str], Getter]
    need: Getter | None = None


@dataclass(frozen=True, slots=True)
class UnknownColumn(Exception):
    """A column that a history doesn't have, or has twice."""

    column: str
    known: tuple[str, ...] = field(default=())
    is_double: bool = False

    def as_error(self, shown: str, place: tuple[str, ...]) -> HistoryError:
        if self.is_double:
            return HistoryError(
                f"{shown} has several columns '{self.column}'", fix="give each its own name, with header", place=place
            )
        near = get_close_matches(self.column, self.known, n=1)
        listed = ", ".join(self.known[:SHOWN_MAX]) + (", …" if len(self.known) > SHOWN_MAX else "")
        return HistoryError(
            f"{shown} has no column '{self.column}'",
            why=f"its columns are {listed}",
            fix=f"did you mean '{near[0]}'?" if near else "name one of them",
            place=place,
        )
