"""What a run measured: waits, work lost, and what each share used, borrowed, lent and kept.

What each figure is stands in `definitions.py`, once. Jobs not started or not finished at the end are counted as such,
never dropped. A `Meter` measures as the events come and keeps no trace; `measure` reads one that was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MethodType
from typing import Any, Final

from ..model.stack import Capacity, QuotaShare
from ..model.work import ApplyStack, Scenario
from ..scheduler.trace import (
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionKind,
    PreemptionStarted,
    RequeueCause,
    Requeued,
    Submitted,
    Succeeded,
    TraceEvent,
)
from .agenda import queue_of
from .areas import WHATS, Amounts, Areas, Reserved
from .outcome import Run, Takers


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits in ms, smallest first. `unstarted` jobs never started; their wait is not among the values.

    `unstarted_ms` is how long each of these had waited by the end, smallest first.
    """

    values_ms: tuple[int, ...]
    unstarted: int = 0
    unstarted_ms: tuple[int, ...] = ()

    @property
    def mean_ms(self) -> int | None:
        return sum(self.values_ms) // len(self.values_ms) if self.values_ms else None

    def percentile_ms(self, percent: int) -> int | None:
        """Return the nearest-rank percentile: the smallest value that `percent` % of the values don't exceed."""
        if not self.values_ms:
            return None
        rank = max(1, -(-len(self.values_ms) * percent // 100))
        return self.values_ms[rank - 1]

    def so_far(self) -> Waits:
        """Return the waits of all jobs, those of jobs that never started as long as they are known to be."""
        return Waits(tuple(sorted((*self.values_ms, *self.unstarted_ms))))


@dataclass(frozen=True, slots=True)
class ShareMeasures:
    """One share. Amounts are {unit: …} for the units it lists or used; `lost_instance_ms` is RUNNING work discarded.

    `cross_share_preemptions` and `in_share_preemptions` are suffered, `caused_preemptions` those of other shares' jobs
    for its own.
    """

    share: str
    submitted: int
    succeeded: int
    failed: int
    unfinished: int
    wait: Waits
    wait_after_preemption: Waits
    cross_share_preemptions: int
    in_share_preemptions: int
    lost_instance_ms: int
    used: Mapping[str, Amounts]
    borrowed: Mapping[str, Amounts]
    lent: Mapping[str, Amounts]
    wanted: Mapping[str, Amounts] = field(default_factory=dict)
    nominal: Mapping[str, Amounts] = field(default_factory=dict)
    caused_preemptions: int = 0

    @property
    def idle_instance_ms(self) -> dict[str, int]:
        """Own instances in nobody's use, by unit."""
        return {
            unit: nominal.instance_ms
            - (self.used[unit].instance_ms - self.borrowed[unit].instance_ms)
            - self.lent[unit].instance_ms
            for unit, nominal in self.nominal.items()
        }

    @property
    def served(self) -> float | None:
        """What part of the own instances that it wanted it had; None where it wanted none."""
        wanted = sum(amounts.instance_ms for amounts in self.wanted.values())
        own = sum(amounts.instance_ms - self.borrowed[unit].instance_ms for unit, amounts in self.used.items())
        return own / wanted if wanted else None


@dataclass(frozen=True, slots=True)
class Utilisation:
    """One unit over the window: instance-time used and there was; equal to `used / available` where there was any.

    `beyond_instance_ms` is what of the use lay beyond what was there: jobs that ran on when the limit was lowered.
    """

    used_instance_ms: int
    available_instance_ms: int
    beyond_instance_ms: int = 0

    @property
    def ratio(self) -> float | None:
        return self.used_instance_ms / self.available_instance_ms if self.available_instance_ms else None


@dataclass(frozen=True, slots=True)
class Measures:
    """All measures of a run over the window from 0 to `window_ms`. Shares in declared order, units by name.

    `reserved` is what RESERVE kept idle while jobs of borrowing shares waited.
    """

    window_ms: int
    shares: Mapping[str, ShareMeasures]
    utilisation: Mapping[str, Utilisation]
    reserved: Mapping[str, Reserved] = field(default_factory=dict)

    @property
    def fairness(self) -> float | None:
        """Jain's index of what the shares were served; None where none wanted anything, or nothing was served."""
        served = [ratio for share in self.shares.values() if (ratio := share.served) is not None]
        squares = sum(ratio * ratio for ratio in served)
        return sum(served) ** 2 / (len(served) * squares) if squares else None


def measure(run: Run) -> Measures:
    """Measure a run from its trace and its scenario's settings."""
    meter = Meter(run.scenario)
    for event in run.trace:
        meter(event)
    return meter.finish(run.end_ms)


@dataclass(slots=True)
class _Tally:
    """Counts of one share while events come."""

    share: str
    submitted: int = 0
    succeeded: int = 0
    failed: int = 0
    waits: list[int] = field(default_factory=list)
    waits_again: list[int] = field(default_factory=list)
    unstarted: list[int] = field(default_factory=list)
    unstarted_again: list[int] = field(default_factory=list)
    cross: int = 0
    inside: int = 0
    caused: int = 0
    lost: int = 0


@dataclass(slots=True)
class _Job:
    """An unfinished job. `waits_since_ms` is its submission until it starts, then its latest preemption, else None."""

    tally: _Tally
    need: Capacity
    size: int
    waits_since_ms: int | None
    is_started: bool = False
    is_placed: bool = False


class Meter:
    """A trace's sink that measures as the events come. It keeps unfinished jobs, and one number for each wait."""

    def __init__(self, scenario: Scenario) -> None:
        self._tallies = {share.name: _Tally(share.name) for share in _all_shares(scenario)}
        self._jobs: dict[str, _Job] = {}
        self._areas = Areas(scenario)

    def __call__(self, event: TraceEvent) -> None:
        take = _TAKES.get(type(event))
        if take is not None:
            take(self, event)

    def takers(self) -> Takers:
        """Return what takes each kind of event."""
        return {kind: (MethodType(take, self),) for kind, take in _TAKES.items()}

    def finish(self, end_ms: int) -> Measures:
        """Return the measures of the window from 0 to `end_ms`; no event may follow."""
        self._areas.close(end_ms)
        for job in self._jobs.values():
            if job.waits_since_ms is not None:
                again = job.tally.unstarted_again if job.is_started else job.tally.unstarted
                again.append(max(0, end_ms - job.waits_since_ms))
        return Measures(
            end_ms,
            {name: self._share(tally) for name, tally in self._tallies.items()},
            {unit: Utilisation(*amounts) for unit, amounts in self._areas.whole().items()},
            self._areas.reserved(),
        )

    def _share(self, tally: _Tally) -> ShareMeasures:
        return ShareMeasures(
            share=tally.share,
            submitted=tally.submitted,
            succeeded=tally.succeeded,
            failed=tally.failed,
            unfinished=tally.submitted - tally.succeeded - tally.failed,
            wait=_waits(tally.waits, tally.unstarted),
            wait_after_preemption=_waits(tally.waits_again, tally.unstarted_again),
            cross_share_preemptions=tally.cross,
            in_share_preemptions=tally.inside,
            lost_instance_ms=tally.lost,
            caused_preemptions=tally.caused,
            **{what: self._areas.of(tally.share, what) for what in WHATS},
        )

    def _submitted(self, event: Submitted) -> None:
        tally = self._tallies[event.share]
        tally.submitted += 1
        self._jobs[event.job] = _Job(tally, event.need, sum(event.need.values()), event.at_ms)
        self._areas.pass_to(event.at_ms)
        self._areas.wait(tally.share, event.need, 1)

    def _dispatched(self, event: Dispatched) -> None:
        job = self._jobs[event.job]
        if job.waits_since_ms is not None:
            waits = job.tally.waits_again if job.is_started else job.tally.waits
            waits.append(event.at_ms - job.waits_since_ms)
        job.waits_since_ms, job.is_started, job.is_placed = None, True, True
        self._areas.pass_to(event.at_ms)
        self._areas.start(job.tally.share, job.need, 1)

    def _preempted(self, event: PreemptionStarted) -> None:
        tally = self._jobs[event.job].tally
        if event.kind is PreemptionKind.IN_SHARE:
            tally.inside += 1
            return
        tally.cross += 1
        if event.by_share in self._tallies:
            self._tallies[event.by_share].caused += 1

    def _stopped(self, event: PreemptionCompleted) -> None:
        job = self._jobs[event.job]
        job.tally.lost += event.lost_ms * job.size

    def _requeued(self, event: Requeued) -> None:
        job = self._jobs[event.job]
        job.tally.lost += event.lost_ms * job.size
        if event.cause is RequeueCause.PREEMPTED:
            job.waits_since_ms = event.at_ms
        self._areas.pass_to(event.at_ms)
        if job.is_placed:
            self._areas.start(job.tally.share, job.need, -1)
        job.is_placed = False

    def _ended(self, event: Succeeded | Failed) -> None:
        job = self._jobs.pop(event.job)
        if isinstance(event, Succeeded):
            job.tally.succeeded += 1
        else:
            job.tally.failed += 1
            if not job.is_started:
                job.tally.unstarted.append(event.at_ms - (job.waits_since_ms or 0))
        self._areas.pass_to(event.at_ms)
        if job.is_placed:
            self._areas.use(job.tally.share, job.need, -1)
        else:
            self._areas.wait(job.tally.share, job.need, -1)


_TAKES: Final[Mapping[type, Callable[[Meter, Any], None]]] = {
    Submitted: Meter._submitted,
    Dispatched: Meter._dispatched,
    PreemptionStarted: Meter._preempted,
    PreemptionCompleted: Meter._stopped,
    Requeued: Meter._requeued,
    Succeeded: Meter._ended,
    Failed: Meter._ended,
}
"""What measures each kind of event; all others leave no mark."""


def _waits(values: list[int], unstarted: list[int]) -> Waits:
    return Waits(tuple(sorted(values)), len(unstarted), tuple(sorted(unstarted)))


def _all_shares(scenario: Scenario) -> list[QuotaShare]:
    """Return every share that the queue ever has, in order of declaration."""
    shares = dict(queue_of(scenario.stack, scenario.queue)[0].quota_shares)
    for event in scenario.events:
        if isinstance(event, ApplyStack):
            for name, share in queue_of(event.stack, scenario.queue)[0].quota_shares.items():
                shares.setdefault(name, share)
    return list(shares.values())
