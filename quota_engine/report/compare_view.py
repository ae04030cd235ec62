"""What the comparison's renderers share: the whole report as a value, and its facts, causes and verdicts in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..drift import Action, Change
from ..model.diagnostic import Diagnostic, Positions, Severity
from ..model.durations import format_duration
from ..model.stack import Path
from ..scheduler.trace import StartKind
from ..simulate.areas import Amounts
from ..simulate.compare import CapacityComparison, Comparison, JobComparison, Work
from ..simulate.courses import Course
from ..simulate.thresholds import Increase, Reading, Threshold, ThresholdVerdict
from .drift_view import resource_name, show_value
from .times import clock, rough
from .visible import counted, show_path, visible

JOBS_MAX: Final = 10
"""Jobs that are told one by one, unless another number is asked for."""
WITNESSES_MAX: Final = 3
"""Jobs that a verdict names."""


@dataclass(frozen=True, slots=True)
class ComparedScenario:
    """One scenario's file, its comparison and the verdicts on it."""

    file: str
    comparison: Comparison
    verdicts: tuple[ThresholdVerdict, ...]

    @property
    def crossed(self) -> tuple[ThresholdVerdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.crossed)


@dataclass(frozen=True, slots=True)
class CompareReport:
    """Two declarations under some scenarios. `old` and `new` are as the user named them.

    `edits` is the difference of the declarations: `live` before, `declared` after. `positions` are the new one's.
    `jobs_max` bounds the jobs told one by one, None for all.
    """

    old: str
    new: str
    edits: Sequence[Change]
    scenarios: Sequence[ComparedScenario]
    positions: Positions = field(default_factory=Positions)
    jobs_max: int | None = JOBS_MAX

    @property
    def crossed(self) -> bool:
        return any(one.crossed for one in self.scenarios)

    @property
    def exit_code(self) -> int:
        return int(self.crossed)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a share's work. `worse` is 1 where more is worse, -1 where less is, 0 where neither."""

    label: str
    name: str
    value: Callable[[Work], int | None]
    is_time: bool
    worse: int


MEASURES: Final = (
    Measure("wait mean", "mean_wait_ms", lambda work: work.wait.mean_ms, True, 1),
    Measure("wait p50", "p50_wait_ms", lambda work: work.wait.percentile_ms(50), True, 1),
    Measure("wait p95", "p95_wait_ms", lambda work: work.wait.percentile_ms(95), True, 1),
    Measure("wait max", "max_wait_ms", lambda work: work.wait.percentile_ms(100), True, 1),
    Measure("can't be submitted", "refused", lambda work: work.refused, False, 1),
    Measure("never started", "never_started", lambda work: work.wait.unstarted, False, 1),
    Measure("preempted", "preemptions_suffered", lambda work: work.suffered, False, 1),
    Measure("preempts", "preemptions_caused", lambda work: work.caused, False, 0),
    Measure("lost work", "lost_instance_ms", lambda work: work.lost_instance_ms, True, 1),
    Measure("succeeded", "succeeded", lambda work: work.succeeded, False, -1),
    Measure("failed", "failed", lambda work: work.failed, False, 1),
    Measure("unfinished", "unfinished", lambda work: work.unfinished, False, 1),
)
"""What is compared of each share's work, in the order shown."""

CAPACITY: Final[tuple[tuple[str, str, int, Callable[[Amounts], int], bool], ...]] = (
    ("used", "used_instance_ms", 0, lambda amounts: amounts.instance_ms, True),
    ("borrowed at most", "borrowed_at_most", 1, lambda amounts: amounts.most, False),
    ("borrowed", "borrowed_instance_ms", 1, lambda amounts: amounts.instance_ms, True),
    ("lent at most", "lent_at_most", 2, lambda amounts: amounts.most, False),
    ("lent", "lent_instance_ms", 2, lambda amounts: amounts.instance_ms, True),
)
"""(label, name, which of used, borrowed and lent, value, whether it is a time) of each share and instance type."""


def headline(report: CompareReport) -> str:
    """Return the answer in one line."""
    judged = sum(len(one.verdicts) for one in report.scenarios)
    crossed = sum(len(one.crossed) for one in report.scenarios)
    answer = (
        f"{crossed} of {counted(judged, 'threshold')} crossed" if crossed else f"within {counted(judged, 'threshold')}"
    )
    return f"{visible(report.old)} → {visible(report.new)}: {answer}"


def edit_text(change: Change) -> tuple[str, str, str, str]:
    """Return (sign, resource, what, how) of one difference of the declarations; `what` is "" for a whole resource."""
    name = resource_name(change.kind, change.resource)
    before, after = show_value(change.attribute, change.live), show_value(change.attribute, change.declared)
    if change.attribute:
        return "±" if change.action is Action.REPLACE else "~", name, show_path(change.attribute), f"{before} → {after}"
    if change.live is None:
        return "+", name, "", f"new: {after}"
    if change.declared is None:
        return "-", name, "", f"gone: {before}"
    return "±", name, "", f"renamed from {before}: replaced"


def title_of(scenario: ComparedScenario) -> str:
    """Return what a scenario's part is headed by."""
    description = scenario.comparison.before.scenario.description
    return f"{visible(scenario.file)}: {visible(description)}" if description else visible(scenario.file)


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield what a reader must know before the figures: missing queues, moved work, runs that were cut off."""
    for name, played in (("before", comparison.before), ("after", comparison.after)):
        if not played.side.has_queue:
            yield f"{name}: there is no such queue, so nothing can be submitted"
        for share, target in played.side.moved.items():
            yield f"{name}: the work of {visible(share)} is submitted to {visible(target)}"
        if played.run.stopped_because:
            yield f"{name}: the run was cut off: {visible(played.run.stopped_because)}"


# Verdicts.


def demand(verdict: ThresholdVerdict) -> str:
    """Return what a threshold demands."""
    share = visible(verdict.share)
    match verdict.threshold:
        case Threshold.WAIT:
            return f"waits of {share} grow by at most {_increase(verdict.limit)}"
        case Threshold.LOST_WORK:
            return f"lost work of {share} grows by at most {_increase(verdict.limit)}"
        case Threshold.PREEMPTIONS:
            return f"no job of {share} is preempted more often"
        case Threshold.SERVED:
            return "every job that could run still can"
        case Threshold.EXPECTATION:
            return "every expectation that held still holds"


def _increase(limit: Increase | None) -> str:
    if limit is None:
        return "nothing"
    return f"{limit.percent} %" if limit.percent is not None else format_duration(limit.by_ms or 0)


_READINGS: Final = {
    "mean_wait_ms": "mean",
    "p95_wait_ms": "p95",
    "no_longer_started": "no longer started",
    "lost_instance_ms": "lost work",
    "preemptions": "preemptions",
    "jobs_that_can_never_run": "can never run",
    "runs_cut_off": "cut off",
    "expectations_held": "expectations held",
}


def seen(verdict: ThresholdVerdict) -> str:
    """Return what was seen: each reading before and after."""
    return ", ".join(f"{_READINGS[one.measure]} {_reading(one)}" for one in verdict.readings)


def _reading(reading: Reading) -> str:
    return change_text(reading.before, reading.after, is_time=reading.measure.endswith("_ms"))


def whys(verdict: ThresholdVerdict) -> list[str]:
    """Return why a crossed threshold is crossed: the jobs that show it most, or the expectations; "" for the others."""
    if not verdict.crossed:
        return []
    found = [f"{visible(one.job)}: {'; '.join(facts(one))}: {cause(one)}" for one in verdict.jobs[:WITNESSES_MAX]]
    found += [f"{visible(after.expected)}: {visible(after.seen)}" for _, after in verdict.turned]
    more = len(verdict.jobs) - WITNESSES_MAX
    return [*found, *([f"and {counted(more, 'more job', 'more jobs')}"] if more > 0 else [])]


# Jobs.


def facts(job: JobComparison) -> list[str]:
    """Return what differs of a job, each as "wait 0s → 2h"."""
    before, after = job.before, job.after
    found = []
    if before.wait_ms != after.wait_ms:
        found.append(f"wait {_wait(before)} → {_wait(after)}")
    if before.preempted != after.preempted:
        found.append(f"preempted {before.preempted} → {after.preempted}")
    if before.lost_instance_ms != after.lost_instance_ms:
        found.append(f"lost work {change_text(before.lost_instance_ms, after.lost_instance_ms, is_time=True)}")
    if (before.ended_at_ms, before.end) != (after.ended_at_ms, after.end):
        found.append(f"ends {_end(before)} → {_end(after)}{_later_by(job.end_change_ms or 0)}")
    return found or ["submitted now" if before.refused else "can't be submitted"]


def _wait(course: Course) -> str:
    if course.refused:
        return "can't be submitted"
    return "never starts" if course.wait_ms is None else rough(course.wait_ms)


def _end(course: Course) -> str:
    if course.ended_at_ms is None or course.end is None:
        return "never"
    at = clock(course.ended_at_ms // 1000 * 1000)
    return f"{at} ({course.end.value})" if course.end.value != "SUCCEEDED" else at


def _later_by(change_ms: int) -> str:
    return f" ({rough(abs(change_ms))} {'later' if change_ms > 0 else 'sooner'})" if change_ms else ""


_STARTED: Final = {
    StartKind.OWN: "on its share's own limit",
    StartKind.BORROWED: "on borrowed capacity",
    StartKind.IN_SHARE: "by in-share preemption",
}


def cause(job: JobComparison) -> str:
    """Return why a job's course differs, as far as the two traces tell."""
    parts = [*_refusal(job), *_preemption(job), *_start(job)]
    return "; ".join(parts) or _later(job)


def _later(job: JobComparison) -> str:
    """Say what may differ after the same start: the wait after a preemption, or the way it ends."""
    before, after = job.before, job.after
    if before.end_reason != after.end_reason:
        return f"ends because of: {visible(after.end_reason)}" if after.end_reason else "nothing ends it early any more"
    if after.preempted and before.ended_at_ms is not None and after.ended_at_ms is not None:
        return f"waits {'longer' if after.ended_at_ms > before.ended_at_ms else 'less'} after it was preempted"
    return "goes otherwise after its first start"


def _refusal(job: JobComparison) -> Iterator[str]:
    if job.after.refused and not job.before.refused:
        yield f"now {visible(job.after.refused)}"
    if job.before.refused and not job.after.refused:
        yield f"before, {visible(job.before.refused)}"


def _preemption(job: JobComparison) -> Iterator[str]:
    after, before = job.after.first_preemption, job.before.first_preemption
    if job.preempted_change > 0 and after is not None:
        times = f", {job.after.preempted} times in all" if job.after.preempted > 1 else ""
        preemptor = f"{visible(after.by)} of {visible(after.by_share)}"
        yield f"preempted by {preemptor} ({after.kind}) at {clock(after.at_ms // 1000 * 1000)}{times}"
    if job.preempted_change < 0 and before is not None:
        how_often = "less often" if job.after.preempted else "no longer"
        yield f"{how_often} preempted by {visible(before.by)} of {visible(before.by_share)} ({before.kind})"


def _start(job: JobComparison) -> Iterator[str]:
    before, after = job.before, job.after
    if before.wait_ms == after.wait_ms or before.refused or after.refused:
        return
    if after.start is None:
        yield f"never starts{f': {visible(after.blocked)}' if after.blocked else ''}"
    else:
        yield f"starts {_STARTED[after.start]}{_room(after)}"
    if before.start is None:
        yield f"before, it never started{f': {visible(before.blocked)}' if before.blocked else ''}"
    elif before.start is not after.start:
        yield f"before, {_STARTED[before.start]}"
    elif before.room_made_by != after.room_made_by and before.room_made_by:
        yield f"before,{_room(before)}"


def _room(course: Course) -> str:
    """Say whose end made the room that a job waited for."""
    if not course.room_made_by:
        return ""
    verb = "preempting" if course.has_preempted else "after"
    return f" {verb} {', '.join(map(visible, course.room_made_by))}"


# Values.


def change_text(before: int | None, after: int | None, *, is_time: bool) -> str:
    """Return "10m → 30m (+200 %)", or the one value where nothing differs."""
    shown = [_value(value, is_time) for value in (before, after)]
    if before == after:
        return shown[0]
    percent = round((after - before) * 100 / before) if is_time and before and after is not None else 0
    return f"{shown[0]} → {shown[1]}{f' ({percent:+d}%)' if percent else ''}"


def _value(value: int | None, is_time: bool) -> str:
    if value is None:
        return "-"
    return rough(value) if is_time else str(value)


def differing(before: Work, after: Work) -> list[Measure]:
    """Return the measures in which a share's work differs."""
    return [measure for measure in MEASURES if measure.value(before) != measure.value(after)]


def is_worse(measure: Measure, before: Work, after: Work) -> bool | None:
    """Whether the work fares worse, None where that can't be said."""
    values = measure.value(before), measure.value(after)
    if not measure.worse or values[0] is None or values[1] is None:
        return None
    return (values[1] - values[0]) * measure.worse > 0


def capacity_changes(one: CapacityComparison) -> list[str]:
    """Return what differs in a share's use of one instance type, each as "borrowed at most 2 → 0"."""
    if one.before is None or one.after is None:
        return [f"only {'before' if one.after is None else 'after'}{_amounts(one.before or one.after)}"]
    found = []
    for label, _, which, value, is_time in CAPACITY:
        before, after = value(one.before[which]), value(one.after[which])
        if before != after:
            found.append(f"{label} {change_text(before, after, is_time=is_time)}")
    return found


def _amounts(side: tuple[Amounts, Amounts, Amounts] | None) -> str:
    """Return a share's use of one instance type where the other declaration has no such share."""
    shown = [
        f"{label} {_value(value(side[which]), is_time)}"
        for label, _, which, value, is_time in CAPACITY
        if side and value(side[which])
    ]
    return f": {', '.join(shown)}" if shown else ""


def changed_capacity(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """Yield (share, instance type, what differs) where anything does; the share is "" for the whole environment."""
    for one in comparison.capacity:
        changes = capacity_changes(one)
        if changes:
            yield one.share, one.unit, ", ".join(changes)
    for unit, before, after in comparison.utilisation:
        shown = ratio_text(before), ratio_text(after)
        if shown[0] != shown[1]:
            yield "", unit, " → ".join(shown)


def ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio * 100:.0f} %"


# As diagnostics, for GitHub's annotations.


def findings(report: CompareReport) -> list[Diagnostic]:
    """Return each verdict as a finding: crossed ones are errors, at the share they concern."""
    return [_finding(report, one, verdict) for one in report.scenarios for verdict in one.verdicts if verdict.crossed]


def _finding(report: CompareReport, scenario: ComparedScenario, verdict: ThresholdVerdict) -> Diagnostic:
    side = scenario.comparison.after.side
    queue: Path = ("job_queues", side.scenario.queue)
    share = side.moved.get(verdict.share, verdict.share)
    path = (*queue, "quota_shares", share) if share else queue
    return Diagnostic(
        rule="compare",
        name=verdict.threshold.value,
        severity=Severity.ERROR,
        message=f"{demand(verdict)}: no longer so in {scenario.file}: {seen(verdict)}",
        path=path,
        span=report.positions.span(path, key=True),
        why="\n".join(whys(verdict)),
    )
