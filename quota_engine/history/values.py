"""Texts of a history → numbers, times and durations in whole milliseconds.

What a writer uses for "not known" is None; what can't be read as anything raises `BadValue`.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from ..model.durations import LONGEST_MS, parse_duration
from ..model.replay import Unit

Number = int | float


class BadValue(ValueError):
    """A line that says something which can't be used; the text says what."""


class LeftOut(Exception):
    """A line that is rightly no job of the replay; the text says why, in words that many lines share."""


_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_NOT_KNOWN: Final = frozenset({"", "-", "-1", "unknown", "none", "null", "n/a", "na", "nan", "nat", "invalid"})
_CLOCK: Final = re.compile(
    r"(?:([0-9]{1,5})-)?(?:([0-9]{1,6}):)?([0-9]{1,6}):([0-9]{1,2})(?:\.([0-9]{1,9}))?", re.ASCII
)
_EPOCH: Final[datetime] = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final[timedelta] = timedelta(milliseconds=1)
_TIME_MAX_MS: Final = 10**15

PER_MS: Final = {Unit.NS: 1_000_000, Unit.US: 1_000}
"""How many of the small units make a millisecond."""
MS_PER: Final = {Unit.MS: 1, Unit.S: 1_000, Unit.M: 60_000, Unit.H: 3_600_000}
_SUFFIXES: Final = {"_ns": Unit.NS, "_us": Unit.US, "_ms": Unit.MS, "_minutes": Unit.M, "_hours": Unit.H}


def unit_in_name(column: str) -> Unit | None:
    """Return the unit that a column's name ends in, such as created_at_ms."""
    return next((unit for suffix, unit in _SUFFIXES.items() if column.lower().endswith(suffix)), None)


def is_known(value: object) -> bool:
    """Whether a value says anything, by the words that writers use for what they don't know."""
    if isinstance(value, str):
        return value.strip().casefold() not in _NOT_KNOWN
    return value is not None


def number(value: object) -> Number | None:
    """Return a finite number as it is or as a text spells it, None for what is no number."""
    if isinstance(value, str):
        if len(value) <= 18 and value.isascii() and value.isdigit():
            return int(value)
        text = value.strip()
        if _NUMBER.fullmatch(text) is None:
            return None
        return float(text) if any(letter in ".eE" for letter in text) else int(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def shown(value: object) -> str:
    """Show a value in a message, short and on one line."""
    text = repr(value) if not isinstance(value, str) else f"'{value}'"
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= 60 else text[:59] + "…"


def in_ms(count: Number, unit: Unit) -> int:
    """Turn an amount of a unit into whole milliseconds, to the nearest."""
    factor = MS_PER.get(unit)
    return round(count / PER_MS[unit]) if factor is None else round(count * factor)


def _magnitude(count: Number) -> Unit:
    """Return the unit in which a number of this size is a time of our age: seconds up to the year 5138."""
    size = abs(count)
    if size < 1e11:
        return Unit.S
    return Unit.MS if size < 1e14 else Unit.US if size < 1e17 else Unit.NS


def time_ms(value: object, unit: Unit | None, offset_ms: int) -> int | None:
    """Return a time: a number of a unit, by its size where none is stated, or ISO 8601, in a zone where it has none."""
    count = number(value)
    if count is not None:
        if count < 0:
            return None
        found = in_ms(count, unit or _magnitude(count))
    elif not is_known(value):
        return None
    else:
        read = _iso_ms(value.strip(), offset_ms) if isinstance(value, str) else None
        if read is None:
            raise BadValue(f"{shown(value)} is no time")
        found = read
    if abs(found) > _TIME_MAX_MS:
        raise BadValue(f"{shown(value)} is no time of our age")
    return found


def _iso_ms(text: str, offset_ms: int) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return _since_epoch_ms(moment.replace(tzinfo=UTC)) - offset_ms
    return _since_epoch_ms(moment)


def _since_epoch_ms(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


def duration_ms(value: object, unit: Unit | None) -> int | None:
    """Return a duration: a number of a unit, seconds where none is stated, [D-]HH:MM:SS, or such as 1h30m.

    None for what is unknown, zero or less.
    """
    count = number(value)
    if count is not None:
        found = in_ms(count, unit or Unit.S)
    elif not is_known(value):
        return None
    else:
        read = _spelt_ms(value.strip()) if isinstance(value, str) else None
        if read is None:
            raise BadValue(f"{shown(value)} is no duration")
        found = read
    if found > LONGEST_MS:
        raise BadValue(f"{shown(value)} is longer than a hundred years")
    return found if found > 0 else None


def _spelt_ms(text: str) -> int | None:
    match = _CLOCK.fullmatch(text)
    if match is None:
        return parse_duration(text)
    days, hours, minutes, seconds, fraction = match.groups()
    whole = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + round(float(f"0.{fraction or 0}") * 1000)
