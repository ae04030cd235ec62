"""All quota arithmetic: who uses how much, what is idle, lent, reserved, and what fits.

It knows amounts only, never jobs, priorities or time. Units are numbered once; every amount is a plain integer in a
list indexed by that number, so each question costs a few additions, whatever the number of jobs.

Notation of the documents: use, cap (nominal), SE (`limit`); over = max(0, use - cap); idle = max(0, cap - use); IDLE =
idle of the lending shares; OVER = over of all shares; RES = idle of the others. Two sums carry it all, per unit:
`slack` = IDLE - OVER, `reserved` = RES.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..model.stack import UNLIMITED, Capacity, QuotaShare, State, borrow_allowance
from .assumptions import Assumptions

UNBOUNDED: Final = 1 << 62
"""More instances than there can be: the maximum use of a share whose borrow limit is -1."""

Pairs = tuple[tuple[int, int], ...]
"""A need as ((unit number, instances), …), by unit number."""


Bar = tuple[int, int, int]
"""(unit, slack, unreserved room) below which a search need not be tried again."""


EVERY_UNIT: Final = -1
"""The mask that has every unit."""


class Need:
    """What a job asks for, all units at once. One object per distinct need of a queue.

    `mask` has a bit for each unit, 1 << its number; that of nothing has every unit.
    """

    __slots__ = ("by_unit", "mask", "pairs", "splits")

    def __init__(self, pairs: Pairs, by_unit: Capacity) -> None:
        self.pairs: Pairs = pairs
        self.mask = sum(1 << unit for unit, _ in pairs) or EVERY_UNIT
        self.by_unit: Capacity = by_unit
        self.splits: dict[Pairs, tuple[Capacity, Capacity]] = {}


class Account:
    """One share's amounts. `use` counts its dispatched jobs and its claim, not the victims being stopped."""

    __slots__ = ("borrows", "cap", "lends", "max_use", "rounded", "unlisted_max_use", "use")

    def __init__(
        self, cap: list[int], use: list[int], max_use: list[int], lends: bool = False, borrows: bool = False
    ) -> None:
        self.cap = cap
        self.use = use
        self.max_use = max_use
        self.rounded: list[bool] = [False] * len(cap)
        self.unlisted_max_use = 0
        self.lends = lends
        self.borrows = borrows

    def copy(self) -> Account:
        """Return an account with the same settings and a use of its own."""
        return Account(self.cap, self.use.copy(), self.max_use, self.lends, self.borrows)

    def over(self, unit: int) -> int:
        return max(0, self.use[unit] - self.cap[unit])

    def idle(self, unit: int) -> int:
        return max(0, self.cap[unit] - self.use[unit])

    def fits_own(self, pairs: Pairs) -> bool:
        """Whether the need fits within the share's own limit in every unit (own_fit)."""
        use, cap = self.use, self.cap
        for unit, count in pairs:  # noqa: SIM110 (a generator costs three times as much in the hottest question)
            if use[unit] + count > cap[unit]:
                return False
        return True

    def borrowed_part(self, pairs: Pairs) -> Pairs:
        """What of a need placed now would lie above the own limit; units with none are left out."""
        use, cap = self.use, self.cap
        return tuple(
            [
                (unit, min(count, use[unit] + count - cap[unit]))
                for unit, count in pairs
                if use[unit] + count > cap[unit]
            ]
        )


class Amounts:
    """The sums per unit, kept in step with the accounts: `committed`, `slack` and `reserved` (see above).

    The one place where a need is placed or freed; the caller keeps it in step with the jobs.
    """

    __slots__ = ("committed", "limit", "reserved", "slack", "unit_names")

    unit_names: list[str]
    limit: list[int]
    committed: list[int]
    slack: list[int]
    reserved: list[int]

    def add_use(self, account: Account, pairs: Pairs, used: int, committed: int = 0) -> None:
        """Count a need in (+1) or out (-1) of its share's use, and of slack and reserved with it.

        `committed` does the same to what the environment has given: +1 with a dispatch, -1 with its end.
        """
        use, slack = account.use, self.slack
        for unit, count in pairs:
            change = used * count
            after = use[unit] + change
            if after < 0:
                raise ValueError(f"use of {self.unit_names[unit]} would fall from {after - change} to {after}")
            use[unit] = after
            self.committed[unit] += committed * count
            if account.lends:
                slack[unit] -= change
            else:
                nominal = account.cap[unit]
                before = after - change
                slack[unit] -= max(0, after - nominal) - max(0, before - nominal)
                self.reserved[unit] += max(0, nominal - after) - max(0, nominal - before)

    def add_committed(self, pairs: Iterable[tuple[int, int]], sign: int) -> None:
        for unit, count in pairs:
            self.committed[unit] += sign * count


class Ledger(Amounts):
    """The amounts of one queue. `committed` is what the environment has given or promised, per unit.

    Committed are the dispatched jobs, the victims being stopped, and of each claim whatever it needs beyond what its
    own victims still hold. So room is never promised twice, and a claim always finds its room (assumption A-15).
    """

    __slots__ = ("accounts", "needs", "unit_numbers")

    def __init__(self) -> None:
        self.unit_names = []
        self.unit_numbers: dict[str, int] = {}
        self.limit = []
        self.committed = []
        self.slack = []
        self.reserved = []
        self.accounts: list[Account] = []
        self.needs: dict[tuple[tuple[str, int], ...], Need] = {}

    def unit_number(self, name: str) -> int:
        """Return the unit's number, giving it one (and every list a place) when it is new."""
        number = self.unit_numbers.get(name)
        if number is None:
            number = self.unit_numbers[name] = len(self.unit_names)
            self.unit_names.append(name)
            for amounts in (self.limit, self.committed, self.slack, self.reserved):
                amounts.append(0)
            for account in self.accounts:
                account.cap.append(0)
                account.use.append(0)
                account.max_use.append(account.unlisted_max_use)
                account.rounded.append(False)
        return number

    def need_of(self, capacity: Capacity) -> Need:
        """Return the one Need object for this capacity."""
        key = tuple(capacity.items())
        found = self.needs.get(key)
        if found is None:
            pairs = tuple(sorted((self.unit_number(unit), count) for unit, count in key))
            found = self.needs[key] = Need(pairs, {unit: capacity[unit] for unit in sorted(capacity)})
        return found

    def amounts(self, pairs: Iterable[tuple[int, int]]) -> dict[str, int]:
        """Return pairs as {unit: instances}, by unit name."""
        return dict(sorted((self.unit_names[unit], count) for unit, count in pairs))

    def split(self, need: Need, borrowed: Pairs) -> tuple[Capacity, Capacity]:
        """Return what of a need is own and what is borrowed, each by unit name and without zeros."""
        found = need.splits.get(borrowed)
        if found is None:
            lent = self.amounts(borrowed)
            own = {unit: count - lent.get(unit, 0) for unit, count in need.by_unit.items() if count > lent.get(unit, 0)}
            found = need.splits[borrowed] = (own, lent)
        return found

    # Questions.

    def is_over(self, pairs: Pairs) -> bool:
        """Whether more is committed than the environment has, in a unit of the need (its limit was lowered)."""
        return any(self.committed[unit] > self.limit[unit] for unit, _ in pairs)

    def is_covered(self, account: Account, pairs: Pairs) -> bool:
        """Whether what a share uses above its own limit is lent to it now: OVER <= IDLE, and nothing reserved used."""
        return all(
            account.use[unit] <= account.cap[unit]
            or (self.slack[unit] >= 0 and self.committed[unit] + self.reserved[unit] <= self.limit[unit])
            for unit, _ in pairs
        )

    def can_borrow(self, account: Account, pairs: Pairs) -> bool:
        """Whether the need fits with borrowed capacity, nobody preempted: borrow_ok(j, {}).

        With the need placed, per unit: use <= the share's maximum, OVER <= IDLE, sum of use <= SE, no pressure on
        what is reserved. A lender's own idle instances leave IDLE as they are used, so its whole need counts.
        """
        if not account.borrows:
            return False
        use, max_use = account.use, account.max_use
        for unit, count in pairs:
            after = use[unit] + count
            demand = count if account.lends else max(0, min(count, after - account.cap[unit]))
            if demand > self.slack[unit] or after > max_use[unit]:
                return False
            room = self.limit[unit] - self.committed[unit]
            if demand > room - self.reserved[unit] or count > room:
                return False
        return True

    def levels(self) -> list[int]:
        """Return what there is for heads that wait: slack, then unreserved room, per unit."""
        levels, committed, reserved = self.slack.copy(), self.committed, self.reserved
        for unit, limit in enumerate(self.limit):
            levels.append(limit - committed[unit] - reserved[unit])
        return levels

    def grown(self, before: list[int]) -> int:
        """Return the mask of the units in which slack or unreserved room has grown."""
        units, mask = len(self.limit), 0
        for place, level in enumerate(self.levels()):
            if level > before[place]:
                mask |= 1 << place % units
        return mask

    def clears(self, bar: Bar) -> bool:
        """Whether slack and unreserved room have come up to what a failed search said it lacked."""
        unit, slack, free = bar
        return self.slack[unit] >= slack and self.limit[unit] - self.committed[unit] - self.reserved[unit] >= free

    def has_room(self, account: Account, pairs: Pairs) -> bool:
        """Whether a need that fits its share's own limit fits the environment too, nobody preempted (lack = 0).

        A lender's use presses on what is reserved; a reserving share's takes the place of its own idle instances.
        """
        for unit, count in pairs:
            room = self.limit[unit] - self.committed[unit]
            if count > room or (account.lends and count > room - self.reserved[unit]):
                return False
        return True

    def most_for(self, account: Account, unit: int, assumptions: Assumptions) -> int:
        """Return the most that could ever serve the share: its own limit and all that others could lend it."""
        most = account.cap[unit] + self._lendable_by_others(account, unit)
        if assumptions.unallocated_borrowable:
            most += max(0, self.limit[unit] - sum(other.cap[unit] for other in self.accounts))
        return most

    def _lendable_by_others(self, account: Account, unit: int) -> int:
        """Return the configured capacity of the other lending shares."""
        return sum(other.cap[unit] for other in self.accounts if other.lends and other is not account)

    # Settings.

    def set_limits(self, capacity: Capacity) -> None:
        """Set the environment's limits; a unit not named has none."""
        numbers = {self.unit_number(unit): count for unit, count in capacity.items()}
        self.limit = [numbers.get(unit, 0) for unit in range(len(self.unit_names))]

    def set_share(self, account: Account, share: QuotaShare, assumptions: Assumptions) -> None:
        """Give the account the share's settings. Call `recount` after the last change."""
        for unit in share.capacity_limits:
            self.unit_number(unit)
        account.borrows = share.strategy.can_borrow
        account.lends = share.strategy.can_lend and (share.state is State.ENABLED or assumptions.disabled_shares_lend)
        percent = share.effective_borrow_limit_percent if account.borrows else 0
        percent = percent if percent is not None else 0
        units = range(len(self.unit_names))
        account.cap = [share.capacity_limits.get(self.unit_names[unit], 0) for unit in units]
        account.rounded = [percent > 0 and cap * percent % 100 != 0 for cap in account.cap]
        unlisted = UNBOUNDED if percent == UNLIMITED and assumptions.borrow_unlisted_units else 0
        account.unlisted_max_use = unlisted
        account.max_use = [_most(cap, percent) if cap else unlisted for cap in account.cap]

    def recount(self, assumptions: Assumptions) -> None:
        """Compute slack and reserved anew from the accounts, after settings changed."""
        for unit in range(len(self.unit_names)):
            self.reserved[unit] = sum(account.idle(unit) for account in self.accounts if not account.lends)
            idle = sum(account.idle(unit) for account in self.accounts if account.lends)
            self.slack[unit] = idle - sum(account.over(unit) for account in self.accounts)
            if assumptions.unallocated_borrowable:
                nominal = sum(account.cap[unit] for account in self.accounts)
                self.slack[unit] += max(0, self.limit[unit] - nominal)


def _most(cap: int, borrow_limit_percent: int) -> int:
    allowance = borrow_allowance(cap, borrow_limit_percent)
    return UNBOUNDED if allowance is None else cap + allowance


class Trial(Amounts):
    """What the amounts would be with one need placed and some victims gone. The ledger itself is not changed.

    It is a copy of the sums and, as they are touched, of the accounts, on which needs are placed and freed as on the
    ledger. `lack(unit)` is the larger of what is missing in the environment and by how much the pressure on reserved
    capacity would grow: max(0, sum of use - SE, press after - press before).
    """

    __slots__ = ("_after", "account", "ledger", "pairs")

    def __init__(self, ledger: Ledger, account: Account, pairs: Pairs) -> None:
        self.ledger = ledger
        self.pairs = pairs
        self.unit_names = ledger.unit_names
        self.limit = ledger.limit
        self.committed = ledger.committed.copy()
        self.slack = ledger.slack.copy()
        self.reserved = ledger.reserved.copy()
        self.account = account.copy()
        self._after: dict[Account, Account] = {account: self.account}
        self.add_use(self.account, pairs, 1, 1)

    def remove(self, account: Account, pairs: Pairs, sign: int = 1) -> None:
        """Take a victim's need away; with sign -1 give it back."""
        after = self._after.get(account)
        if after is None:
            after = self._after[account] = account.copy()
        self.add_use(after, pairs, -sign, -sign)

    def over_after(self, account: Account, unit: int) -> int:
        return self._after.get(account, account).over(unit)

    def missing(self, unit: int) -> int:
        """Return how far the environment would be exceeded; zero or less where the room suffices."""
        return self.committed[unit] - self.limit[unit]

    def pressure(self, unit: int) -> int:
        return max(0, self.committed[unit] + self.reserved[unit] - self.limit[unit])

    def lack(self, unit: int) -> int:
        ledger, limit, committed = self.ledger, self.limit[unit], self.committed[unit]
        before = max(0, ledger.committed[unit] + ledger.reserved[unit] - limit)
        return max(0, committed - limit, committed + self.reserved[unit] - limit - before)

    def lacks(self) -> dict[int, int]:
        """Return {unit: lack} for every unit of the need, zeros included."""
        return {unit: self.lack(unit) for unit, _ in self.pairs}

    def lacking(self) -> list[int]:
        """Return the units of the need that lack something."""
        return [unit for unit, _ in self.pairs if self.lack(unit)]

    def has_room(self) -> bool:
        """Whether the environment holds what the need's units have now."""
        for unit, _ in self.pairs:  # noqa: SIM110 (see `fits_own`)
            if self.committed[unit] > self.limit[unit]:
                return False
        return True

    def is_served_own(self) -> bool:
        """Whether the need, now placed, stays within its share's own limit and lacks nothing."""
        use, cap = self.account.use, self.account.cap
        for unit, _ in self.pairs:  # noqa: SIM110
            if use[unit] > cap[unit] or self.lack(unit):
                return False
        return True

    def is_served_borrowing(self) -> bool:
        """borrow_ok(j, V): whether the need, now placed, may use borrowed capacity."""
        account, limit = self.account, self.limit
        if not account.borrows:
            return False
        for unit, _ in self.pairs:
            committed = self.committed[unit]
            if account.use[unit] > account.max_use[unit] or self.slack[unit] < 0:
                return False
            if committed > limit[unit] or committed + self.reserved[unit] > limit[unit]:
                return False
        return True

    def bar(self) -> Bar | None:
        """Return what the pool must come up to before the need can be served with these victims gone.

        None where there is no such simple bar: several units, or a need that would fit the own limit.
        """
        if len(self.pairs) != 1:
            return None
        [(unit, _)] = self.pairs
        account, ledger = self.account, self.ledger
        if account.use[unit] <= account.cap[unit]:
            return None
        if not account.borrows or account.use[unit] > account.max_use[unit]:
            return (unit, UNBOUNDED, UNBOUNDED)
        free = self.committed[unit] + self.reserved[unit] - ledger.committed[unit] - ledger.reserved[unit]
        return (unit, ledger.slack[unit] - self.slack[unit], free)
