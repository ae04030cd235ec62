"""Times of a scenario as people write them: a clock from its start, durations in words, round ticks for an axis."""

from __future__ import annotations

from ..model.durations import format_duration

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
STEPS_MS = (
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
)  # fmt: skip
"""Distances between ticks that a person can add up."""


def clock(at_ms: int) -> str:
    """Return e.g. 00:10:00, 1d 02:00:00, or 00:00:00.250 where a time is no whole second."""
    days, rest = divmod(at_ms, _DAY_MS)
    seconds, milliseconds = divmod(rest, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return (
        (f"{days}d " if days else "")
        + f"{hour:02d}:{minute:02d}:{second:02d}"
        + (f".{milliseconds:03d}" if milliseconds else "")
    )


def rough(duration_ms: int) -> str:
    """Return a duration with its two largest units, rounded down: 3h59m, not 3h59m59s12ms."""
    for unit, part in ((_DAY_MS, 3_600_000), (3_600_000, 60_000), (60_000, 1_000)):
        if duration_ms >= unit:
            return format_duration(duration_ms // part * part)
    return format_duration(duration_ms if duration_ms < 1_000 else duration_ms // 1_000 * 1_000)


def instance_hours(instance_ms: int) -> str:
    """Return instance-hours to one decimal, of many whole ones: 0, <0.1, 7.2, 342."""
    tenths = (instance_ms + _HOUR_MS // 20) // (_HOUR_MS // 10)
    if not instance_ms or tenths >= 1_000:
        return str((instance_ms + _HOUR_MS // 2) // _HOUR_MS)
    return f"{tenths // 10}.{tenths % 10}" if tenths else "<0.1"


def tick_step_ms(span_ms: int, most: int) -> int:
    """Return the smallest round distance with which at most `most` ticks fit into `span_ms`."""
    for step in STEPS_MS:
        if span_ms // step < most:
            return step
    weeks = STEPS_MS[-1]
    return weeks * -(-span_ms // (weeks * most))
