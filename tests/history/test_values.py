"""Numbers, times and durations as histories spell them."""

from __future__ import annotations

import pytest

from quota_engine.history.values import BadValue, duration_ms, number, time_ms
from quota_engine.model.replay import Unit, parse_max_bad


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("12", 12),
        (" 12 ", 12),
        ("12.0", 12.0),
        ("1e3", 1000.0),
        ("-1", -1),
        (7, 7),
        (0.5, 0.5),
        ("", None),
        ("1_000", None),
        ("١٢", None),
        ("nan", None),
        ("inf", None),
        ("0x10", None),
        ("9" * 30, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ([1], None),
    ],
)
def test_a_number_is_one_in_any_spelling_that_tools_use(value: object, expected: float | None) -> None:
    """Python reads 1_000 and nan as numbers; no writer of histories means one by them."""
    assert number(value) == expected


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("0", None, 0),
        ("1400749079", None, 1_400_749_079_000),
        ("1400749079.25", None, 1_400_749_079_250),
        ("1400749079000", None, 1_400_749_079_000),
        (1_400_749_079_000_000, None, 1_400_749_079_000),
        (1_400_749_079_000_000_000, None, 1_400_749_079_000),
        ("90", Unit.MS, 90),
        ("90", Unit.M, 5_400_000),
        ("1970-01-01T01:00:00+01:00", None, 0),
        ("1970-01-02", None, 86_400_000 - 3_600_000),
        ("1970-01-01 01:00:00.5", None, 500),
        ("Unknown", None, None),
        ("-1", None, None),
        (None, None, None),
    ],
)
def test_a_time_is_read_by_its_size_or_its_form(value: object, unit: Unit | None, expected: int | None) -> None:
    """Seconds taken for milliseconds would squeeze a year into nine hours. Times of no zone are in +01:00 here."""
    assert time_ms(value, unit, 3_600_000) == expected


@pytest.mark.parametrize("value", ["tomorrow", "2026-13-01", {"a": 1}, 10**25])
def test_what_is_no_time_is_said_to_be_none(value: object) -> None:
    """A guess would put the job anywhere."""
    with pytest.raises(BadValue, match="is no time"):
        time_ms(value, None, 0)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("60", None, 60_000),
        ("60", Unit.MS, 60),
        ("0.0004", None, None),
        ("0", None, None),
        ("-1", None, None),
        ("01:02:03", None, 3_723_000),
        ("2-01:02:03", None, 176_523_000),
        ("62:03.5", None, 3_723_500),
        ("1h30m", None, 5_400_000),
        ("Unknown", None, None),
        (None, None, None),
    ],
)
def test_a_duration_is_read_in_any_form(value: object, unit: Unit | None, expected: int | None) -> None:
    """None is a job that never ran, and is left out."""
    assert duration_ms(value, unit) == expected


@pytest.mark.parametrize("value", ["soon", "1:2:3:4", 1e12, [3]])
def test_what_is_no_duration_is_said_to_be_none(value: object) -> None:
    """A run of 30,000 years would never let its instances go."""
    with pytest.raises(BadValue):
        duration_ms(value, None)


@pytest.mark.parametrize(
    ("text", "lines", "allowed"),
    [("0", 1000, 0), ("20", 10, 20), ("1%", 100, 10), ("1%", 5000, 50), ("0.5 %", 5000, 25)],
)
def test_a_limit_of_bad_lines_is_a_number_or_a_percentage(text: str, lines: int, allowed: int) -> None:
    """A percentage allows a few of a short file too, where one line is many per cent."""
    limit = parse_max_bad(text)
    assert limit is not None
    assert limit.allows(allowed, lines)
    assert not limit.allows(allowed + 1, lines)


@pytest.mark.parametrize("text", ["", "-1", "101%", "1.5", "%", "ten"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    """Taken for 0 or for all, it would stop what is meant to pass, or the other way round."""
    assert parse_max_bad(text) is None
