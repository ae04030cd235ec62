"""Means with 95 % confidence intervals over seeds, by Student's t.

The seeds' values are taken for independent draws of one distribution; the interval is that of its mean:
mean ± t(0.975, n-1) * s / sqrt(n), s the sample's standard deviation. One value has no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist
from typing import Final

CONFIDENCE_PERCENT: Final = 95

_T_975: Final = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
    2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484,
    2.0452, 2.0423,
)  # fmt: skip
"""The 0.975 quantile of Student's t for 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook, 1.3.6.7.2)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of `count` values, and how far its interval reaches to either side; None with one value."""

    mean: float
    half_width: float | None
    count: int

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.half_width is None else (self.mean - self.half_width, self.mean + self.half_width)


def estimate(values: Sequence[float]) -> Estimate | None:
    """Return the mean with its interval; None without values. The order of the values plays no part."""
    count = len(values)
    if count == 0:
        return None
    mean = fsum(values) / count
    if count == 1:
        return Estimate(mean, None, 1)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1))
    return Estimate(mean, t_quantile(count - 1) * deviation / sqrt(count), count)


def t_quantile(degrees: int) -> float:
    """Return the 0.975 quantile of Student's t.

    Above 30 degrees by the expansion in powers of 1/degrees (Abramowitz and Stegun, 26.7.5), right to 4 decimals.
    """
    if degrees <= len(_T_975):
        return _T_975[degrees - 1]
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
