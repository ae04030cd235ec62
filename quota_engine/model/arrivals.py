"""When a workload's jobs can arrive, and at which rate: the window, the hours of a profile, how many to expect.

The one place that knows which hour of which day a scenario's time falls on. No randomness here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .durations import LONGEST_MS
from .sampling import HOURS, Arrivals, Burst, Every, Poisson, Profile, Start

HOUR_MS: Final = 3_600_000
DAY_MS: Final = HOURS * HOUR_MS
WEEK_MS: Final = 7 * DAY_MS
_EPOCH_WEEKDAY: Final = 3
"""1970-01-01 was a Thursday; Monday is 0."""
_SATURDAY: Final = 5

RATE_PARTS: Final = 1000
"""Parts of a job per hour that rates are counted in."""
JOBS_MAX: Final = 2_000_000
"""Jobs that the workloads of one scenario may generate: more is a slip of the pen, and would fill the memory."""


def in_parts(per_hour: float) -> int:
    """Return a rate in whole parts of a job per hour."""
    return round(per_hour * RATE_PARTS)


def window(arrivals: Arrivals, until_ms: int | None) -> tuple[int, int]:
    """Return (first, end): arrivals come at `first` or later, and before `end`. `until_ms` is the scenario's."""
    ends = [end for end in (arrivals.until_ms, until_ms, LONGEST_MS) if end is not None]
    return arrivals.from_ms, min(ends)


def hours(profile: Profile, start: Start, from_ms: int, end_ms: int) -> Iterator[tuple[int, float]]:
    """Yield (end in ms, rate per hour) for each stretch of one rate, the clock's hours, from `from_ms` to `end_ms`."""
    now_ms = from_ms
    while now_ms < end_ms:
        local_ms = start.local_ms + now_ms
        day = (local_ms // DAY_MS + _EPOCH_WEEKDAY) % 7
        rates = profile.weekend if day >= _SATURDAY else profile.weekday
        rate = rates[local_ms % DAY_MS // HOUR_MS]
        now_ms = min(end_ms, now_ms + HOUR_MS - local_ms % HOUR_MS)
        yield now_ms, rate


def expected_jobs(arrivals: Arrivals, start: Start | None, until_ms: int | None) -> float:
    """Return how many jobs to expect: exactly for bursts and regular arrivals, on average for the others."""
    first, end = window(arrivals, until_ms)
    length_ms = max(0, end - first)
    match arrivals.process:
        case Burst(at_ms, jobs):
            count: float = jobs if first <= at_ms < end else 0
        case Every(every_ms):
            count = -(-length_ms // every_ms)
        case Poisson(per_hour):
            count = per_hour * length_ms / HOUR_MS
        case Profile() as profile:
            count = _of_profile(profile, start or Start(0), first, length_ms)
    return count if arrivals.jobs is None else min(count, arrivals.jobs)


def _of_profile(profile: Profile, start: Start, first: int, length_ms: int) -> float:
    weeks, rest_ms = divmod(length_ms, WEEK_MS)
    total = weeks * (5 * sum(profile.weekday) + 2 * sum(profile.weekend))
    begin = first
    for end, rate in hours(profile, start, first, first + rest_ms):
        total += rate * (end - begin) / HOUR_MS
        begin = end
    return total
