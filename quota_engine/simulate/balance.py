"""One unit's instances among the shares at a moment: used, waited for, borrowed, lent, idle. Integers only.

Kept up to date job by job, so that nothing is summed up anew at each event; `changed` says which shares to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..model.stack import QuotaShare, Strategy


class Amounts(NamedTuple):
    """Instances of one share: in use, of these above the own limit, own idle ones in others' use, own ones in no use,
    and own ones that it uses or waits for; `nominal` is the own limit."""

    used: int = 0
    borrowed: int = 0
    lent: int = 0
    idle: int = 0
    wanted: int = 0
    nominal: int = 0


def divide(amount: int, idle: Mapping[str, int]) -> dict[str, int]:
    """Divide what is borrowed among lenders in proportion to their idle instances, whole instances only.

    At most what is idle is given out. Remainders go to the largest fractions first, then in order.
    """
    total = sum(idle.values())
    given = min(amount, total)
    if not given:
        return {}
    parts = {name: given * count // total for name, count in idle.items()}
    by_fraction = sorted(idle, key=lambda name: -(given * idle[name] % total))
    for name in by_fraction[: given - sum(parts.values())]:
        parts[name] += 1
    return {name: part for name, part in parts.items() if part}


class UnitBalance:
    """One unit. `total` is what all shares use, `over` what of it lies above the limits.

    `reserved_idle` is what RESERVE keeps idle, `borrowers_wait` what the jobs of shares that may borrow wait for.
    """

    def __init__(self) -> None:
        self.used: dict[str, int] = {}
        self.waiting: dict[str, int] = {}
        self.nominal: dict[str, int] = {}
        self.lenders: tuple[str, ...] = ()
        self.reservers: tuple[str, ...] = ()
        self.borrowers: frozenset[str] = frozenset()
        self.total = 0
        self.over = 0
        self.borrowers_wait = 0
        self.dirty: dict[str, None] = {}
        self.was_lent = False

    @property
    def reserved_idle(self) -> int:
        return sum(max(0, self.nominal[name] - self.used.get(name, 0)) for name in self.reservers)

    def wait(self, share: str, count: int) -> None:
        """Count instances that a share's job begins (or with a negative count ceases) to wait for."""
        self.waiting[share] = self.waiting.get(share, 0) + count
        if share in self.borrowers:
            self.borrowers_wait += count
        self.dirty[share] = None

    def use(self, share: str, count: int) -> None:
        """Count instances that a share's job takes (or with a negative count gives back)."""
        before = self.used.get(share, 0)
        nominal = self.nominal.get(share, 0)
        after = self.used[share] = before + count
        self.total += count
        self.over += max(0, after - nominal) - max(0, before - nominal)
        self.dirty[share] = None

    def settle(self, shares: Mapping[str, QuotaShare], unit: str) -> None:
        """Take other shares or limits into account; shares that are gone have none."""
        self.dirty.update(dict.fromkeys([*self.nominal, *shares, *self.used, *self.waiting]))
        self.nominal = {name: share.capacity_limits.get(unit, 0) for name, share in shares.items()}
        own = [(name, share) for name, share in shares.items() if self.nominal[name]]
        self.lenders = tuple(name for name, share in own if share.strategy.can_lend)
        self.reservers = tuple(name for name, share in own if share.strategy is Strategy.RESERVE)
        self.borrowers = frozenset(name for name, share in shares.items() if share.strategy.can_borrow)
        self.over = sum(max(0, used - self.nominal.get(name, 0)) for name, used in self.used.items())
        self.borrowers_wait = sum(count for name, count in self.waiting.items() if name in self.borrowers)

    def changed(self) -> Iterator[tuple[str, Amounts]]:
        """Yield the shares whose amounts may have changed since the last call, all lenders where any is lent."""
        lent = self._lent() if self.over else {}
        if lent or self.was_lent:
            self.dirty.update(dict.fromkeys(self.lenders))
        self.was_lent = bool(lent)
        for name in self.dirty:
            used, nominal = self.used.get(name, 0), self.nominal.get(name, 0)
            own, given = min(used, nominal), lent.get(name, 0)
            wanted = min(nominal, used + self.waiting.get(name, 0))
            yield name, Amounts(used, used - own, given, nominal - own - given, wanted, nominal)
        self.dirty.clear()

    def _lent(self) -> dict[str, int]:
        return divide(self.over, {name: max(0, self.nominal[name] - self.used.get(name, 0)) for name in self.lenders})
