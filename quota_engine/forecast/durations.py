"""How long live jobs last: assumed alike for all, or taken from recorded jobs of the same share.

What is known of a job is how long it has run. So its duration is looked up among the recorded ones that ran longer;
where these are too few, nothing is made up: the job lasts as assumed, or runs on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..model.arns import name_of
from ..model.job_history import RecordedJob
from ..model.stack import Capacity
from ..scheduler.restore import Situation, Standing
from .result import DurationBasis

QUANTILES_PERCENT: Final = (10, 50, 90)
"""Which of the recorded durations count as short, middling and long."""
RECORDS_MIN: Final = 5
"""Fewer recorded durations than this say nothing."""

Durations = Mapping[str, int | None]
"""{job id: how long it lasts from its start}; None: nothing says when it ends."""
_Size = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Records:
    """The durations of ended jobs, ascending, by (queue, share, size); the size () stands for all sizes together."""

    durations_ms: Mapping[tuple[str, str, _Size], Sequence[int]]

    @classmethod
    def of(cls, jobs: Iterable[RecordedJob]) -> Records:
        """Take the ended jobs whose duration is known. A job that is recorded twice counts once, as it was last."""
        ended = {(job.queue, job.job_id): job for job in jobs if job.duration_ms}
        found: dict[tuple[str, str, _Size], list[int]] = {}
        for job in ended.values():
            for size in (_size(job.instances), ()):
                found.setdefault((name_of(job.queue), job.share, size), []).append(job.duration_ms or 0)
        return cls({key: sorted(found[key]) for key in sorted(found)})

    def get(self, queue: str, share: str, size: _Size = ()) -> Sequence[int]:
        return self.durations_ms.get((queue, share, size), ())


def assumed(situation: Situation, duration_ms: int) -> Durations:
    """Return `duration_ms` for every job but those that have run longer already: they were not as assumed."""
    return {one.job.name: duration_ms if _ran_ms(situation, one) < duration_ms else None for one in situation.jobs}


def lasting(situation: Situation, durations: Durations) -> Situation:
    """Return the situation with each job as long as `durations` says."""
    jobs = (replace(one, job=replace(one.job, duration_ms=durations.get(one.job.name))) for one in situation.jobs)
    return replace(situation, jobs=tuple(jobs))


def recorded(
    situation: Situation, records: Records, otherwise: Durations
) -> tuple[tuple[Durations, ...], tuple[DurationBasis, ...]]:
    """Return the jobs' durations for each of `QUANTILES_PERCENT`, and what they rest on.

    A job is compared with those of its share and size, else with all of its share; it lasts as `otherwise` says where
    too few of either ran longer than it has.
    """
    runs: tuple[dict[str, int | None], ...] = tuple({} for _ in QUANTILES_PERCENT)
    resting: dict[tuple[str, _Size, bool], int] = {}
    for one in situation.jobs:
        size, found = _like(one, _ran_ms(situation, one), situation.queue.name, records)
        for run, percent in zip(runs, QUANTILES_PERCENT, strict=True):
            run[one.job.name] = quantile(found, percent) if found else otherwise.get(one.job.name)
        key = (one.job.share, size, bool(found))
        resting[key] = resting.get(key, 0) + 1
    bases = (_basis(*key, jobs, situation.queue.name, records) for key, jobs in sorted(resting.items()))
    return runs, tuple(bases)


def quantile(ascending: Sequence[int], percent: int) -> int:
    """Return the nearest-rank quantile: the least that at least `percent` of all do not exceed."""
    return ascending[max(1, -(-percent * len(ascending) // 100)) - 1]


def _like(one: Standing, ran_ms: int, queue: str, records: Records) -> tuple[_Size, Sequence[int]]:
    """Return the recorded durations to compare a job with, and of which size they are; none where they are too few."""
    for size in (_size(one.job.need), ()):
        found = records.get(queue, one.job.share, size)
        longer = found[bisect_right(found, ran_ms) :]
        if len(longer) >= RECORDS_MIN:
            return size, longer
    return (), ()


def _basis(share: str, size: _Size, is_enough: bool, jobs: int, queue: str, records: Records) -> DurationBasis:
    found = records.get(queue, share, size)
    quantiles = tuple(quantile(found, percent) for percent in QUANTILES_PERCENT) if is_enough else ()
    return DurationBasis(share, dict(size) or None, jobs, len(found), quantiles)


def _ran_ms(situation: Situation, one: Standing) -> int:
    return 0 if one.started_ms is None else max(0, situation.now_ms - one.started_ms)


def _size(need: Capacity) -> _Size:
    return tuple(sorted(need.items()))
