"""EventBridge-shaped events of the queues: what Batch would publish, from what the scheduler says as it happens.

Pure of where they go (`targets`). An event's id depends on what happened only, so a restart that replays a state file
gives no event another id. UG: Service job state change events, queue blocked events, preemption events.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from ..model.arns import Scope
from ..model.service_facts import PREEMPTION_COMPLETED, PREEMPTION_STARTED, QUEUE_BLOCKED, STATE_CHANGE
from ..scheduler.state import JobRecord
from ..scheduler.status import JobStatus
from ..scheduler.trace import Blocked, PreemptionCompleted, PreemptionStarted, Submitted, TraceEvent
from .call import Api
from .driver import STATUS_CHANGES, JobEntry, Listener, QueueDriver
from .operations.jobviews import describe, preemption_summary

_NEVER_IN_AN_EVENT: Final = ("tags", "serviceRequestPayload")
_OF_BLOCKED: Final = (
    "attempts",
    "createdAt",
    "jobArn",
    "jobId",
    "jobName",
    "jobQueue",
    "serviceJobType",
    "status",
    "statusReason",
    "timeoutConfig",
)


def publisher(publish: Callable[[Api], None]) -> Listener:
    """Return a listener that publishes what Batch would publish."""

    def hear(driver: QueueDriver, event: TraceEvent) -> None:
        found = event_of(driver, event)
        if found is not None:
            publish(found)

    return hear


def event_of(driver: QueueDriver, event: TraceEvent) -> Api | None:
    """Return what an event looks like outside, None for what Batch keeps to itself. To be asked as it happens."""
    match event:
        case Blocked(reason=""):
            return None
        case Blocked():
            detail_type, make_detail = QUEUE_BLOCKED, _blocked
        case PreemptionStarted():
            detail_type, make_detail = PREEMPTION_STARTED, _preemption_started
        case PreemptionCompleted():
            detail_type, make_detail = PREEMPTION_COMPLETED, _preemption_completed
        case _ if isinstance(event, STATUS_CHANGES):
            detail_type, make_detail = STATE_CHANGE, _state_change
        case _:
            return None
    entry, record = driver.entry_of(event.job), driver.state.jobs[event.job]
    detail = make_detail(entry, record, driver.scope)
    if isinstance(event, Submitted):  # said of a job that is about to be RUNNABLE; the submission itself is no event
        detail["status"] = JobStatus.RUNNABLE
    return {
        "version": "0",
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{entry.arn}/{driver.event_count}")),
        "detail-type": detail_type,
        "source": "aws.batch",
        "account": driver.scope.account,
        "time": datetime.fromtimestamp(event.at_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": driver.scope.region,
        "resources": [entry.arn],
        "detail": detail,
    }


def _state_change(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    shown = describe(entry, record, scope)
    return {name: value for name, value in shown.items() if name not in _NEVER_IN_AN_EVENT}


def _blocked(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    shown = describe(entry, record, scope)
    return {name: shown[name] for name in _OF_BLOCKED if name in shown}


def _preemption_started(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    return {"statusReason": record.status_reason, "preemptedJobArn": entry.arn, "status": record.status}


def _preemption_completed(entry: JobEntry, record: JobRecord, scope: Scope) -> Api:
    """The victim's status from now on; it ends FAILED once its preemption retries are used up."""
    retries = record.job.preemption_retries
    is_over = retries is not None and record.preempted_count > retries
    return {
        "preemptedJobArn": entry.arn,
        "preemptionSummary": preemption_summary(entry, record, scope),
        "status": JobStatus.FAILED if is_over else JobStatus.RUNNABLE,
    }
