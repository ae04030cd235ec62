"""EventBridge events of AWS Batch, one JSON object a line → courses.

The service delivers an event at least once and in no promised order: an id is taken once, and a job's events are
ordered by the envelope's `time`, which has whole seconds, then as they stand in the file. When something happened is
told by the detail, in ms, where it has the time.
"""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..model.arns import name_of
from ..model.service_facts import PREEMPTION_COMPLETED, PREEMPTION_STARTED, STATE_CHANGE
from .checks import check_detail, check_summary
from .record import BadLine, Course, Record, Stint, StintEnd

_USED: Final = (STATE_CHANGE, PREEMPTION_STARTED, PREEMPTION_COMPLETED)
_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", re.ASCII)

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Happening:
    """One event of one job: `what` is a status, or the kind of a preemption event; `order` its place."""

    order: tuple[int, int]
    at_ms: int
    what: str
    detail: Data


@dataclass(slots=True)
class _Job:
    """What is known of one job while the lines are read."""

    happenings: list[_Happening] = field(default_factory=list)
    detail: Data = field(default_factory=dict)
    latest: tuple[int, int] = (0, 0)


def record_of_events(lines: Iterable[str], queue: str | None = None) -> Record:
    """Read events of one queue, the only one of the record where none is named. Raises ValueError for several."""
    jobs: dict[str, _Job] = {}
    bad: list[BadLine] = []
    seen: set[str] = set()
    other = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            event = _event(line)
            if event is None or event["id"] in seen:
                other += 1
                continue
            _take(jobs, event, number)
            seen.add(event["id"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            bad.append(BadLine(number, _reason(error)))
    return _record(jobs, queue, tuple(bad), other)


def _event(line: str) -> Data | None:
    event = json.loads(line)
    if not isinstance(event, dict):
        raise ValueError("it is no JSON object")
    if event.get("detail-type") not in _USED:
        return None
    return event


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON: {error.msg}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)


def _take(jobs: dict[str, _Job], event: Data, number: int) -> None:
    """Add one event to its job. Nothing is added where it is malformed."""
    detail, kind = event["detail"], event["detail-type"]
    if not isinstance(detail, dict):
        raise TypeError("its detail is no object")
    at_ms = _envelope_ms(event["time"])
    if kind == STATE_CHANGE:
        check_detail(detail)
        status = detail["status"]
        happening = _Happening((at_ms, number), _time_of(status, detail, at_ms), status, detail)
        arn = detail["jobArn"]
    else:
        check_summary(detail)
        happening = _Happening((at_ms, number), at_ms, kind, detail)
        arn = detail["preemptedJobArn"]
    job = jobs.setdefault(arn, _Job())
    job.happenings.append(happening)
    if kind == STATE_CHANGE and happening.order >= job.latest:
        job.detail, job.latest = detail, happening.order


def _envelope_ms(text: object) -> int:
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"its time is {text!r}, not such as 2026-12-01T04:33:00Z")
    return calendar.timegm(tuple(int(part) for part in match.groups())) * 1000


def _time_of(status: str, detail: Data, at_ms: int) -> int:
    """Return when a status began: the detail's own time where it has one of this status, else the envelope's."""
    names = {"SCHEDULED": "scheduledAt", "RUNNING": "startedAt", "SUCCEEDED": "stoppedAt", "FAILED": "stoppedAt"}
    if _is_arrival(status, detail):
        return int(detail["createdAt"])
    told = detail.get(names.get(status, ""))
    return int(told) if told else at_ms


_OF_LATER: Final = ("attempts", "preemptionSummary", "scheduledAt")
"""What a job has only once something has happened to it."""


def _is_arrival(status: str, detail: Data) -> bool:
    """Whether a job is RUNNABLE for the first time, as far as its detail tells."""
    return status == "RUNNABLE" and not any(detail.get(name) for name in _OF_LATER)


def _need(detail: Data) -> dict[str, int]:
    return {str(usage["capacityUnit"]): int(usage["quantity"]) for usage in detail.get("capacityUsage") or ()}


def _record(jobs: Mapping[str, _Job], queue: str | None, bad: tuple[BadLine, ...], other: int) -> Record:
    told = {arn: job for arn, job in jobs.items() if job.detail}
    names = {name_of(str(job.detail["jobQueue"])) for job in told.values()}
    if queue is None and len(names) > 1:
        raise ValueError(f"the events are of several queues: {', '.join(sorted(names))}")
    name = queue or next(iter(names), "")
    own = [job for job in told.values() if name_of(str(job.detail["jobQueue"])) == name]
    other += sum(len(job.happenings) for job in jobs.values()) - sum(len(job.happenings) for job in own)
    courses = sorted((_course(job) for job in own), key=lambda course: course.created_ms)
    return Record(name, tuple(courses), bad, other)


def _course(job: _Job) -> Course:
    detail = job.detail
    happenings = sorted(job.happenings, key=lambda one: one.order)
    stints: list[Stint] = []
    ended_ms: int | None = None
    end = StintEnd.OPEN
    for one in happenings:
        if one.what in ("SUCCEEDED", "FAILED"):
            ended_ms, end = one.at_ms, _end_of(one)
        _follow(stints, one)
    return Course(
        job_id=detail["jobId"],
        job_name=detail["jobName"],
        share=detail["quotaShareName"],
        need=_need(detail),
        created_ms=int(detail["createdAt"]),
        priorities=_priorities(int(detail["createdAt"]), happenings),
        stints=tuple(stints),
        ended_ms=ended_ms,
        end=end,
        end_reason=str(detail.get("statusReason", "")) if end is not StintEnd.SUCCEEDED else "",
        preemption_retries=(detail.get("preemptionConfiguration") or {}).get("preemptionRetriesBeforeTermination"),
    )


def _end_of(one: _Happening) -> StintEnd:
    if one.what == "SUCCEEDED":
        return StintEnd.SUCCEEDED
    return StintEnd.TERMINATED if one.detail.get("isTerminated") else StintEnd.FAILED


def _follow(stints: list[Stint], one: _Happening) -> None:
    """Let one happening begin, move on or end the latest stint."""
    is_open = bool(stints) and stints[-1].end is StintEnd.OPEN
    if one.what in ("SCHEDULED", "STARTING", "RUNNING"):
        _dispatched(stints, one, is_open)
    elif not is_open:
        return
    elif one.what == PREEMPTION_STARTED:
        stints[-1] = replace(stints[-1], preempted_ms=one.at_ms)
    elif one.what == PREEMPTION_COMPLETED:
        stints[-1] = replace(stints[-1], stopped_ms=_stopped_ms(one), end=StintEnd.PREEMPTED)
    elif one.what in ("SUCCEEDED", "FAILED"):
        stints[-1] = replace(stints[-1], stopped_ms=one.at_ms, end=_end_of(one))
    elif not _is_arrival(one.what, one.detail):
        _back(stints, one)


def _dispatched(stints: list[Stint], one: _Happening, is_open: bool) -> None:
    """Begin a stint unless the open one is that of this dispatch, and note how far it has come."""
    told = one.at_ms if one.what == "SCHEDULED" else one.detail.get("scheduledAt")
    scheduled_ms = int(told) if told else None
    if is_open and stints[-1].scheduled_ms not in (None, scheduled_ms) and scheduled_ms is not None:
        _back(stints, one)  # that it was RUNNABLE in between is not told
        is_open = False
    if not is_open:
        stints.append(Stint(scheduled_ms))
    if one.what == "STARTING":
        stints[-1] = replace(stints[-1], starting_ms=one.at_ms)
    if one.what == "RUNNING":
        stints[-1] = replace(stints[-1], started_ms=one.at_ms)


def _back(stints: list[Stint], one: _Happening) -> None:
    """End the open stint of a job that is RUNNABLE again: preempted, as an event or its count tells, or requeued."""
    summary: Data = one.detail.get("preemptionSummary") or {}
    before = sum(stint.end is StintEnd.PREEMPTED for stint in stints)
    if stints[-1].preempted_ms is not None or summary.get("preemptedAttemptCount", 0) > before:
        stints[-1] = replace(stints[-1], stopped_ms=_stopped_ms(one), end=StintEnd.PREEMPTED)
    else:
        stints[-1] = replace(stints[-1], stopped_ms=one.at_ms, end=StintEnd.REQUEUED)


def _stopped_ms(one: _Happening) -> int:
    """Return when the latest preempted attempt had stopped, by the summary; else the time of the event."""
    recent: Sequence[Data] = (one.detail.get("preemptionSummary") or {}).get("recentPreemptedAttempts") or ()
    return int((recent and recent[0].get("stoppedAt")) or one.at_ms)


def _priorities(created_ms: int, happenings: Iterable[_Happening]) -> tuple[tuple[int, int], ...]:
    """Return the priorities as far as events show them: from the first event that does."""
    found: list[tuple[int, int]] = []
    for one in happenings:
        priority = one.detail.get("schedulingPriority")
        if priority is not None and (not found or found[-1][1] != priority):
            found.append((one.at_ms if found else created_ms, int(priority)))
    return tuple(found) or ((created_ms, 0),)
