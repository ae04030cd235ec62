"""When the jobs of a workload arrive: from one arrival and a draw to the next, in whole milliseconds.

Poisson arrivals accumulate risk: an exponential draw says how much of it the next arrival takes, and an hour of rate r
brings r units. Rates count in thousandths of a job per hour and everything after the draw is integers, so that sums
never depend on a rounding of floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Final

from ..model.arrivals import HOUR_MS, RATE_PARTS, hours, in_parts, window
from ..model.sampling import Arrivals, Burst, Every, Poisson, Profile, Start
from .draw import exponential

_RISK: Final = HOUR_MS * RATE_PARTS
"""Risk of one arrival, in those parts times milliseconds."""

Next = Callable[[float], int | None]
"""A draw → the time of the next arrival in ms; None when there is none any more."""


def arrivals_of(arrivals: Arrivals, start: Start | None, until_ms: int | None) -> Next:
    """Return the function that tells one arrival after the other. `until_ms` is the scenario's end."""
    first, end = window(arrivals, until_ms)
    match arrivals.process:
        case Every(every_ms):
            return _listed(range(first, end, every_ms))
        case Burst(at_ms, jobs):
            return _listed(repeat(at_ms, jobs if first <= at_ms < end else 0))
        case Poisson(per_hour):
            return _risky(lambda _: [(end, per_hour)], first)
        case Profile(weekday, weekend) if not any(in_parts(rate) for rate in (*weekday, *weekend)):
            return _listed([])
        case Profile() as profile:
            zone = start or Start(0)
            return _risky(lambda from_ms: hours(profile, zone, from_ms, end), first)


def _listed(times_ms: Iterable[int]) -> Next:
    times = iter(times_ms)
    return lambda _: next(times, None)


def _risky(stretches: Callable[[int], Iterable[tuple[int, float]]], first: int) -> Next:
    """Return Poisson arrivals over stretches of one rate each, (end in ms, rate per hour), from a given time on."""
    now_ms = first

    def following(draw: float) -> int | None:
        nonlocal now_ms
        needed = exponential(draw, _RISK)
        for end_ms, per_hour in stretches(now_ms):
            rate = in_parts(per_hour)
            brought = rate * (end_ms - now_ms)
            if needed < brought:
                now_ms += (needed + rate // 2) // rate
                return now_ms if now_ms < end_ms else end_ms - 1
            needed -= brought
            now_ms = end_ms
        return None

    return following
