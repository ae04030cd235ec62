"""Instances in use over time, for drawing: what each share uses, lends and borrows of each unit, against its limit.

The same definitions as the measures': borrowed is what lies above the own limit, lent is divided among the lenders.
Exact steps where there are few, else means over bins of equal width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..model.stack import Capacity
from ..model.work import Scenario
from ..scheduler.trace import Dispatched, Failed, Requeued, Submitted, Succeeded, TraceEvent
from .balance import UnitBalance, settle_units
from .binned import Bins
from .settings import settings_over_time


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


class _Use:
    """Reads a trace instant by instant."""

    def __init__(self, scenario: Scenario, bin_ms: int, end_ms: int) -> None:
        self.settings = settings_over_time(scenario)
        self.bin_ms, self.end_ms = bin_ms, end_ms
        self.units: dict[str, UnitBalance] = {}
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
        while self.settings and self.settings[0].at_ms <= at_ms:
            now = self.settings.pop(0)
            self.limits = now.limits
            self.shares.update(dict.fromkeys(now.shares))
            settle_units(self.units, now.shares, now.limits)
            self._note(now.at_ms)

    def _count(self, job: str, sign: int) -> None:
        share, need = self.jobs[job]
        self.shares.setdefault(share)
        for unit, count in need.items():
            self.units.setdefault(unit, UnitBalance()).use(share, sign * count)

    def _note(self, at_ms: int) -> None:
        for name, unit in self.units.items():
            if not unit.dirty:
                continue
            for share, (used, borrowed, _, nominal, lent) in unit.settled():
                self._put(name, share, at_ms, (used - borrowed, lent, borrowed, nominal))
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
