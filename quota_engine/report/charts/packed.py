"""Many jobs' lives in few bytes: what a page unpacks for the jobs of the share and time that a reader looks at.

`names`, `lives` and `preemptions` grow with the run, at some 25 bytes a job; everything else stands in tables.

- `names[i]`: the number of first characters in common with the name before, as the character 48 + n, then the rest.
- `lives[i]`: class, ":", start, then a cause and a duration for each stretch. Numbers are in base 36 with lower-case
  digits, causes in base 26 with the digits A to Z. The start is counted from the start of the job before.
- `preemptions`: five numbers each: time since the one before, victim, preemptor + 1 or 0, kind, RUNNING time lost.

Times are in units of `unit_ms`, the largest that loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import Any, Final

from ..visible import visible
from .lives import Life, Lives
from .rows import most_telling

JOBS_MAX: Final = 100_000
"""Jobs that a page holds one by one; of more, the most telling."""
CAUSES_MAX: Final = 2_000
"""Different causes; what comes after is told by its kind alone."""
_COMMON_MAX: Final = 70
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KINDS: Final = ("waiting", "own", "borrowed", "in-share", "preempted")
PREEMPTION_KINDS: Final = ("cross-share", "in-share", "limit-lowered")


def packed(found: Lives, titles: Mapping[str, str], end_ms: int, most: int = JOBS_MAX) -> dict[str, Any]:
    """Return the lives as JSON's own types. `titles` gives each share's heading, in the order to show."""
    jobs = most_telling(found, most)
    unit_ms = _unit_ms(jobs, found, end_ms)
    shares = list(dict.fromkeys([*titles, *(life.share for life in jobs)]))
    tables = _Tables({share: index for index, share in enumerate(shares)}, unit_ms)
    return {
        "lives": tables.lives(jobs),
        "unit_ms": unit_ms,
        "end_ms": end_ms,
        "jobs": len(found.jobs),
        "shares": [{"name": visible(name), "title": titles.get(name, visible(name))} for name in shares],
        "needs": tables.needs.values,
        "classes": tables.classes.values,
        "causes": tables.causes.values,
        "names": _names([visible(life.job) for life in jobs]),
        "preemptions": _preemptions(found, jobs, unit_ms),
        "changes": [{"at_ms": one.at_ms, "what": one.what} for one in found.changes],
    }


class _Tables:
    """What many lives have in common, by number; filled as the lives are packed."""

    def __init__(self, shares: Mapping[str, int], unit_ms: int) -> None:
        self.shares, self.unit_ms = shares, unit_ms
        self.causes = _Table(CAUSES_MAX)
        self.classes = _Table()
        self.needs = _Table()

    def lives(self, jobs: Sequence[Life]) -> list[str]:
        found, before_ms = [], 0
        for life in jobs:
            start_ms = life.stretches[0].from_ms if life.stretches else before_ms
            found.append(self._life(life, start_ms - before_ms))
            before_ms = start_ms
        return found

    def _life(self, life: Life, since_ms: int) -> str:
        number = self.classes.index((self.shares[life.share], self.needs.index(life.need), life.end))
        parts = [f"{_number(number)}:{_number(since_ms // self.unit_ms)}"]
        for one in life.stretches:
            kind = KINDS.index(one.kind.value)
            cause = self.causes.index((kind, one.cause), (kind, ""))
            parts.append(f"{_word(cause)}{_number((one.to_ms - one.from_ms) // self.unit_ms)}")
        return "".join(parts)


class _Table:
    """Values by number, in the order they first appear; beyond `most`, a stand-in's number."""

    def __init__(self, most: int = 1 << 30) -> None:
        self.most = most
        self.numbers: dict[Any, int] = {}

    def index(self, value: Any, stand_in: Any = None) -> int:
        found = self.numbers.get(value)
        if found is not None:
            return found
        chosen = value if len(self.numbers) < self.most or stand_in is None else stand_in
        return self.numbers.setdefault(chosen, len(self.numbers))

    @property
    def values(self) -> list[Any]:
        return list(self.numbers)


def _unit_ms(jobs: Sequence[Life], found: Lives, end_ms: int) -> int:
    unit = gcd(end_ms, *(at for one in found.preemptions for at in (one.at_ms, one.lost_ms)))
    for life in jobs:
        for one in life.stretches:
            unit = gcd(unit, one.from_ms, one.to_ms)
        if unit == 1:
            break
    return max(unit, 1)


def _names(names: Sequence[str]) -> list[str]:
    """Return the names, each by what it has in common with the one before."""
    found, before = [], ""
    for name in names:
        common = 0
        for one, other in zip(name[:_COMMON_MAX], before, strict=False):
            if one != other:
                break
            common += 1
        found.append(chr(48 + common) + name[common:])
        before = name
    return found


def _preemptions(found: Lives, jobs: Sequence[Life], unit_ms: int) -> list[int]:
    numbers = {life.job: index for index, life in enumerate(jobs)}
    flat, before_ms = [], 0
    for one in found.preemptions:
        if one.job in numbers:
            by = numbers.get(one.by, -1) + 1
            kind = PREEMPTION_KINDS.index(one.kind)
            flat += [(one.at_ms - before_ms) // unit_ms, numbers[one.job], by, kind, one.lost_ms // unit_ms]
            before_ms = one.at_ms
    return flat


def _number(value: int) -> str:
    return _based(value, _DIGITS)


def _word(value: int) -> str:
    return _based(value, _LETTERS)


def _based(value: int, digits: str) -> str:
    if value == 0:
        return digits[0]
    found = ""
    while value:
        value, digit = divmod(value, len(digits))
        found = digits[digit] + found
    return found
