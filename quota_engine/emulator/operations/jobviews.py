"""Jobs as the API shows them: DescribeServiceJob's answer and ListServiceJobs' items, from request and record."""

from __future__ import annotations

import hashlib
from typing import Any

from ...model.arns import Scope
from ...scheduler.attempt import Attempt
from ...scheduler.state import JobRecord
from ...scheduler.status import DISPATCHED
from ..call import Api
from ..driver import JobEntry

_SHOWN_AS_SENT = (
    "jobName",
    "preemptionConfiguration",
    "quotaShareName",
    "retryStrategy",
    "serviceJobType",
    "serviceRequestPayload",
    "shareIdentifier",
    "timeoutConfig",
)
_IN_SUMMARY = ("jobName", "quotaShareName", "serviceJobType", "shareIdentifier")


def describe(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    """Return DescribeServiceJob's answer. What there is none of is left out, but for what is always there."""
    shown: dict[str, Any] = {name: entry.request[name] for name in _SHOWN_AS_SENT if name in entry.request}
    shown |= _common(entry, record, scope)
    shown |= {
        "attempts": [attempt_detail(entry, attempt, scope) for attempt in record.attempts],
        "isTerminated": record.is_terminated,
        "jobQueue": entry.driver.queue_arn,
        "schedulingPriority": record.priority,
        "tags": entry.tags,
    }
    if record.preempted_count:
        shown["preemptionSummary"] = preemption_summary(entry, record, scope)
    return shown


def summarise(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    """Return one item of ListServiceJobs, which has neither priority nor preemptions."""
    shown: dict[str, Any] = {name: entry.request[name] for name in _IN_SUMMARY if name in entry.request}
    shown |= _common(entry, record, scope)
    if record.is_terminated:
        shown["isTerminated"] = True
    return shown


def _common(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    shown: dict[str, Any] = {
        "capacityUsage": [
            {"capacityUnit": unit, "quantity": float(count)} for unit, count in sorted(record.job.need.items())
        ],
        "createdAt": record.created_ms,
        "jobArn": entry.arn,
        "jobId": entry.job_id,
        "status": record.status,
    }
    times = {"scheduledAt": record.scheduled_ms, "startedAt": record.started_ms, "stoppedAt": record.stopped_ms}
    shown |= {name: at_ms for name, at_ms in times.items() if at_ms is not None}
    if record.status_reason:
        shown["statusReason"] = record.status_reason
    if record.placements and (record.status in DISPATCHED or record.is_finished):
        shown["latestAttempt"] = {"serviceResourceId": _training_job(entry, record.placements, scope)}
    return shown


def preemption_summary(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    """Return how often the job was preempted and its latest preempted attempts, newest first."""
    return {
        "preemptedAttemptCount": record.preempted_count,
        "recentPreemptedAttempts": [attempt_detail(entry, attempt, scope) for attempt in record.preempted_attempts],
    }


def attempt_detail(entry: JobEntry, attempt: Attempt, scope: Scope) -> Api:
    detail: dict[str, Any] = {
        "serviceResourceId": _training_job(entry, attempt.placement, scope),
        "stoppedAt": attempt.stopped_ms,
    }
    if attempt.reason:
        detail["statusReason"] = attempt.reason
    if attempt.started_ms is not None:
        detail["startedAt"] = attempt.started_ms
    return detail


def _training_job(entry: JobEntry, placement: int, scope: Scope) -> Api:
    """Return the training job of one placement: 32 hex digits tell apart the job's attempts."""
    digits = hashlib.sha256(f"{entry.job_id}/{placement}".encode()).hexdigest()[:32]
    return {
        "name": "TrainingJobArn",
        "value": scope.arn(f"training-job/{entry.training_job_name}{digits}", "sagemaker"),
    }
