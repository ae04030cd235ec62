"""What a run measured: waits, work lost, and what each share borrowed and lent, one definition each.

Wait: submission to the first SCHEDULED; waits after a preemption are counted apart. Percentile: nearest rank.
Utilisation: dispatched instance-time / (environment limit x window). Borrowed: instances above the own limit. Lent: own
idle instances in others' use; the pool is fungible, so what is borrowed is divided among the lenders in proportion to
their idle instances. Jobs not started or not finished at the end are counted as such, never dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model.stack import QuotaShare
from ..model.work import ApplyStack, Scenario
from ..scheduler.trace import (
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionKind,
    PreemptionStarted,
    RequeueCause,
    Requeued,
    SettingsChanged,
    Submitted,
    Succeeded,
    TraceEvent,
)
from .agenda import queue_of
from .areas import Amounts, Areas
from .outcome import Run


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits in ms, smallest first. `unstarted` jobs never started; their wait is not among the values."""

    values_ms: tuple[int, ...]
    unstarted: int = 0

    def percentile_ms(self, percent: int) -> int | None:
        """Return the nearest-rank percentile: the smallest value that `percent` % of the values don't exceed."""
        if not self.values_ms:
            return None
        rank = max(1, -(-len(self.values_ms) * percent // 100))
        return self.values_ms[rank - 1]


@dataclass(frozen=True, slots=True)
class ShareMeasures:
    """One share. Amounts are {unit: …} for the units it lists or used; `lost_instance_ms` is RUNNING work discarded."""

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


@dataclass(frozen=True, slots=True)
class Utilisation:
    """One unit over the window: instance-time used and there was; equal to `used / available` where there was any."""

    used_instance_ms: int
    available_instance_ms: int

    @property
    def ratio(self) -> float | None:
        return self.used_instance_ms / self.available_instance_ms if self.available_instance_ms else None


@dataclass(frozen=True, slots=True)
class Measures:
    """All measures of a run over the window from 0 to `window_ms`. Shares in declared order, units by name."""

    window_ms: int
    shares: Mapping[str, ShareMeasures]
    utilisation: Mapping[str, Utilisation]


def measure(run: Run) -> Measures:
    """Measure a run from its trace and its scenario's settings."""
    window_ms = run.end_ms
    tallies = {share.name: _Tally(share.name) for share in _all_shares(run.scenario)}
    owners: dict[str, _Tally] = {}
    for event in run.trace:
        _count(tallies, owners, event)
    areas = Areas(run.scenario)
    for event in run.trace:
        areas.take_in(event)
    areas.close(window_ms)
    return Measures(
        window_ms,
        {name: tally.finish(areas) for name, tally in tallies.items()},
        {unit: Utilisation(areas.used_ms.get(unit, 0), areas.limit_ms.get(unit, 0)) for unit in sorted(areas.limit_ms)},
    )


def _all_shares(scenario: Scenario) -> list[QuotaShare]:
    """Return every share that the queue ever has, in order of declaration."""
    shares = dict(queue_of(scenario.stack, scenario.queue)[0].quota_shares)
    for event in scenario.events:
        if isinstance(event, ApplyStack):
            for name, share in queue_of(event.stack, scenario.queue)[0].quota_shares.items():
                shares.setdefault(name, share)
    return list(shares.values())


@dataclass(slots=True)
class _Tally:
    """Counts of one share while the trace is read. The `_of` maps go from job to a time or a need."""

    share: str
    submitted_of: dict[str, int] = field(default_factory=dict)
    size_of: dict[str, int] = field(default_factory=dict)
    first_waits: dict[str, int] = field(default_factory=dict)
    preempted_of: dict[str, int] = field(default_factory=dict)
    waits_again: list[int] = field(default_factory=list)
    succeeded: int = 0
    failed: int = 0
    cross: int = 0
    inside: int = 0
    lost: int = 0

    def finish(self, areas: Areas) -> ShareMeasures:
        count = len(self.submitted_of)
        return ShareMeasures(
            share=self.share,
            submitted=count,
            succeeded=self.succeeded,
            failed=self.failed,
            unfinished=count - self.succeeded - self.failed,
            wait=Waits(tuple(sorted(self.first_waits.values())), count - len(self.first_waits)),
            wait_after_preemption=Waits(tuple(sorted(self.waits_again)), len(self.preempted_of)),
            cross_share_preemptions=self.cross,
            in_share_preemptions=self.inside,
            lost_instance_ms=self.lost,
            used=areas.of(self.share, "used"),
            borrowed=areas.of(self.share, "borrowed"),
            lent=areas.of(self.share, "lent"),
        )


def _count(tallies: Mapping[str, _Tally], owners: dict[str, _Tally], event: TraceEvent) -> None:
    if isinstance(event, Submitted):
        tally = owners[event.job] = tallies[event.share]
        tally.submitted_of[event.job] = event.at_ms
        tally.size_of[event.job] = sum(event.need.values())
    elif not isinstance(event, SettingsChanged) and event.job in owners:
        _count_job(owners[event.job], event.job, event)


def _count_job(tally: _Tally, job: str, event: TraceEvent) -> None:
    match event:
        case Dispatched(at_ms=at_ms):
            tally.first_waits.setdefault(job, at_ms - tally.submitted_of[job])
            if job in tally.preempted_of:
                tally.waits_again.append(at_ms - tally.preempted_of.pop(job))
        case PreemptionStarted(kind=kind):
            tally.cross += kind is not PreemptionKind.IN_SHARE
            tally.inside += kind is PreemptionKind.IN_SHARE
        case PreemptionCompleted(lost_ms=lost_ms):
            tally.lost += lost_ms * tally.size_of[job]
        case Requeued(at_ms=at_ms, cause=cause, lost_ms=lost_ms):
            tally.lost += lost_ms * tally.size_of[job]
            if cause is RequeueCause.PREEMPTED:
                tally.preempted_of[job] = at_ms
        case Succeeded():
            tally.succeeded += 1
        case Failed():
            tally.failed += 1
            tally.preempted_of.pop(job, None)
        case _:
            pass
