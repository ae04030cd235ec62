"""A comparison for programs. Version 1.

Times and durations are integer milliseconds in names ending in `_ms`; instance time is in `_instance_ms`. Each value
that can differ is {"before": …, "after": …}, null where there is none. Jobs that don't differ are counted, not listed.
"""

from __future__ import annotations

import json
from typing import Any

from quota_engine import __version__

from ..drift import Change
from ..simulate.areas import Amounts
from ..simulate.compare import CapacityComparison, Comparison, JobComparison, WorkComparison
from ..simulate.courses import Course
from ..simulate.judge import Verdict
from ..simulate.thresholds import ThresholdVerdict
from .compare_view import CAPACITY, MEASURES, ComparedScenario, CompareReport, cause, demand, seen, whys

VERSION = 1


def render(report: CompareReport) -> str:
    """Return one JSON document."""
    return json.dumps(as_json(report), indent=2, ensure_ascii=False) + "\n"


def as_json(report: CompareReport) -> dict[str, Any]:
    """Return the comparison as plain data."""
    return {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "old": report.old,
        "new": report.new,
        "crossed": report.crossed,
        "edits": [_edit(change) for change in report.edits],
        "scenarios": [_scenario(report, one) for one in report.scenarios],
    }


def _edit(change: Change) -> dict[str, Any]:
    return {
        "action": change.action.value,
        "kind": change.kind.value,
        "resource": list(change.resource),
        "attribute": list(change.attribute),
        "before": change.live,
        "after": change.declared,
    }


def _scenario(report: CompareReport, scenario: ComparedScenario) -> dict[str, Any]:
    comparison = scenario.comparison
    shown = comparison.jobs[: report.jobs_max]
    return {
        "file": scenario.file,
        "description": comparison.before.scenario.description,
        "sides": _both(*(_side(comparison, name) for name in ("before", "after"))),
        "crossed": bool(scenario.crossed),
        "thresholds": [_threshold(verdict) for verdict in scenario.verdicts],
        "expectations": [_expectation(before, after) for before, after in comparison.verdicts],
        "work": [_work(one) for one in comparison.work],
        "capacity": [_capacity(one) for one in comparison.capacity],
        "utilisation": {unit: _both(before, after) for unit, before, after in comparison.utilisation},
        "jobs": {
            "differing": len(comparison.jobs),
            "same": comparison.same_jobs,
            "left_out": len(comparison.jobs) - len(shown),
            "shown": [_job(job) for job in shown],
        },
    }


def _both(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def _side(comparison: Comparison, name: str) -> dict[str, Any]:
    played = comparison.before if name == "before" else comparison.after
    return {
        "stack": played.scenario.stack.name,
        "queue": played.scenario.queue,
        "has_queue": played.side.has_queue,
        "moved_shares": dict(played.side.moved),
        "end_ms": played.run.end_ms,
        "stopped_because": played.run.stopped_because or None,
    }


def _threshold(verdict: ThresholdVerdict) -> dict[str, Any]:
    limit = verdict.limit
    return {
        "threshold": verdict.threshold.value,
        "share": verdict.share or None,
        "limit_percent": limit.percent if limit else None,
        "limit_ms": limit.by_ms if limit else None,
        "crossed": verdict.crossed,
        "demand": demand(verdict),
        "seen": seen(verdict),
        "why": whys(verdict),
        "readings": {
            one.measure: {"before": one.before, "after": one.after, "crossed": one.crossed} for one in verdict.readings
        },
        "jobs": [job.job for job in verdict.jobs],
    }


def _expectation(before: Verdict, after: Verdict) -> dict[str, Any]:
    return {
        "index": before.expectation.index,
        "expected": before.expected,
        "judgement": _both(before.judgement.value, after.judgement.value),
        "seen": _both(before.seen, after.seen),
    }


def _work(one: WorkComparison) -> dict[str, Any]:
    values = {measure.name: _both(measure.value(one.before), measure.value(one.after)) for measure in MEASURES}
    return {"share": one.share, "jobs": one.before.jobs, **values}


def _capacity(one: CapacityComparison) -> dict[str, Any]:
    return {
        "share": one.share,
        "instance_type": one.unit,
        **_both(*(None if side is None else _amounts(side) for side in (one.before, one.after))),
    }


def _amounts(side: tuple[Amounts, Amounts, Amounts]) -> dict[str, int]:
    return {name: value(side[which]) for _, name, which, value, _ in CAPACITY}


def _job(job: JobComparison) -> dict[str, Any]:
    return {
        "job": job.job,
        "share": job.share,
        "wait_change_ms": job.wait_change_ms,
        "end_change_ms": job.end_change_ms,
        "preempted_change": job.preempted_change,
        "lost_change_instance_ms": job.lost_change_instance_ms,
        "cause": cause(job),
        **_both(_course(job.before), _course(job.after)),
    }


def _course(course: Course) -> dict[str, Any]:
    first = course.first_preemption
    return {
        "share": course.share,
        "submitted_at_ms": course.submitted_at_ms,
        "refused": course.refused or None,
        "wait_ms": course.wait_ms,
        "start": course.start.value if course.start else None,
        "preempted": course.preempted,
        "first_preemption": None
        if first is None
        else {"at_ms": first.at_ms, "kind": first.kind.value, "by": first.by, "by_share": first.by_share},
        "lost_instance_ms": course.lost_instance_ms,
        "ended_at_ms": course.ended_at_ms,
        "end": course.end.value if course.end else None,
    }
