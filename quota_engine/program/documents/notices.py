"""Notices of what happens in the queues: which events, in which words, and who may deliver them where.

Source of the events' types and members: AWS Batch User Guide, Service job state change, queue blocked and preemption
events. A preemption event names no queue, so its notice is about every queue of the account and region.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quota_engine.model.around import Occasion
from quota_engine.model.service_facts import (
    PREEMPTION_COMPLETED,
    PREEMPTION_STARTED,
    QUEUE_BLOCKED,
    STATE_CHANGE,
)

from .access import Document

_EVENTS = "events.amazonaws.com"
_LOG_DELIVERY = "delivery.logs.amazonaws.com"
_ALARMS = "cloudwatch.amazonaws.com"


@dataclass(frozen=True, slots=True)
class Notice:
    """One kind of event and its words. `paths` {variable: where it stands}; `template` is one JSON text."""

    name: str
    detail_type: str
    paths: Mapping[str, str]
    template: str
    status: str | None = None
    names_queue: bool = True

    def pattern(self, queue_arns: Sequence[str]) -> dict[str, Any]:
        """Return the event pattern: this type, and where the event says so, these queues."""
        detail = {"status": [self.status]} if self.status else {}
        if self.names_queue:
            detail["jobQueue"] = sorted(queue_arns)
        pattern: dict[str, Any] = {"source": ["aws.batch"], "detail-type": [self.detail_type]}
        return {**pattern, "detail": detail} if detail else pattern


_WHERE = {"time": "$.time", "region": "$.region", "account": "$.account"}
_JOB = {**_WHERE, "name": "$.detail.jobName", "job": "$.detail.jobId", "queue": "$.detail.jobQueue"}
_REASON = {"reason": "$.detail.statusReason"}

NOTICES: Mapping[Occasion, tuple[Notice, ...]] = {
    Occasion.PREEMPTION: (
        Notice(
            "preemption-started",
            PREEMPTION_STARTED,
            {**_WHERE, **_REASON, "job": "$.detail.preemptedJobArn", "status": "$.detail.status"},
            '"<time> AWS Batch in <region>, account <account>, stops the <status> job <job>. <reason>"',
            names_queue=False,
        ),
        Notice(
            "preemption-completed",
            PREEMPTION_COMPLETED,
            {
                **_WHERE,
                "job": "$.detail.preemptedJobArn",
                "status": "$.detail.status",
                "count": "$.detail.preemptionSummary.preemptedAttemptCount",
            },
            '"<time> AWS Batch in <region>, account <account>, has stopped the job <job>; it is <status> now. '
            'Preempted <count> times so far."',
            names_queue=False,
        ),
    ),
    Occasion.QUEUE_BLOCKED: (
        Notice(
            "queue-blocked",
            QUEUE_BLOCKED,
            {**_JOB, **_REASON},
            '"<time> The job <name> (<job>) can not run and blocks its share in <queue>, account <account>. <reason>"',
        ),
    ),
    Occasion.FAILURES: (
        Notice(
            "job-failed",
            STATE_CHANGE,
            {**_JOB, **_REASON},
            '"<time> The job <name> (<job>) in <queue>, account <account>, has failed. <reason>"',
            status="FAILED",
        ),
    ),
}


def topic_policy(topic_arn: str, account: str) -> Document:
    """Return who may publish to a topic: EventBridge's rules and this account's alarms.

    EventBridge documents no condition for topics; alarms do know their account.
    """
    events = _publish("LetRulesPublish", _EVENTS, topic_arn)
    alarms = {
        **_publish("LetAlarmsPublish", _ALARMS, topic_arn),
        "Condition": {"StringEquals": {"aws:SourceAccount": account}},
    }
    return {"Version": "2012-10-17", "Statement": [events, alarms]}


def log_policy(log_group_arns: Iterable[str]) -> Document:
    """Return who may write to log groups: EventBridge. UG of EventBridge: Using resource-based policies."""
    statement = {
        "Sid": "LetRulesWrite",
        "Effect": "Allow",
        "Principal": {"Service": [_LOG_DELIVERY, _EVENTS]},
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "Resource": [f"{arn}:*" for arn in sorted(log_group_arns)],
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def _publish(sid: str, service: str, topic_arn: str) -> dict[str, Any]:
    return {
        "Sid": sid,
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sns:Publish",
        "Resource": topic_arn,
    }
