"""One unit's instances among the shares at a moment: used, waited for, borrowed, lent, idle. Integers only.

Kept up to date job by job, so that nothing is summed up anew at each event; `settled` says which shares to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model.stack import Capacity, QuotaShare, Strategy


def divide(amount: int, idle: Sequence[int]) -> list[int]:
    """Divide what is borrowed among lenders in proportion to their idle instances, whole instances only.

    At most what is idle is given out. Remainders go to the largest fractions first, then in order.
    """
    total = sum(idle)
    if not amount or not total:
        return [0] * len(idle)
    if amount >= total:
        return list(idle)
    parts = [amount * count // total for count in idle]
    left = amount - sum(parts)
    if left:
        by_fraction = sorted(range(len(idle)), key=[-(amount * count % total) for count in idle].__getitem__)
        for index in by_fraction[:left]:
            parts[index] += 1
    return parts


class UnitBalance:
    """One unit. `total` is what all shares use, `over` what of it lies above the limits.

    `reserved_idle` is what RESERVE keeps idle, `borrowers_wait` what the jobs of shares that may borrow wait for.
    `idle` is what each lender keeps idle, `parts` what of it is lent since the last `lent_anew`; `lent` is that by
    share, and `ceased` are those that lent and no longer may.
    """

    def __init__(self) -> None:
        self.used: dict[str, int] = {}
        self.waiting: dict[str, int] = {}
        self.nominal: dict[str, int] = {}
        self.lenders: dict[str, int] = {}
        self.idle: list[int] = []
        self.parts: list[int] = []
        self.reservers: tuple[str, ...] = ()
        self.borrowers: frozenset[str] = frozenset()
        self.total = 0
        self.over = 0
        self.borrowers_wait = 0
        self.lent: dict[str, int] = {}
        self.ceased: list[str] = []
        self.is_lending_anew = False
        self.dirty: dict[str, None] = {}

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
        borrowed_more = max(0, after - nominal) - max(0, before - nominal)
        self.over += borrowed_more
        self.dirty[share] = None
        index = self.lenders.get(share)
        if index is not None:
            self.idle[index] = nominal - after if after < nominal else 0
        if index is not None or borrowed_more:
            self.is_lending_anew = True

    def start(self, share: str, count: int) -> None:
        """Count instances that a share's job waited for and takes (or with a negative count gives back, and waits)."""
        self.wait(share, -count)
        self.use(share, count)

    def settle(self, shares: Mapping[str, QuotaShare], unit: str) -> None:
        """Take other shares or limits into account; shares that are gone have none."""
        self.dirty.update(dict.fromkeys([*self.nominal, *shares, *self.used, *self.waiting]))
        self.nominal = {name: share.capacity_limits.get(unit, 0) for name, share in shares.items()}
        own = [(name, share) for name, share in shares.items() if self.nominal[name]]
        names = [name for name, share in own if share.strategy.can_lend]
        self.lenders = {name: index for index, name in enumerate(names)}
        self.idle = [max(0, self.nominal[name] - self.used.get(name, 0)) for name in names]
        self.parts = [self.lent.get(name, 0) for name in names]
        self.ceased = [name for name, part in self.lent.items() if part and name not in self.lenders]
        self.is_lending_anew = True
        self.reservers = tuple(name for name, share in own if share.strategy is Strategy.RESERVE)
        self.borrowers = frozenset(name for name, share in shares.items() if share.strategy.can_borrow)
        self.over = sum(max(0, used - self.nominal.get(name, 0)) for name, used in self.used.items())
        self.borrowers_wait = sum(count for name, count in self.waiting.items() if name in self.borrowers)

    def settled(self) -> Iterator[tuple[str, tuple[int, int, int, int, int]]]:
        """Yield the shares whose amounts may have changed since the last call: all that it lends included.

        The amounts: instances in use, of these above the own limit, own ones that it uses or waits for, the own limit,
        and own idle ones in others' use.
        """
        self.dirty.update((name, None) for name, _ in self.lent_anew())
        for name, amounts in self.used_anew():
            yield name, (*amounts, self.lent.get(name, 0))

    def used_anew(self) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
        """Yield the shares whose use, waiting jobs or limit may have changed since the last call, as `settled` does."""
        for name in self.dirty:
            used, nominal = self.used.get(name, 0), self.nominal.get(name, 0)
            wanted = used + self.waiting.get(name, 0)
            yield name, (used, used - nominal if used > nominal else 0, min(wanted, nominal), nominal)
        self.dirty.clear()

    def lent_anew(self) -> list[tuple[str, int]]:
        """Divide anew what is borrowed; return the shares that lend another number, and that number."""
        if not self.is_lending_anew:
            return []
        self.is_lending_anew = False
        before, parts = self.parts, divide(self.over, self.idle)
        changed = [(name, 0) for name in self.ceased]
        if parts != before:
            both = zip(self.lenders, parts, before, strict=True)
            changed += [(name, part) for name, part, former in both if part != former]
        self.parts, self.ceased = parts, []
        self.lent.update(changed)
        return changed


def settle_units(units: dict[str, UnitBalance], shares: Mapping[str, QuotaShare], limits: Capacity) -> list[str]:
    """Let all units take other shares and limits into account, new ones included; return their names."""
    listed = (unit for share in shares.values() for unit in share.capacity_limits)
    names = list(dict.fromkeys([*limits, *listed, *units]))
    for name in names:
        units.setdefault(name, UnitBalance()).settle(shares, name)
    return names
