"""CSV and its kin: a line with the columns' names, then one job a line, divided by commas, tabs, semicolons or pipes.

Where pipes divide (`sacct -P`), quotes are letters like others. Elsewhere a field in quotes may hold the delimiter,
and go on over a few lines; a quote that never ends spoils its own line only.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from .table import Getter, Numbered, Table, UnknownColumn, too_long
from .text import HistoryError
from .values import BadValue, LeftOut

DELIMITERS: Final = (",", "|", "\t", ";")
QUOTED_LINES_MAX: Final = 20
"""Lines that a field in quotes may go on over."""


def read_delimited(lines: Numbered, shown: str, delimiter: str | None, header: Sequence[str]) -> Table:
    """Read a file whose first line names the columns, unless `header` does. Raises HistoryError for one without.

    There must be a line.
    """
    source = iter(lines)
    first = next(source)
    delimiter = delimiter or _sniffed(first[1] or "")
    names = tuple(header)
    if not names:
        names = tuple(name.strip() for name in _fields(first[1] or "", delimiter) or ())
        if len(set(names)) < 2:
            why = f"its line {first[0]} names no columns"
            raise HistoryError(
                f"can't read {shown}", why=why, fix="state header, the columns' names", place=("header",)
            )
    else:
        source = chain([first], source)
    return Table(_rows(source, delimiter, names), lambda column: _getter(names, column))


def _sniffed(line: str) -> str:
    """Return the delimiter that a line has most of; a comma where it has none."""
    return max(DELIMITERS, key=line.count)


def _getter(names: Sequence[str], column: str) -> Getter:
    if column not in names:
        raise UnknownColumn(column, tuple(name for name in names if name))
    if names.count(column) > 1:
        raise UnknownColumn(column, is_double=True)
    return itemgetter(names.index(column))


def _rows(
    source: Iterator[tuple[int, str | None]], delimiter: str, names: Sequence[str]
) -> Iterator[tuple[int, Sequence[str] | BadValue | LeftOut]]:
    ahead: deque[tuple[int, str | None]] = deque()
    header = list(names)
    while (taken := ahead.popleft() if ahead else next(source, None)) is not None:
        line_number, line = taken
        if line is None:
            yield line_number, too_long()
        elif line and not line.isspace():
            fields = _fields(line, delimiter)
            if fields is None:
                fields = _continued(line, delimiter, source, ahead)
            if fields is None:
                yield line_number, BadValue("a quote is not closed")
            elif len(fields) != len(names):
                yield line_number, BadValue(f"the line has {len(fields)} fields, the header {len(names)}")
            elif fields[0].strip() != header[0] or [name.strip() for name in fields] != header:
                yield line_number, fields


def _fields(text: str, delimiter: str) -> list[str] | None:
    """Return the fields of a record, None where a quote is not closed."""
    if delimiter == "|" or '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader((text,), delimiter=delimiter, strict=True), None)
    except csv.Error:
        return None


def _continued(
    line: str, delimiter: str, source: Iterator[tuple[int, str | None]], ahead: deque[tuple[int, str | None]]
) -> list[str] | None:
    """Return the fields of a record that goes on in the next lines; where it doesn't end, those are left `ahead`."""
    text = line
    for index in range(QUOTED_LINES_MAX):
        if index == len(ahead):
            following = next(source, None)
            if following is None:
                return None
            ahead.append(following)
        part = ahead[index][1]
        if part is None:
            return None
        text += "\n" + part
        if '"' in part and (fields := _fields(text, delimiter)) is not None:
            for _ in range(index + 1):
                ahead.popleft()
            return fields
    return None
