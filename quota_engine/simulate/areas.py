"""Instances over time: what each share uses, borrows, lends, keeps idle and wants, and what there is, integrated.

Only states that last count; what comes and goes within one instant leaves no mark. A change costs what it changes: the
shares concerned, and all lenders of the unit while something is lent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from ..model.stack import Capacity
from ..model.work import Scenario
from .balance import UnitBalance
from .settings import settings_over_time

WHATS: Final = ("used", "borrowed", "lent", "wanted", "nominal")
"""What is integrated of each share and unit, in the order of `UnitBalance.settled`."""
_Key = TypeVar("_Key", str, tuple[str, str])


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


class _Cell:
    """Amounts over time: the integral and the most of each, and since when it was that for the first time."""

    __slots__ = ("most", "most_at_ms", "now", "since_ms", "sums")

    def __init__(self, width: int, since_ms: int) -> None:
        self.since_ms = since_ms
        self.now: tuple[int, ...] = (0,) * width
        self.sums = [0] * width
        self.most = [0] * width
        self.most_at_ms = [since_ms] * width

    def put(self, at_ms: int, amounts: tuple[int, ...]) -> None:
        if amounts != self.now:
            self.pass_to(at_ms)
            self.now = amounts

    def pass_to(self, at_ms: int) -> None:
        since_ms = self.since_ms
        lasted_ms = at_ms - since_ms
        if lasted_ms <= 0:
            return
        self.since_ms = at_ms
        for index, amount in enumerate(self.now):
            if amount:
                self.sums[index] += amount * lasted_ms
                if amount > self.most[index]:
                    self.most[index], self.most_at_ms[index] = amount, since_ms


class Areas:
    """Integrates while it is told what changes. Times must not go backwards."""

    def __init__(self, scenario: Scenario) -> None:
        self._settings = settings_over_time(scenario)
        self._limits: Capacity = {}
        self._at_ms = 0
        self._units: dict[str, UnitBalance] = {}
        self._cells: dict[tuple[str, str], _Cell] = {}
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

    def pass_to(self, at_ms: int) -> None:
        """Let time pass up to `at_ms`: note what was left changed, under the settings as they were."""
        if at_ms > self._at_ms and self._dirty:
            self._note()
        while self._settings and self._settings[0].at_ms <= at_ms:
            now = self._settings.pop(0)
            self._at_ms = max(self._at_ms, now.at_ms)
            self._limits = now.limits
            listed = (unit for share in now.shares.values() for unit in share.capacity_limits)
            for unit in dict.fromkeys([*now.limits, *listed, *self._units]):
                self._unit(unit).settle(now.shares, unit)
            if now.at_ms < at_ms:
                self._note()
        self._at_ms = max(self._at_ms, at_ms)

    def close(self, at_ms: int) -> None:
        """Integrate up to the end."""
        self.pass_to(at_ms)
        self._note()
        for cell in (*self._cells.values(), *self._wholes.values()):
            cell.pass_to(at_ms)

    def of(self, share: str, what: str) -> dict[str, Amounts]:
        """Return {unit: amounts} of a share, `what` being one of WHATS, for the units it lists or used; by unit."""
        index = WHATS.index(what)
        found = {unit: cell for (name, unit), cell in self._cells.items() if name == share}
        return {
            unit: Amounts(cell.most[index], cell.sums[index], cell.most_at_ms[index])
            for unit, cell in sorted(found.items())
        }

    def whole(self) -> dict[str, tuple[int, int, int]]:
        """Return {unit: instance-milliseconds in use, there, and in use beyond what was there}, by unit.

        Only of units of which the environment ever had any.
        """
        return {unit: (cell.sums[0], cell.sums[1], cell.sums[4]) for unit, cell in self._units_ever()}

    def _units_ever(self) -> Iterator[tuple[str, _Cell]]:
        return ((unit, cell) for unit, cell in sorted(self._wholes.items()) if cell.sums[1])

    def reserved(self) -> Mapping[str, Reserved]:
        """Return {unit: what RESERVE kept from those who waited}, by unit, where it kept any."""
        return {unit: Reserved(cell.sums[2], cell.sums[3]) for unit, cell in self._units_ever() if cell.sums[2]}

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
            for share, amounts in balance.settled():
                self._put(self._cells, (share, unit), at_ms, amounts)
            limit, total = self._limits.get(unit, 0), balance.total
            idle = min(balance.reserved_idle, max(0, limit - total)) if balance.borrowers_wait else 0
            wanted = min(idle, balance.borrowers_wait)
            self._put(self._wholes, unit, at_ms, (total, limit, idle, wanted, max(0, total - limit)))
        self._dirty.clear()

    @staticmethod
    def _put(cells: dict[_Key, _Cell], key: _Key, at_ms: int, amounts: tuple[int, ...]) -> None:
        cell = cells.get(key)
        if cell is None:
            if not any(amounts):
                return
            cell = cells[key] = _Cell(len(amounts), at_ms)
        cell.put(at_ms, amounts)
