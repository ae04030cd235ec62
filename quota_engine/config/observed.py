"""A CSV file of observed durations → their values. Each has a unit (`41m30s`), or its column says which it is in.

With a header, the column `duration`, `duration_s` or `duration_ms` is taken, whatever stands beside it; without one the
file has a single column of durations with units. Empty lines, and lines that begin with #, are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Final

from ..model.diagnostic import Diagnostic, Span
from ..model.durations import EXAMPLES, LONGEST_MS, parse_duration
from ..model.sampling import Empirical
from .findings import finding, too_many
from .similar import did_you_mean
from .source import Source

COLUMNS: Final = {"duration": None, "duration_s": 1000, "duration_ms": 1}
"""Name of a column → milliseconds of its unit; None where each value has its own."""
_NUMBER: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
FAULTS_MAX: Final = 20


@dataclass(slots=True)
class Observed:
    """The durations of a file, and what was wrong in it."""

    values: list[int] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def distribution(self, source: str) -> Empirical | None:
        """Return the durations as a distribution; None where something was wrong."""
        return None if self.diagnostics else Empirical(tuple(sorted(self.values)), source)


def read_observed(source: Source) -> Observed:
    """Read the durations of a file's text."""
    observed = Observed(diagnostics=list(source.diagnostics))
    if source.diagnostics:
        return observed
    lines = [
        (number, line)
        for number, line in enumerate(source.text.split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    faults = islice(_read(source.file, lines, observed.values), FAULTS_MAX + 1)
    observed.diagnostics += faults
    if len(observed.diagnostics) > FAULTS_MAX:
        observed.diagnostics[FAULTS_MAX] = too_many(observed.diagnostics[FAULTS_MAX].span)
    if not observed.values and not observed.diagnostics:
        start = Span(source.file, 1, 1, 1, 1)
        observed.diagnostics.append(finding("QE518", "the file holds no duration", span=start, fix="add some"))
    return observed


def _read(file: str, lines: list[tuple[int, str]], values: list[int]) -> Iterator[Diagnostic]:
    """Add the durations of the lines to `values`, and yield what is wrong."""
    column, unit = 0, None
    if lines and any(letter.isalpha() for letter in lines[0][1]) and parse_duration(_cell(lines[0][1], 0)) is None:
        number, line = lines.pop(0)
        names = [cell.strip().strip('"').casefold() for cell in line.split(",")]
        found = next((name for name in COLUMNS if name in names), None)
        if found is None:
            message = f"the header names no column {', '.join(COLUMNS)}"
            yield finding("QE518", message, span=_span(file, number, line), fix=did_you_mean(names[0], COLUMNS))
            return
        column, unit = names.index(found), COLUMNS[found]
    for number, line in lines:
        cell = _cell(line, column)
        value = _milliseconds(cell, unit)
        if value is None:
            message = f"'{cell[:60]}' is no duration" + ("" if unit is None else " in digits")
            fix = f"write it like {EXAMPLES}" if unit is None else "write a number that is not negative"
            yield finding("QE518", message, span=_span(file, number, line), fix=fix)
        else:
            values.append(value)


def _cell(line: str, column: int) -> str:
    """Return a value of a line, "" where the line is too short."""
    cells = line.split(",")
    return cells[column].strip().strip('"') if column < len(cells) else ""


def _milliseconds(cell: str, unit: int | None) -> int | None:
    if unit is None:
        return parse_duration(cell)
    value = int(Decimal(cell) * unit) if _NUMBER.fullmatch(cell) else None
    return value if value is not None and value <= LONGEST_MS else None


def _span(file: str, number: int, line: str) -> Span:
    return Span(file, number, 1, number, len(line) + 1)
