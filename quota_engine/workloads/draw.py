"""Draws from [0, 1) → durations, priorities and choices, by inverse transforms.

Each function is monotone in its draw: a seed's lucky job is lucky under every setting of the distribution.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final, TypeVar

from ..model.durations import LONGEST_MS
from ..model.sampling import (
    Choice,
    Constant,
    Durations,
    Empirical,
    Exponential,
    LogNormal,
    Priorities,
    Uniform,
    Weibull,
)
from .exact import Arithmetic, Number, whole
from .normal import deviate

T = TypeVar("T")
_STEPS: Final = 2**53
"""How many different draws there are."""


def one_of(count: int, draw: float) -> int:
    """Return one of the numbers 0 to count - 1, each equally often; exact, whatever the count."""
    return int(draw * _STEPS) * count // _STEPS


def exponential(draw: float, mean: float) -> int:
    """Return a whole number, exponentially distributed around a mean."""

    def transform(of: Arithmetic[Number], draw: float) -> Number:
        return -of.log(of.of(1.0 - draw)) * of.of(mean)

    return whole(transform, draw)


def lognormal(draw: float, median: float, sigma: float) -> int:
    if draw == 0:
        return 0

    def transform(of: Arithmetic[Number], draw: float) -> Number:
        return of.of(median) * of.exp(of.of(sigma) * deviate(of, draw))

    return whole(transform, draw)


def weibull(draw: float, scale: float, shape: float) -> int:
    if draw == 0:
        return 0

    def transform(of: Arithmetic[Number], draw: float) -> Number:
        return of.of(scale) * of.exp(of.log(-of.log(of.of(1.0 - draw))) / of.of(shape))

    return whole(transform, draw)


def duration_ms(durations: Durations, draw: float) -> int:
    """Return a duration, never longer than `LONGEST_MS`."""
    match durations:
        case Constant(value):
            return value
        case Uniform(low, high):
            return low + one_of(high - low + 1, draw)
        case Exponential(mean_ms):
            return min(LONGEST_MS, exponential(draw, mean_ms))
        case LogNormal(median_ms, sigma):
            return min(LONGEST_MS, lognormal(draw, median_ms, sigma))
        case Weibull(scale_ms, shape):
            return min(LONGEST_MS, weibull(draw, scale_ms, shape))
        case Empirical(values):
            return values[one_of(len(values), draw)]


def chooser(choice: Choice[T]) -> Callable[[float], T]:
    """Return the function from a draw to one of the options; each has its weight's part of [0, 1)."""
    return _choose(choice.options, list(accumulate(choice.weights)))


def _choose(options: Sequence[T], bounds: Sequence[float]) -> Callable[[float], T]:
    total = bounds[-1]
    return lambda draw: options[bisect_right(bounds, draw * total)]


def priority_of(priorities: Priorities) -> Callable[[float], int]:
    """Return the function from a draw to a priority."""
    match priorities:
        case Constant(value):
            return lambda _: value
        case Uniform(low, high):
            return lambda draw: low + one_of(high - low + 1, draw)
        case Choice():
            return chooser(priorities)
