"""The same work under two declarations: what differs for each share and each job, with the cause.

Values only; nothing is judged here. Comparing a run with itself gives no difference, and swapping the sides swaps each
`before` and `after` and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model.work import Scenario
from ..scheduler.status import JobStatus
from .areas import Amounts
from .courses import Course, Courses
from .judge import Verdict
from .measured import TRACED_MAX, run_measured
from .metrics import Measures, Waits
from .outcome import Run
from .sides import Side


@dataclass(frozen=True, slots=True)
class Played:
    """A scenario under one declaration, run to its end: courses by job, verdicts and measures."""

    side: Side
    run: Run
    courses: Mapping[str, Course]
    verdicts: Sequence[Verdict]
    measures: Measures

    @property
    def scenario(self) -> Scenario:
        return self.side.scenario


def play(side: Side) -> Played:
    """Run one side; of large runs the trace is not kept, which pictures are drawn from. Raises as `run` does."""
    courses = Courses()
    is_traced = len(side.scenario.jobs) <= TRACED_MAX
    measured = run_measured(side.scenario, courses, is_traced=is_traced)
    return Played(side, measured.run, courses.jobs, measured.verdicts, measured.measures)


@dataclass(frozen=True, slots=True)
class Work:
    """What became of a share's work on one side. Preemptions are counted, `lost_instance_ms` is RUNNING work discarded.

    `refused` jobs could not be submitted; `wait.unstarted` are those that were submitted and never started.
    """

    jobs: int
    refused: int
    wait: Waits
    suffered: int
    caused: int
    succeeded: int
    failed: int
    unfinished: int
    lost_instance_ms: int


@dataclass(frozen=True, slots=True)
class WorkComparison:
    """The work that the scenario states for one share, under both declarations, wherever it was submitted.

    `jobs` names it all, in order of arrival.
    """

    share: str
    before: Work
    after: Work
    jobs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CapacityComparison:
    """One unit of one declared share; a side is None where its declaration has no such share.

    Each side is (used, borrowed, lent).
    """

    share: str
    unit: str
    before: tuple[Amounts, Amounts, Amounts] | None
    after: tuple[Amounts, Amounts, Amounts] | None


@dataclass(frozen=True, slots=True)
class JobComparison:
    """One job whose course differs; `share` is the scenario's."""

    job: str
    share: str
    before: Course
    after: Course

    @property
    def wait_change_ms(self) -> int | None:
        """How much longer it waits, None where it never starts on one side."""
        if self.before.wait_ms is None or self.after.wait_ms is None:
            return None
        return self.after.wait_ms - self.before.wait_ms

    @property
    def end_change_ms(self) -> int | None:
        """How much later it ends, None where it never ends on one side."""
        if self.before.ended_at_ms is None or self.after.ended_at_ms is None:
            return None
        return self.after.ended_at_ms - self.before.ended_at_ms

    @property
    def preempted_change(self) -> int:
        return self.after.preempted - self.before.preempted

    @property
    def lost_change_instance_ms(self) -> int:
        return self.after.lost_instance_ms - self.before.lost_instance_ms

    @property
    def changes(self) -> tuple[int, ...]:
        """What changed, for the worse where positive; 0 where that can't be told.

        1. started at all, 2. succeeded, 3. end, 4. wait, 5. preemptions, 6. lost work.
        """
        before, after = self.before, self.after
        return (
            before.is_served - after.is_served,
            (before.end is JobStatus.SUCCEEDED) - (after.end is JobStatus.SUCCEEDED),
            self.end_change_ms or 0,
            self.wait_change_ms or 0,
            self.preempted_change,
            self.lost_change_instance_ms,
        )

    @property
    def fares_worse(self) -> bool:
        """Whether the first of the changes that is one is for the worse."""
        return next((change > 0 for change in self.changes if change), False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One scenario under both declarations. Shares in order of declaration, OLD's first.

    `jobs` are those whose course differs, the largest changes first; `same_jobs` counts the others. `verdicts` are the
    expectations', before and after.
    """

    before: Played
    after: Played
    work: tuple[WorkComparison, ...]
    capacity: tuple[CapacityComparison, ...]
    utilisation: tuple[tuple[str, float | None, float | None], ...]
    jobs: tuple[JobComparison, ...]
    same_jobs: int
    verdicts: tuple[tuple[Verdict, Verdict], ...]

    @property
    def shares(self) -> tuple[str, ...]:
        """Every share that either declaration has in the queue, and those that the work names."""
        return tuple(one.share for one in self.work)


def compare(before: Played, after: Played, work: Mapping[str, str]) -> Comparison:
    """Return what differs between two sides of the same jobs; `work` is {job: its share in the scenario}."""
    shares = _shares(before, after, work)
    jobs = [
        JobComparison(job, share, before.courses[job], after.courses[job])
        for job, share in work.items()
        if job in before.courses and job in after.courses
    ]
    differing = sorted((one for one in jobs if _differs(one)), key=_largest_first)
    members: dict[str, list[JobComparison]] = {share: [] for share in shares}
    for one in jobs:
        members[one.share].append(one)
    return Comparison(
        before,
        after,
        tuple(
            WorkComparison(
                share,
                _work([one.before for one in found]),
                _work([one.after for one in found]),
                tuple(one.job for one in found),
            )
            for share, found in members.items()
        ),
        tuple(_capacity(before.measures, after.measures)),
        _utilisation(before.measures, after.measures),
        tuple(differing),
        len(jobs) - len(differing),
        tuple(zip(before.verdicts, after.verdicts, strict=True)),
    )


def _shares(before: Played, after: Played, work: Mapping[str, str]) -> list[str]:
    queues = [side.scenario.stack.job_queues[side.scenario.queue].quota_shares for side in (before, after)]
    return list(dict.fromkeys([*queues[0], *queues[1], *work.values()]))


def _differs(one: JobComparison) -> bool:
    return _essence(one.before) != _essence(one.after)


def _essence(course: Course) -> tuple[object, ...]:
    """Return what of a course matters to its owner; how it started does not, when all else is the same."""
    refused = bool(course.refused)
    return refused, course.wait_ms, course.preempted, course.lost_instance_ms, course.ended_at_ms, course.end


def _largest_first(one: JobComparison) -> tuple[bool, list[int], str]:
    """Order: 1. those that fare worse, 2. the size of what changed, in the order of `changes`, 3. by name."""
    changes = one.changes
    return not one.fares_worse, [-abs(change) for change in changes], one.job


def _work(found: Sequence[Course]) -> Work:
    waits = tuple(sorted(one.wait_ms for one in found if one.wait_ms is not None))
    refused = sum(bool(one.refused) for one in found)
    succeeded = sum(one.end is JobStatus.SUCCEEDED for one in found)
    failed = sum(one.end is JobStatus.FAILED for one in found)
    return Work(
        jobs=len(found),
        refused=refused,
        wait=Waits(waits, len(found) - refused - len(waits)),
        suffered=sum(one.preempted for one in found),
        caused=sum(one.caused for one in found),
        succeeded=succeeded,
        failed=failed,
        unfinished=len(found) - refused - succeeded - failed,
        lost_instance_ms=sum(one.lost_instance_ms for one in found),
    )


def _capacity(before: Measures, after: Measures) -> Iterable[CapacityComparison]:
    for share in dict.fromkeys([*before.shares, *after.shares]):
        sides = [measures.shares.get(share) for measures in (before, after)]
        for unit in sorted({unit for side in sides if side for unit in (*side.used, *side.borrowed, *side.lent)}):
            amounts = [
                None
                if side is None
                else (side.used.get(unit, _NONE), side.borrowed.get(unit, _NONE), side.lent.get(unit, _NONE))
                for side in sides
            ]
            yield CapacityComparison(share, unit, amounts[0], amounts[1])


_NONE = Amounts(0, 0)


def _utilisation(before: Measures, after: Measures) -> tuple[tuple[str, float | None, float | None], ...]:
    def ratio(measures: Measures, unit: str) -> float | None:
        return measures.utilisation[unit].ratio if unit in measures.utilisation else None

    units = sorted({*before.utilisation, *after.utilisation})
    return tuple((unit, ratio(before, unit), ratio(after, unit)) for unit in units)
