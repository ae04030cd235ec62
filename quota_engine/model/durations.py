"""Durations as a user writes them, `30s`, `1h30m`, `250ms`, `2d`, to integer milliseconds.

A bare number has no unit and is refused, so that seconds are never taken for minutes.
"""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_DURATION: Final = re.compile(
    r"(?:(?P<d>[0-9]{1,9})d)?(?:(?P<h>[0-9]{1,9})h)?(?:(?P<m>[0-9]{1,9})m)?"
    r"(?:(?P<s>[0-9]{1,9})s)?(?:(?P<ms>[0-9]{1,12})ms)?"
)

PATTERN: Final = r"^(?=[0-9])([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,12}ms)?$"
"""The same form as a JSON Schema pattern."""

EXAMPLES: Final = "30s, 1h30m, 250ms or 2d"
LONGEST_MS: Final = 100 * 366 * 86_400_000
"""A hundred years: longer is a slip of the pen, and times stay within 64-bit integers."""


def parse_duration(text: str) -> int | None:
    """Return the milliseconds of `text`, None where it is not a duration or longer than `LONGEST_MS`.

    Units go from large to small, each at most once.
    """
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        return None
    total = sum(int(match[unit] or 0) * factor for unit, factor in _UNITS.items())
    return total if total <= LONGEST_MS else None


def format_duration(milliseconds: int) -> str:
    """Write milliseconds the way a declaration does, `0s` for none."""
    parts = []
    for unit, factor in _UNITS.items():
        count, milliseconds = divmod(milliseconds, factor)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
