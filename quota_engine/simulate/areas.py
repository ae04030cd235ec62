"""Instances over time: what each share uses, borrows, lends and wants, and what there is, integrated.

Only states that last count; what comes and goes within one instant leaves no mark. A change costs what it changes: the
shares concerned, and all lenders of the unit while something is lent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ..model.stack import Capacity
from ..model.work import Scenario
from .balance import UnitBalance, settle_units
from .settings import settings_over_time

WHATS: Final = ("used", "borrowed", "wanted", "nominal", "lent")
"""What is integrated of each share and unit, in the order of `UnitBalance.settled`. Of the whole: in use, there, kept
idle by RESERVE, of that wanted, and in use beyond what is there."""
LENT: Final = WHATS.index("lent")


@dataclass(frozen=True, slots=True)
class Amounts:
    """Instances of one unit over time: the most at once, the integral in instance-milliseconds, and since when it was
    most for the first time."""

    most: int
    instance_ms: int
    most_at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Reserved:
    """What RESERVE kept idle of one unit while jobs of borrowing shares waited, and what of it they could have used."""

    idle_instance_ms: int
    wanted_instance_ms: int


class _Amount:
    """One amount over time: its integral, the most of it, and since when it was that for the first time."""

    __slots__ = ("most", "most_at_ms", "now", "since_ms", "sum")

    def __init__(self, since_ms: int) -> None:
        self.since_ms = self.most_at_ms = since_ms
        self.now = self.most = self.sum = 0

    def put(self, at_ms: int, amount: int) -> None:
        """Let it be another amount from now on."""
        since_ms = self.since_ms
        if at_ms > since_ms:
            now = self.now
            if now:
                self.sum += now * (at_ms - since_ms)
                if now > self.most:
                    self.most, self.most_at_ms = now, since_ms
            self.since_ms = at_ms
        self.now = amount


_Cell = tuple[_Amount, ...]


def _put(cells: dict[str, _Cell], key: str, at_ms: int, amounts: tuple[int, ...]) -> None:
    """Let the first amounts of a cell be others from now on; one that never was anything needs no cell."""
    cell = cells.get(key)
    if cell is None:
        if not any(amounts):
            return
        cell = cells[key] = tuple(_Amount(at_ms) for _ in WHATS)
    for one, amount in zip(cell, amounts, strict=False):
        if one.now != amount:
            one.put(at_ms, amount)


class Areas:
    """Integrates while it is told what changes. Times must not go backwards."""

    def __init__(self, scenario: Scenario) -> None:
        self._settings = settings_over_time(scenario)
        self._limits: Capacity = {}
        self._at_ms = 0
        self._units: dict[str, UnitBalance] = {}
        self._cells: dict[str, dict[str, _Cell]] = {}
        self._wholes: dict[str, _Cell] = {}
        self._dirty: dict[str, None] = {}
        self.pass_to(0)

    def wait(self, share: str, need: Capacity, sign: int) -> None:
        """Count a job in or out that waits."""
        for unit, count in need.items():
            self._unit(unit).wait(share, sign * count)

    def use(self, share: str, need: Capacity, sign: int) -> None:
        """Count a job in or out that is dispatched."""
        for unit, count in need.items():
            self._unit(unit).use(share, sign * count)

    def start(self, share: str, need: Capacity, sign: int) -> None:
        """Let a job that waits be dispatched, or the other way round."""
        for unit, count in need.items():
            self._unit(unit).start(share, sign * count)

    def pass_to(self, at_ms: int) -> None:
        """Let time pass up to `at_ms`: note what was left changed, under the settings as they were."""
        if at_ms == self._at_ms and not self._settings:
            return
        if at_ms > self._at_ms and self._dirty:
            self._note()
        while self._settings and self._settings[0].at_ms <= at_ms:
            now = self._settings.pop(0)
            self._at_ms = max(self._at_ms, now.at_ms)
            self._limits = now.limits
            self._dirty.update(dict.fromkeys(settle_units(self._units, now.shares, now.limits)))
            if now.at_ms < at_ms:
                self._note()
        self._at_ms = max(self._at_ms, at_ms)

    def close(self, at_ms: int) -> None:
        """Integrate up to the end."""
        self.pass_to(at_ms)
        self._note()
        for cells in (*self._cells.values(), self._wholes):
            for one in chain.from_iterable(cells.values()):
                one.put(at_ms, one.now)

    def of(self, share: str, what: str) -> dict[str, Amounts]:
        """Return {unit: amounts} of a share, `what` being one of WHATS, for the units it lists or used; by unit."""
        index = WHATS.index(what)
        found = {unit: cells[share][index] for unit, cells in sorted(self._cells.items()) if share in cells}
        return {unit: Amounts(one.most, one.sum, one.most_at_ms) for unit, one in found.items()}

    def whole(self) -> dict[str, tuple[int, int, int]]:
        """Return {unit: instance-milliseconds in use, there, and in use beyond what was there}, by unit.

        Only of units of which the environment ever had any.
        """
        return {unit: (used.sum, there.sum, beyond.sum) for unit, (used, there, _, _, beyond) in self._units_ever()}

    def _units_ever(self) -> Iterator[tuple[str, _Cell]]:
        return ((unit, cell) for unit, cell in sorted(self._wholes.items()) if cell[1].sum)

    def reserved(self) -> Mapping[str, Reserved]:
        """Return {unit: what RESERVE kept from those who waited}, by unit, where it kept any."""
        return {
            unit: Reserved(idle.sum, wanted.sum) for unit, (_, _, idle, wanted, _) in self._units_ever() if idle.sum
        }

    def _unit(self, unit: str) -> UnitBalance:
        self._dirty[unit] = None
        found = self._units.get(unit)
        if found is None:
            found = self._units[unit] = UnitBalance()
        return found

    def _note(self) -> None:
        """Put down what the instant `_at_ms` left changed."""
        at_ms = self._at_ms
        for unit in self._dirty:
            balance = self._units[unit]
            cells = self._cells.setdefault(unit, {})
            for share, amounts in balance.used_anew():
                _put(cells, share, at_ms, amounts)
            for share, lent in balance.lent_anew():
                cells[share][LENT].put(at_ms, lent)
            limit, total = self._limits.get(unit, 0), balance.total
            idle = wanted = 0
            if balance.reservers and balance.borrowers_wait:
                idle = min(balance.reserved_idle, max(0, limit - total))
                wanted = min(idle, balance.borrowers_wait)
            _put(self._wholes, unit, at_ms, (total, limit, idle, wanted, total - limit if total > limit else 0))
        self._dirty.clear()
