"""Lines that can't be used: counted, by reason, with the first line numbers of each, however many there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

REASONS_MAX: Final = 50
"""Reasons kept apart; of a file of nonsense every line has its own."""

LINES_SHOWN: Final = 5
OTHER: Final = "other reasons"


@dataclass(frozen=True, slots=True)
class BadLines:
    """So many lines for one reason; `first` are the numbers of the first of them."""

    reason: str
    count: int
    first: tuple[int, ...]

    def __str__(self) -> str:
        listed = ", ".join(map(str, self.first))
        if self.count == 1:
            return f"line {listed}: {self.reason}"
        rest = self.count - len(self.first)
        return f"lines {listed}{f' and {rest:,} more' if rest else ''}: {self.reason}"


@dataclass(slots=True)
class BadCount:
    """Counts while a file is read."""

    total: int = 0
    _counts: dict[str, int] = field(default_factory=dict)
    _first: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, bad: Iterable[BadLines]) -> BadCount:
        """Go on counting where others left off."""
        bad = list(bad)
        counts = {one.reason: one.count for one in bad}
        return cls(sum(counts.values()), counts, {one.reason: list(one.first) for one in bad})

    def add(self, line: int, reason: str) -> None:
        self.total += 1
        if reason not in self._counts and len(self._counts) >= REASONS_MAX:
            reason = OTHER
        self._counts[reason] = self._counts.get(reason, 0) + 1
        first = self._first.setdefault(reason, [])
        if len(first) < LINES_SHOWN:
            first.append(line)

    def by_reason(self) -> tuple[BadLines, ...]:
        """Return the reasons in the order of their first line."""
        found = (BadLines(reason, count, tuple(self._first[reason])) for reason, count in self._counts.items())
        return tuple(sorted(found, key=lambda one: one.first))
