"""What a comparison is held against: how much longer work may wait, whose jobs may not be preempted, what must go on.

A verdict carries the readings and the jobs that show it; how it is told is the reports' business. All amounts are
integers, so that a verdict never turns on rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from .compare import Comparison, JobComparison, Played, WorkComparison
from .judge import Verdict
from .metrics import Waits

ALL: Final = "all"
"""The name that means every share."""


class Threshold(StrEnum):
    """What is judged."""

    WAIT = "wait-increase"
    LOST_WORK = "lost-work-increase"
    PREEMPTIONS = "new-preemptions"
    SERVED = "jobs-no-longer-served"
    EXPECTATION = "expectations-no-longer-held"


@dataclass(frozen=True, slots=True)
class Increase:
    """How much a value may grow: by `percent` of what it was, or by `by_ms`. Exactly one of them is set."""

    percent: int | None = None
    by_ms: int | None = None

    def is_crossed(self, before: int, after: int) -> bool:
        """Whether the growth is larger; any growth from nothing is larger than every percentage."""
        if self.percent is not None:
            return (after - before) * 100 > before * self.percent
        return after - before > (self.by_ms or 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """The thresholds. Keys of `wait` and `lost_work` are shares, or ALL for those that have none of their own.

    `no_new_preemptions` names shares or ALL; None means the shares that can't borrow.
    """

    wait: Mapping[str, Increase] = field(default_factory=dict)
    lost_work: Mapping[str, Increase] = field(default_factory=dict)
    no_new_preemptions: tuple[str, ...] | None = None

    @property
    def shares(self) -> tuple[str, ...]:
        """The shares that are named, in the order given."""
        named = (*self.wait, *self.lost_work, *(self.no_new_preemptions or ()))
        return tuple(name for name in dict.fromkeys(named) if name != ALL)


@dataclass(frozen=True, slots=True)
class Reading:
    """One value before and after; None where there was none to measure. `measure` ends in its unit where it has one."""

    measure: str
    before: int | None
    after: int | None
    crossed: bool


@dataclass(frozen=True, slots=True)
class ThresholdVerdict:
    """One threshold, held against one share's work, or against all where `share` is "".

    `jobs` are those that show it, the largest changes first; `turned` are the expectations that no longer hold.
    """

    threshold: Threshold
    share: str
    limit: Increase | None
    readings: tuple[Reading, ...]
    jobs: tuple[JobComparison, ...] = ()
    turned: tuple[tuple[Verdict, Verdict], ...] = ()

    @property
    def crossed(self) -> bool:
        return bool(self.turned) or any(reading.crossed for reading in self.readings)


def judge_thresholds(comparison: Comparison, limits: Limits) -> tuple[ThresholdVerdict, ...]:
    """Return a verdict for each threshold and each share it concerns that has work here; the general ones last."""
    return (
        *_each(comparison, limits.wait, _wait),
        *_each(comparison, limits.lost_work, _lost_work),
        *_preemptions(comparison, limits.no_new_preemptions),
        _served(comparison),
        *_expectations(comparison),
    )


_Judge = Callable[[Comparison, WorkComparison, Increase], ThresholdVerdict]


def _each(comparison: Comparison, limits: Mapping[str, Increase], judge: _Judge) -> Iterator[ThresholdVerdict]:
    for work in comparison.work:
        limit = limits.get(work.share, limits.get(ALL))
        if limit is not None and work.before.jobs:
            yield judge(comparison, work, limit)


def _wait(comparison: Comparison, work: WorkComparison, limit: Increase) -> ThresholdVerdict:
    """Judge mean and p95 of the waits of jobs that started before, and that they all still start.

    Jobs that never started before and now do are no reason to complain, however long they waited.
    """
    served = [job for job in work.jobs if comparison.before.courses[job].is_served]
    before, after = _waits(comparison.before, served), _waits(comparison.after, served)
    readings = (
        _grown("mean_wait_ms", before.mean_ms, after.mean_ms, limit),
        _grown("p95_wait_ms", before.percentile_ms(95), after.percentile_ms(95), limit),
        Reading("no_longer_started", 0, after.unstarted, after.unstarted > 0),
    )
    longer = [job for job in _of(comparison, work.share) if job.before.is_served and _waits_longer(job)]
    longer.sort(key=lambda job: (job.after.is_served, -(job.wait_change_ms or 0), job.job))
    return ThresholdVerdict(Threshold.WAIT, work.share, limit, readings, tuple(longer))


def _waits(played: Played, jobs: Sequence[str]) -> Waits:
    waits = [played.courses[job].wait_ms for job in jobs]
    started = sorted(wait for wait in waits if wait is not None)
    return Waits(tuple(started), len(waits) - len(started))


def _waits_longer(job: JobComparison) -> bool:
    return job.wait_change_ms is None or job.wait_change_ms > 0


def _lost_work(comparison: Comparison, work: WorkComparison, limit: Increase) -> ThresholdVerdict:
    reading = _grown("lost_instance_ms", work.before.lost_instance_ms, work.after.lost_instance_ms, limit)
    more = [job for job in _of(comparison, work.share) if job.lost_change_instance_ms > 0]
    more.sort(key=lambda job: (-job.lost_change_instance_ms, job.job))
    return ThresholdVerdict(Threshold.LOST_WORK, work.share, limit, (reading,), tuple(more))


def _preemptions(comparison: Comparison, named: tuple[str, ...] | None) -> Iterator[ThresholdVerdict]:
    """Judge that no job of these shares is preempted more often than before, whatever became of the others."""
    for work in comparison.work:
        guarded = _cannot_borrow(comparison, work.share) if named is None else bool({work.share, ALL} & {*named})
        if guarded and work.before.jobs:
            more = [job for job in _of(comparison, work.share) if job.preempted_change > 0]
            total = Reading("preemptions", work.before.suffered, work.after.suffered, bool(more))
            yield ThresholdVerdict(Threshold.PREEMPTIONS, work.share, None, (total,), tuple(more))


def _cannot_borrow(comparison: Comparison, share: str) -> bool:
    """Whether the share that takes this work under the new declaration has no right to borrow."""
    side = comparison.after.side
    shares = side.scenario.stack.job_queues[side.scenario.queue].quota_shares
    found = shares.get(side.moved.get(share, share))
    return found is not None and not found.strategy.can_borrow


def _served(comparison: Comparison) -> ThresholdVerdict:
    """Judge that every job that could be submitted, and could run at all, still can, and that the run has an end."""
    before, after = _stranded(comparison.before), _stranded(comparison.after)
    lost = tuple(job for job in comparison.jobs if job.job in after and job.job not in before)
    readings = [Reading("jobs_that_can_never_run", len(before), len(after), bool(lost))]
    cut_off = [int(bool(played.run.stopped_because)) for played in (comparison.before, comparison.after)]
    if any(cut_off):
        readings.append(Reading("runs_cut_off", cut_off[0], cut_off[1], cut_off[1] > cut_off[0]))
    return ThresholdVerdict(Threshold.SERVED, "", None, tuple(readings), lost)


def _stranded(played: Played) -> set[str]:
    """Return the jobs that were refused, that wait for what can never be, or that a time limit ended for that."""
    ended = {
        name
        for name, course in played.courses.items()
        if course.refused or (course.blocked and course.end is not None and not course.is_served)
    }
    return ended | {left.job for left in played.run.unfinished if not left.can_run}


def _expectations(comparison: Comparison) -> Iterator[ThresholdVerdict]:
    """Judge that what the scenario expects, and was so, still is. Nothing to say without expectations."""
    if not comparison.verdicts:
        return
    turned = tuple((before, after) for before, after in comparison.verdicts if before.holds and not after.holds)
    holding = [sum(pair[side].holds for pair in comparison.verdicts) for side in (0, 1)]
    reading = Reading("expectations_held", holding[0], holding[1], bool(turned))
    yield ThresholdVerdict(Threshold.EXPECTATION, "", None, (reading,), (), turned)


def _of(comparison: Comparison, share: str) -> list[JobComparison]:
    return [job for job in comparison.jobs if job.share == share]


def _grown(measure: str, before: int | None, after: int | None, limit: Increase) -> Reading:
    crossed = before is not None and after is not None and limit.is_crossed(before, after)
    return Reading(measure, before, after, crossed)
