"""Durations as users write them in tags, hyperparameters and clock requests: 30s, 1h30m, 250ms, 2d, forever.

The grammar is the declaration's (units from large to small, each once); config's parser is out of reach from here, as
the emulator may not depend on the reading of files.
"""

from __future__ import annotations

import re
from typing import Final

_UNITS_MS: Final = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_DURATION: Final = re.compile(
    r"(?:(?P<d>[0-9]{1,9})d)?(?:(?P<h>[0-9]{1,9})h)?(?:(?P<m>[0-9]{1,9})m)?"
    r"(?:(?P<s>[0-9]{1,9})s)?(?:(?P<ms>[0-9]{1,12})ms)?"
)
FOREVER: Final = "forever"
LONGEST_MS: Final = 100 * 366 * 86_400_000
"""A hundred years: longer is a slip of the pen, and times stay within the API's 64-bit integers."""


def parse_duration_ms(text: str) -> int | None:
    """Return the milliseconds of a duration such as 1h30m; None when it is not one or is longer than a century."""
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        return None
    total = sum(int(match[unit] or 0) * factor for unit, factor in _UNITS_MS.items())
    return total if total <= LONGEST_MS else None
