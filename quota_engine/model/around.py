"""What a declaration may state around its queues: who may submit, the training role, notifications, alarms, dashboard.

None of it is quota management itself, and all of it is optional; only the Pulumi program deploys it. It must not know
how IAM, EventBridge or CloudWatch spell things: that is `program`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Grantees:
    """Who gets a policy: IAM roles, users and groups by ARN, and those who may assume a role made for it."""

    principals: tuple[str, ...] = ()
    assumed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The right to submit to one share, and to no other.

    `max_priority` None means no cap. `training_roles` are ARNs or names of roles that jobs may run as; empty means the
    declared training role. With `job_tags` every job carries them, and only jobs that do may be updated or terminated;
    without, AWS can't tell the jobs of two shares apart, as a job's ARN doesn't name its share.
    """

    name: str
    queue: str
    share: str
    grantees: Grantees = field(default_factory=Grantees)
    max_priority: int | None = None
    training_roles: tuple[str, ...] = ()
    may_terminate: bool = False
    job_tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def policy(self) -> str:
        """What its policy is called in the stack, apart from those of administrators and auditors."""
        return f"submit-{self.name}"


@dataclass(frozen=True, slots=True)
class TrainingRole:
    """The role that training jobs run as, with the S3 buckets it may use."""

    name: str
    buckets: tuple[str, ...] = ()
    read_only_buckets: tuple[str, ...] = ()


class Occasion(StrEnum):
    """What is worth a notification."""

    PREEMPTION = "preemption"
    QUEUE_BLOCKED = "queue_blocked"
    FAILURES = "failures"


@dataclass(frozen=True, slots=True)
class Notification:
    """Where notice of an occasion goes: a topic (a name, or the ARN of an existing one) or a log group, not both."""

    occasion: Occasion
    sns_topic: str | None = None
    log_group: str | None = None


class Measure(StrEnum):
    """What a metric counts in."""

    COUNT = "count"
    MILLISECONDS = "milliseconds"


METRICS: Mapping[str, Measure] = {
    **dict.fromkeys(
        (
            "JobsSubmitted",
            "JobsMovedToPending",
            "JobsMovedToRunnable",
            "JobsMovedToScheduled",
            "JobsMovedToStarting",
            "JobsMovedToRunning",
            "JobsSucceeded",
            "JobsFailed",
            "JobsCancelled",
            "JobsTerminated",
            "JobsRetried",
            "JobsPreempted",
        ),
        Measure.COUNT,
    ),
    **dict.fromkeys(
        (
            "JobSubmittedToRunnableDuration",
            "JobSubmittedToFirstScheduledDuration",
            "JobAttemptRunnableToScheduledDuration",
            "JobAttemptScheduledToStartingDuration",
            "JobAttemptStartingToRunningDuration",
            "JobAttemptExecutionDuration",
            "JobAttemptDuration",
        ),
        Measure.MILLISECONDS,
    ),
}
"""The metrics of a queue in namespace AWS/Batch (AWS Batch User Guide, Using CloudWatch Metrics with AWS Batch)."""

METRIC_NAMESPACE = "AWS/Batch"
METRIC_DIMENSION = "JobQueueName"


@dataclass(frozen=True, slots=True)
class Alarm:
    """Notice when a metric of a queue goes over a threshold: a sum of counts, or the longest of durations.

    `over` is a number of jobs, or milliseconds; `is_duration` says which of the two was stated. `name` is unique in
    the stack.
    """

    name: str
    queue: str
    metric: str
    over: int
    within_seconds: int
    is_duration: bool = False
    notify: str | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """Everything declared around the queues. `tags` are the stack's, on whatever of it takes tags."""

    access: Mapping[str, Access] = field(default_factory=dict)
    administrators: Grantees | None = None
    auditors: Grantees | None = None
    training_role: TrainingRole | None = None
    notifications: Mapping[Occasion, Notification] = field(default_factory=dict)
    alarms: tuple[Alarm, ...] = ()
    dashboard: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)

    def sections(self) -> tuple[str, ...]:
        """Return the declaration's keys that state something here, in the order of the fields."""
        names = ("access", "administrators", "auditors", "training_role", "notifications", "alarms", "dashboard")
        return tuple(name for name in names if getattr(self, name))


def role_name(stack: str, entry: str) -> str:
    """Return the name of the policy, and of the role, made for an entry: unique in the account, as IAM's names are."""
    return f"{stack}-{entry}"
