"""Instances in use over time, for drawing: what each share uses, lends and borrows of each unit, against its limit.

The same definitions as the measures': borrowed is what lies above the own limit, lent is divided among the lenders.
Exact steps where there are few, else means over bins of equal width.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..model.stack import Capacity, QuotaShare
from ..model.work import Scenario
from ..scheduler.trace import Dispatched, Failed, Requeued, Submitted, Succeeded, TraceEvent
from .agenda import agenda, queue_after, queue_of
from .areas import divide
from .binned import Bins


@dataclass(frozen=True, slots=True)
class UseStep:
    """From `at_ms` until the next step: instances used within the limit, lent, borrowed, and the limit."""

    at_ms: int
    own: float
    lent: float
    borrowed: float
    limit: float


@dataclass(frozen=True, slots=True)
class UseSeries:
    """One unit's use by one share, or by the whole queue where `share` is ""; there the limit is the environment's.

    `bin_ms` is 0 for exact steps, else each step is a mean over that time.
    """

    unit: str
    share: str
    steps: tuple[UseStep, ...]
    bin_ms: int = 0


_Amounts = tuple[int, int, int, int]


class _Steps:
    """A series in the making; means where it is given bins."""

    def __init__(self, bins: Sequence[Bins]) -> None:
        self.bins = bins
        self.since_ms = 0
        self.now: _Amounts = (0, 0, 0, 0)
        self.steps: list[tuple[int, _Amounts]] = []

    def put(self, at_ms: int, amounts: _Amounts) -> None:
        if amounts == self.now:
            return
        self.pass_to(at_ms)
        self.now = amounts

    def pass_to(self, at_ms: int) -> None:
        """Record what was until now; what lasted no time leaves no mark."""
        if at_ms <= self.since_ms:
            return
        if self.bins:
            for bins, amount in zip(self.bins, self.now, strict=True):
                bins.add(self.since_ms, at_ms, amount)
        else:
            self.steps.append((self.since_ms, self.now))
        self.since_ms = at_ms

    def finish(self, end_ms: int) -> tuple[UseStep, ...]:
        self.pass_to(end_ms)
        if self.bins:
            width_ms = self.bins[0].width_ms
            rows = zip(*(bins.means() for bins in self.bins), strict=True)
            return tuple(UseStep(index * width_ms, *row) for index, row in enumerate(rows))
        return tuple(UseStep(at_ms, *amounts) for at_ms, amounts in self.steps)


class _Unit:
    """One unit's use by each share, and what of it lies above the limits, kept up to date."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}
        self.nominal: dict[str, int] = {}
        self.lenders: tuple[str, ...] = ()
        self.total = 0
        self.over = 0
        self.dirty: dict[str, None] = {}
        self.was_lent = False

    def count(self, share: str, count: int) -> None:
        before = self.used.get(share, 0)
        nominal = self.nominal.get(share, 0)
        self.used[share] = before + count
        self.total += count
        self.over += max(0, before + count - nominal) - max(0, before - nominal)
        self.dirty[share] = None

    def settle(self, shares: Mapping[str, QuotaShare], unit: str) -> None:
        """Take other shares or limits into account."""
        self.nominal = {name: share.capacity_limits.get(unit, 0) for name, share in shares.items()}
        self.lenders = tuple(name for name, share in shares.items() if share.strategy.can_lend and self.nominal[name])
        self.over = sum(max(0, used - self.nominal.get(name, 0)) for name, used in self.used.items())
        self.dirty.update(dict.fromkeys([*shares, *self.used]))

    def changed(self) -> Iterator[tuple[str, _Amounts]]:
        """Yield the shares whose amounts may have changed since the last call, all lenders where any is lent."""
        lent = self._lent() if self.over else {}
        if lent or self.was_lent:
            self.dirty.update(dict.fromkeys(self.lenders))
        self.was_lent = bool(lent)
        for name in self.dirty:
            used, nominal = self.used.get(name, 0), self.nominal.get(name, 0)
            own = min(used, nominal)
            yield name, (own, lent.get(name, 0), used - own, nominal)
        self.dirty.clear()

    def _lent(self) -> dict[str, int]:
        return divide(self.over, {name: max(0, self.nominal[name] - self.used.get(name, 0)) for name in self.lenders})


class _Use:
    """Reads a trace instant by instant."""

    def __init__(self, scenario: Scenario, bin_ms: int, end_ms: int) -> None:
        self.settings = _settings(scenario)
        self.bin_ms, self.end_ms = bin_ms, end_ms
        self.units: dict[str, _Unit] = {}
        self.limits: Capacity = {}
        self.shares: dict[str, None] = {}
        self.jobs: dict[str, tuple[str, Capacity]] = {}
        self.placed: set[str] = set()
        self.series: dict[tuple[str, str], _Steps] = {}

    def instant(self, at_ms: int, events: Iterable[TraceEvent]) -> None:
        """Take in what happens at one time, then note what it left changed."""
        self.settle(at_ms)
        for event in events:
            match event:
                case Submitted(job=job, share=share, need=need):
                    self.jobs[job] = (share, need)
                case Dispatched(job=job):
                    self.placed.add(job)
                    self._count(job, 1)
                case Requeued(job=job) | Succeeded(job=job) | Failed(job=job) if job in self.placed:
                    self.placed.discard(job)
                    self._count(job, -1)
                case _:
                    pass
        self._note(at_ms)

    def settle(self, at_ms: int) -> None:
        """Apply the changes of settings up to a time."""
        while self.settings and self.settings[0][0] <= at_ms:
            since_ms, shares, self.limits = self.settings.pop(0)
            self.shares.update(dict.fromkeys(shares))
            listed = (unit for share in shares.values() for unit in share.capacity_limits)
            for unit in dict.fromkeys([*self.limits, *listed, *self.units]):
                self.units.setdefault(unit, _Unit()).settle(shares, unit)
            self._note(since_ms)

    def _count(self, job: str, sign: int) -> None:
        share, need = self.jobs[job]
        self.shares.setdefault(share)
        for unit, count in need.items():
            self.units.setdefault(unit, _Unit()).count(share, sign * count)

    def _note(self, at_ms: int) -> None:
        for name, unit in self.units.items():
            if not unit.dirty:
                continue
            for share, amounts in unit.changed():
                self._put(name, share, at_ms, amounts)
            self._put(name, "", at_ms, (unit.total - unit.over, 0, unit.over, self.limits.get(name, 0)))

    def _put(self, unit: str, share: str, at_ms: int, amounts: _Amounts) -> None:
        found = self.series.get((unit, share))
        if found is None:
            if not any(amounts):
                return
            bins = [Bins(self.bin_ms, self.end_ms) for _ in amounts] if self.bin_ms else []
            found = self.series[unit, share] = _Steps(bins)
        found.put(at_ms, amounts)


def use_over_time(trace: Iterable[TraceEvent], scenario: Scenario, end_ms: int, bin_ms: int = 0) -> list[UseSeries]:
    """Return a series for each unit and share that has or uses any of it, the whole queue's before its shares'.

    `bin_ms` 0 gives exact steps. Units in the environment's order, shares in the declared one.
    """
    use = _Use(scenario, bin_ms, end_ms)
    use.settle(0)
    for at_ms, events in groupby(trace, key=lambda event: event.at_ms):
        use.instant(at_ms, events)
    use.settle(end_ms)
    units = {unit: index for index, unit in enumerate(use.units)}
    shares = {name: index for index, name in enumerate(["", *use.shares])}
    keys = sorted(use.series, key=lambda key: (units[key[0]], shares[key[1]]))
    return [UseSeries(unit, share, use.series[unit, share].finish(end_ms), bin_ms) for unit, share in keys]


def _settings(scenario: Scenario) -> list[tuple[int, Mapping[str, QuotaShare], Capacity]]:
    """Return (from_ms, shares, the environment's limits) in order of time."""
    queue, environment = queue_of(scenario.stack, scenario.queue)
    found: list[tuple[int, Mapping[str, QuotaShare], Capacity]] = [(0, queue.quota_shares, environment.capacity_limits)]
    for instant in agenda(scenario):
        for event in instant.events:
            queue, environment = queue_after(event, queue, environment)
        if (queue.quota_shares, environment.capacity_limits) != found[-1][1:]:
            found.append((instant.at_ms, queue.quota_shares, environment.capacity_limits))
    return found
