"""What each share's jobs do over time, as a sink: instances on the own limit, borrowed and waited for, and preemptions.

All types of instances together. In bounded memory: as many bins as there are from the start, which grow wider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..model.stack import Capacity, QuotaShare
from ..model.work import Scenario
from ..scheduler.trace import Dispatched, Failed, PreemptionStarted, Requeued, Submitted, Succeeded, TraceEvent
from .binned import GrowingBins
from .outcome import Run, Takers
from .settings import settings_over_time

BINS: Final = 2048
"""Many beside the columns of a terminal, so that what lies across the border of two is little."""


@dataclass(frozen=True, slots=True)
class ShareLoad:
    """One share. Integrals in instance-milliseconds over equal parts of the time, and the number of preemptions.

    `most_…` are instances at once; `nominal` is the largest own limit that it ever had.
    """

    share: str
    nominal: int
    own: tuple[int, ...]
    borrowed: tuple[int, ...]
    waiting: tuple[int, ...]
    preempted: tuple[int, ...]
    most_own: int
    most_borrowed: int
    most_waiting: int


class _Amount:
    """An amount over time; what comes and goes within one instant leaves no mark.

    `here` is the integral from `start_ms` on, all of it in the bin that ends at `border_ms`: bins are many events wide.
    """

    __slots__ = ("bins", "border_ms", "here", "most", "now", "since_ms", "start_ms")

    def __init__(self) -> None:
        self.now = self.since_ms = self.most = self.here = self.start_ms = self.border_ms = 0
        self.bins = GrowingBins(BINS)

    def change(self, at_ms: int, difference: int) -> None:
        """Let it be more or less from now on."""
        now, since_ms = self.now, self.since_ms
        if at_ms > since_ms:
            if now > self.most:
                self.most = now
            if at_ms <= self.border_ms:
                self.here += now * (at_ms - since_ms)
            else:
                self._leave(at_ms)
            self.since_ms = at_ms
        self.now = now + difference

    def _leave(self, at_ms: int) -> None:
        """Put down what lies in the bin that is left, and what passes its border."""
        self.bins.put(self.start_ms, self.here)
        self.bins.add(self.since_ms, at_ms, self.now)
        self.here, self.start_ms = 0, at_ms
        self.border_ms = (at_ms // self.bins.width_ms + 1) * self.bins.width_ms

    def close(self, at_ms: int) -> None:
        """Let nothing be left out of the bins."""
        self._leave(at_ms)
        self.since_ms = at_ms


class _Load:
    """One share's amounts, and what they are made of."""

    __slots__ = ("borrowed", "most_nominal", "nominal", "own", "preempted", "used", "waiting")

    def __init__(self) -> None:
        self.nominal: Capacity = {}
        self.most_nominal = 0
        self.used: dict[str, int] = {}
        self.own, self.borrowed, self.waiting = _Amount(), _Amount(), _Amount()
        self.preempted = GrowingBins(BINS)

    def use(self, at_ms: int, need: Capacity, sign: int) -> None:
        for unit, count in need.items():
            before, nominal = self.used.get(unit, 0), self.nominal.get(unit, 0)
            after = self.used[unit] = before + sign * count
            own = (after if after < nominal else nominal) - (before if before < nominal else nominal)
            if own:
                self.own.change(at_ms, own)
            if own != sign * count:
                self.borrowed.change(at_ms, sign * count - own)

    def limit(self, at_ms: int, nominal: Capacity) -> None:
        """Take other own limits into account."""
        self.nominal = nominal
        self.most_nominal = max(self.most_nominal, sum(nominal.values()))
        own = sum(min(count, nominal.get(unit, 0)) for unit, count in self.used.items())
        self.borrowed.change(at_ms, self.own.now - own)
        self.own.change(at_ms, own - self.own.now)


@dataclass(slots=True)
class _Job:
    load: _Load
    need: Capacity
    size: int
    is_placed: bool = False


class Loads:
    """The sink. It keeps unfinished jobs, and the bins."""

    def __init__(self, scenario: Scenario) -> None:
        self._settings = settings_over_time(scenario)
        self._loads: dict[str, _Load] = {}
        self._jobs: dict[str, _Job] = {}
        self._next_ms = 0
        self._settle(0)

    def __call__(self, event: TraceEvent) -> None:
        take = _TAKES.get(type(event))
        if take is not None:
            if event.at_ms >= self._next_ms >= 0:
                self._settle(event.at_ms)
            take(self, event)

    def takers(self) -> Takers:
        """Return what takes each kind of event."""
        return dict.fromkeys(_TAKES, (self,))

    def over(self, end_ms: int, parts: int) -> list[ShareLoad]:
        """Return the loads up to the end in so many parts, shares in declared order; no event may follow."""
        if end_ms <= 0:
            return []
        self._settle(end_ms)
        return [_over(name, load, end_ms, parts) for name, load in self._loads.items()]

    def _settle(self, at_ms: int) -> None:
        while self._settings and self._settings[0].at_ms <= at_ms:
            now = self._settings.pop(0)
            shares: Mapping[str, QuotaShare] = now.shares
            for name in dict.fromkeys([*self._loads, *shares]):
                nominal = shares[name].capacity_limits if name in shares else {}
                self._loads.setdefault(name, _Load()).limit(now.at_ms, nominal)
        self._next_ms = self._settings[0].at_ms if self._settings else -1

    def _submitted(self, event: Submitted) -> None:
        job = _Job(self._loads[event.share], event.need, sum(event.need.values()))
        self._jobs[event.job] = job
        job.load.waiting.change(event.at_ms, job.size)

    def _dispatched(self, event: Dispatched) -> None:
        job = self._jobs[event.job]
        job.is_placed = True
        job.load.waiting.change(event.at_ms, -job.size)
        job.load.use(event.at_ms, job.need, 1)

    def _preempted(self, event: PreemptionStarted) -> None:
        self._jobs[event.job].load.preempted.put(event.at_ms, 1)

    def _requeued(self, event: Requeued) -> None:
        job = self._jobs[event.job]
        if job.is_placed:
            job.load.use(event.at_ms, job.need, -1)
            job.load.waiting.change(event.at_ms, job.size)
        job.is_placed = False

    def _ended(self, event: Succeeded | Failed) -> None:
        job = self._jobs.pop(event.job)
        if job.is_placed:
            job.load.use(event.at_ms, job.need, -1)
        else:
            job.load.waiting.change(event.at_ms, -job.size)


def loads_of(run: Run) -> Loads:
    """Return the loads of a run whose trace was kept."""
    loads = Loads(run.scenario)
    for event in run.trace:
        loads(event)
    return loads


def _over(name: str, load: _Load, end_ms: int, parts: int) -> ShareLoad:
    amounts = (load.own, load.borrowed, load.waiting)
    for amount in amounts:
        amount.change(end_ms, 0)
        amount.close(end_ms)
    own, borrowed, waiting = (tuple(amount.bins.columns(parts, end_ms)) for amount in amounts)
    return ShareLoad(
        share=name,
        nominal=load.most_nominal,
        own=own,
        borrowed=borrowed,
        waiting=waiting,
        preempted=tuple(load.preempted.columns(parts, end_ms)),
        most_own=load.own.most,
        most_borrowed=load.borrowed.most,
        most_waiting=load.waiting.most,
    )


_TAKES: Final[Mapping[type, Callable[[Loads, Any], None]]] = {
    Submitted: Loads._submitted,
    Dispatched: Loads._dispatched,
    PreemptionStarted: Loads._preempted,
    Requeued: Loads._requeued,
    Succeeded: Loads._ended,
    Failed: Loads._ended,
}
