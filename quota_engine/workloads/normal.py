"""The inverse of the normal distribution function: algorithm AS 241, PPND16, of M. J. Wichura, Applied Statistics 37
(3), 1988, pp. 477-484. Accurate to about 16 digits; `statistics.NormalDist.inv_cdf` uses it too, in floats only.

Here the approximation itself is the definition, so that any arithmetic gives the same value to its own precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from .exact import Arithmetic, Number

_CENTRAL: Final = (
    (
        "2509.0809287301226727", "33430.575583588128105", "67265.770927008700853", "45921.953931549871457",
        "13731.693765509461125", "1971.5909503065514427", "133.14166789178437745", "3.387132872796366608",
    ),
    (
        "5226.495278852545925", "28729.085735721942674", "39307.89580009271061", "21213.794301586595867",
        "5394.1960214247511077", "687.1870074920579083", "42.313330701600911252", "1",
    ),
)  # fmt: skip
_MIDDLE: Final = (
    (
        "0.00077454501427834140764", "0.0227238449892691845833", "0.24178072517745061177", "1.27045825245236838258",
        "3.64784832476320460504", "5.7694972214606914055", "4.6303378461565452959", "1.42343711074968357734",
    ),
    (
        "1.05075007164441684324e-9", "0.0005475938084995344946", "0.0151986665636164571966", "0.14810397642748007459",
        "0.68976733498510000455", "1.6763848301838038494", "2.05319162663775882187", "1",
    ),
)  # fmt: skip
_FAR: Final = (
    (
        "2.01033439929228813265e-7", "2.71155556874348757815e-5", "0.0012426609473880784386", "0.026532189526576123093",
        "0.29656057182850489123", "1.7848265399172913358", "5.4637849111641143699", "6.6579046435011037772",
    ),
    (
        "2.04426310338993978564e-15", "1.4215117583164458887e-7", "1.8463183175100546818e-5",
        "7.868691311456132591e-4", "0.0148753612908506148525", "0.13692988092273580531", "0.59983220655588793769", "1",
    ),
)  # fmt: skip
_PARTS: Final = (_CENTRAL, _MIDDLE, _FAR)
"""Numerator and denominator of each part of the distribution, the highest power first."""


def deviate(of: Arithmetic[Number], draw: float) -> Number:
    """Return the standard normal deviate below which a part `draw` of the distribution lies, 0 < draw < 1."""
    centred = of.of(draw - 0.5)
    if abs(draw - 0.5) <= 0.425:
        return centred * _ratio(of, 0, of.of("0.180625") - centred * centred)
    tail = of.sqrt(-of.log(of.of(min(draw, 1.0 - draw))))
    value = _ratio(of, 2, tail - of.of("5")) if tail > 5 else _ratio(of, 1, tail - of.of("1.6"))
    return -value if draw < 0.5 else value


def _ratio(of: Arithmetic[Number], part: int, at: Number) -> Number:
    """Return the quotient of the two polynomials of a part at one place."""
    above: Sequence[Number]
    below: Sequence[Number]
    above, below = _numbers(of, part)
    return _polynomial(above, at) / _polynomial(below, at)


@cache
def _numbers(of: Arithmetic[Any], part: int) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the coefficients as numbers of an arithmetic, read once."""
    above, below = _PARTS[part]
    return tuple(of.of(one) for one in above), tuple(of.of(one) for one in below)


def _polynomial(coefficients: Sequence[Number], at: Number) -> Number:
    value = coefficients[0]
    for one in coefficients[1:]:
        value = value * at + one
    return value
