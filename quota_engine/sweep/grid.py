"""What varies in a sweep: axes of values, seeds, and the combinations that a grid or a list makes of them.

It reads the options' text and knows no scenario; whether a value can be is for the loaded combination to say. Counts
are taken before anything is spelled out, so that a slip such as 1..10000000000 costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import prod
from typing import Final

from ..model.trouble import Trouble

VALUES_MAX: Final = 100_000
"""Values of one option."""

_RANGE: Final = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})(?::(\d{1,18}))?")
_INTEGER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})\.\d{1,17}")

Scalar = str | int | float | bool | None


class AxisKind(StrEnum):
    """What an axis changes: a scenario's parameter, a value of the declaration, an assumption of the model."""

    SET = "set"
    VARY = "vary"
    ASSUME = "assume"


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that varies: its name as written, and its different values as written, at least one."""

    kind: AxisKind
    name: str
    values: tuple[str, ...]

    @property
    def option(self) -> str:
        return f"--{self.kind}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of one axis."""

    axis: Axis
    value: str

    def __str__(self) -> str:
        return f"{self.axis.name}={self.value}"


Combination = tuple[Choice, ...]
"""One choice of each axis, in the order of the options."""


def described(combination: Combination) -> str:
    """Return e.g. "rate=6, QS2/strategy=LEND"; "as declared" where nothing varies."""
    return ", ".join(map(str, combination)) or "as declared"


def read_axis(kind: AxisKind, text: str) -> Axis:
    """Read NAME=V1,V2 or NAME=V1|V2 (an assumption's values may hold commas) or NAME=FROM..TO[:STEP].

    Raises Trouble for what is no such text, for an empty value and for one that stands twice.
    """
    option = f"--{kind}"
    name, equals, listed = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise Trouble(f"{option} {text} is not NAME=VALUES", fix=f"write it like {_EXAMPLES[kind]}")
    divider = "|" if "|" in listed or kind is AxisKind.ASSUME else ","
    stated = _range(listed.strip(), f"{option} {text}")
    values = [str(value) for value in stated] if stated else [value.strip() for value in listed.split(divider)]
    if "" in values:
        raise Trouble(f"{option} {text} has an empty value", fix=f"write it like {_EXAMPLES[kind]}")
    _refuse_twice(values, f"{option} {text}")
    return Axis(kind, name, tuple(values))


_EXAMPLES: Final = {
    AxisKind.SET: "rate=4,6,8",
    AxisKind.VARY: "QS1/borrow_limit=0,100,200",
    AxisKind.ASSUME: "victim_order=priority,youngest|priority,oldest",
}


_SEEDS: Final = "write 20 for 1 to 20, a range such as 1..20, or 1,5,9"


def read_seeds(text: str) -> tuple[int, ...]:
    """Read 20 (meaning 1..20), 1..20, or 1,5,9. Raises Trouble for anything else, and for a seed that stands twice."""
    text = text.strip()
    if not text:
        raise Trouble("--seeds is empty", fix=f"{_SEEDS}, or leave it out for the scenario's own seed")
    fewer = "give fewer seeds"
    stated = _range(text, f"--seeds {text}", "seeds", fewer)
    if stated is None and _INTEGER.fullmatch(text):
        stated = _range(f"1..{text}", f"--seeds {text}", "seeds", fewer) if int(text) > 0 else None
    listed = [value.strip() for value in text.split(",")]
    if stated is None and len(listed) > 1 and all(_INTEGER.fullmatch(value) for value in listed):
        stated = [int(value) for value in listed]
    if stated is None or min(stated) < 0:
        raise Trouble(f"--seeds {text} names no seeds", why="a seed is a whole number from 0", fix=_SEEDS)
    _refuse_twice([str(seed) for seed in stated], f"--seeds {text}")
    return tuple(stated)


def _range(
    text: str, where: str, noun: str = "values", fewer: str = "write a larger step, as in 0..100:10"
) -> Sequence[int] | None:
    """Return the integers of FROM..TO[:STEP], both ends included; None where the text is no range."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if first > last or step < 1:
        raise Trouble(f"{where} is an empty range", fix="write the smaller number first, and a step of at least 1")
    if (last - first) // step >= VALUES_MAX:
        count = (last - first) // step + 1
        raise Trouble(f"{where} asks for {count:,} {noun}, and at most {VALUES_MAX:,} are allowed", fix=fewer)
    return range(first, last + 1, step)


def _refuse_twice(values: Sequence[str], where: str) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise Trouble(f"{where} has the value {value} twice", fix="name it once")
        seen.add(value)


def check_axes(axes: Sequence[Axis], zipped: bool) -> None:
    """Raise Trouble where two axes have one name, or the axes of a list differ in length."""
    names: set[str] = set()
    for axis in axes:
        if axis.name in names:
            raise Trouble(f"{axis.name} varies twice", fix="put all its values into one option")
        names.add(axis.name)
    lengths = {len(axis.values) for axis in axes if len(axis.values) > 1}
    if zipped and len(lengths) > 1:
        counts = ", ".join(f"{axis.name} has {len(axis.values)}" for axis in axes)
        raise Trouble(
            "--list takes the values of all options side by side, and they differ in number",
            why=counts,
            fix="give each the same number of values, or one that goes with all; or leave out --list for a grid",
        )


def count_combinations(axes: Sequence[Axis], zipped: bool) -> int:
    """Return how many combinations there are, without making them."""
    lengths = [len(axis.values) for axis in axes]
    return max(lengths, default=1) if zipped else prod(lengths)


def combinations(axes: Sequence[Axis], zipped: bool) -> list[Combination]:
    """Return every combination in order: the last axis changes fastest; side by side where `zipped`."""
    if zipped:
        count = count_combinations(axes, zipped)
        columns = [axis.values if len(axis.values) > 1 else axis.values * count for axis in axes]
        rows = list(zip(*columns, strict=True)) if columns else [()]
    else:
        rows = list(product(*(axis.values for axis in axes)))
    return [tuple(Choice(axis, value) for axis, value in zip(axes, row, strict=True)) for row in rows]


def typed(axis: Axis) -> list[Scalar]:
    """Return an axis's values as a table holds them: all whole numbers, else all numbers, else text."""
    if all(_INTEGER.fullmatch(value) for value in axis.values):
        return [int(value) for value in axis.values]
    if all(_INTEGER.fullmatch(value) or _DECIMAL.fullmatch(value) for value in axis.values):
        return [float(value) for value in axis.values]
    return list(axis.values)
