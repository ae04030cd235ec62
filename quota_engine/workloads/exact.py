"""Real numbers → whole ones, the same on every machine.

Mathematical libraries disagree in the last digit of a logarithm, and a disagreement next to a half would round to two
different milliseconds. So each transform is written once, over an `Arithmetic`: with floats, and, where their result
lies too near a half to be sure, again with 40 decimal digits, whose logarithms are correctly rounded everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Final, Generic, Protocol, TypeVar

Number = TypeVar("Number", float, Decimal)

_DOUBT: Final = 1e-12
"""Relative error of a float result that is allowed for: a thousand times what any library makes."""
_DIGITS: Final = Context(prec=40)


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic(Generic[Number]):
    """Numbers of one type. `of` takes a float as it is, and a decimal number as text. Each is equal to itself alone."""

    of: Callable[[float | str], Number]
    log: Callable[[Number], Number]
    exp: Callable[[Number], Number]
    sqrt: Callable[[Number], Number]


FLOATS: Final[Arithmetic[float]] = Arithmetic(float, math.log, math.exp, math.sqrt)
DECIMALS: Final[Arithmetic[Decimal]] = Arithmetic(Decimal, Decimal.ln, Decimal.exp, Decimal.sqrt)


class Transform(Protocol):
    """A function of one draw from [0, 1), in whichever arithmetic."""

    def __call__(self, of: Arithmetic[Number], draw: float, /) -> Number: ...


def whole(transform: Transform, draw: float) -> int:
    """Return the whole number nearest to the transform of a draw; a half goes up."""
    value = transform(FLOATS, draw)
    floor = math.floor(value)
    if abs(value - floor - 0.5) > _DOUBT * max(1.0, value):
        return floor + (value - floor > 0.5)
    with localcontext(_DIGITS):
        return int(transform(DECIMALS, draw).to_integral_value(ROUND_HALF_UP))
