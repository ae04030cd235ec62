"""Rules for one job queue, one scheduling policy and the type of a service environment."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import service_facts as facts
from ..model.diagnostic import Severity
from ..model.durations import format_duration
from ..model.stack import SAGEMAKER_TRAINING, JobQueue, SchedulingPolicy, ServiceEnvironment
from .names import label
from .registry import Fault, rule

_ACTIONS = "job_state_time_limit_actions"


@rule(
    "QE302",
    "unknown-idle-resource-assignment",
    Severity.ERROR,
    scopes=("policy",),
    source="Batch API Reference, QuotaSharePolicy",
)
def unknown_idle_resource_assignment(policy: SchedulingPolicy) -> Iterator[Fault]:
    """What it checks
      A policy assigns idle resources by FIFO, the only strategy there is.

    Why it is wrong
      AWS Batch refuses any other.

    Example
      idle_resource_assignment: LIFO

    Use instead
      idle_resource_assignment: FIFO
    """
    stated = policy.idle_resource_assignment
    if stated is not None and stated not in facts.IDLE_RESOURCE_ASSIGNMENT:
        what = f"{label(policy)} assigns idle resources by {stated}"
        known = " or ".join(facts.IDLE_RESOURCE_ASSIGNMENT)
        yield ("idle_resource_assignment",), what, f"AWS Batch knows {known}", f"write {known}"


@rule(
    "QE303",
    "policy-without-quota-shares",
    Severity.ERROR,
    scopes=("policy",),
    source="Batch API Reference, CreateSchedulingPolicy; AWS Batch User Guide, Create quota management resources",
)
def policy_without_quota_shares(policy: SchedulingPolicy) -> Iterator[Fault]:
    """What it checks
      A policy is a quota-share policy. Only a live account can hold another here; a declaration can't state one.

    Why it is wrong
      A queue with a fair-share policy has no quota shares, and a policy's kind can't be changed.

    Example
      a scheduling policy with a fairsharePolicy in the account

    Use instead
      a scheduling policy with a quotaSharePolicy, under another name
    """
    if policy.idle_resource_assignment is None:
        what = f"{label(policy)} is not a quota-share policy"
        yield (), what, "a policy's kind can't be changed", "create a quota-share policy under another name"


@rule(
    "QE312",
    "queue-environment-count",
    Severity.ERROR,
    scopes=("queue",),
    source="AWS Batch User Guide, AWS Batch service quotas and Create quota management resources",
)
def queue_environment_count(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      A queue has exactly one service environment.

    Why it is wrong
      A quota-managed queue can have one only, and none to run on without it.

    Example
      a queue with two service environments

    Use instead
      service_environment: gpu
    """
    count = len(queue.service_environments)
    if count != 1:
        what = f"{label(queue)} has {count or 'no'} service environment{'' if count == 0 else 's'}"
        yield ("service_environment",), what, "a quota-managed queue has exactly one", "name one service environment"


@rule(
    "QE313",
    "not-for-training-jobs",
    Severity.ERROR,
    scopes=("queue", "environment"),
    source="AWS Batch User Guide, Create quota management resources",
)
def not_for_training_jobs(resource: JobQueue | ServiceEnvironment) -> Iterator[Fault]:
    """What it checks
      A queue and its environment are of type SAGEMAKER_TRAINING. Only a live account can hold others.

    Why it is wrong
      Quota management exists for SageMaker Training jobs only, and a type can't be changed.

    Example
      a job queue of type ECS in the account

    Use instead
      a job queue of type SAGEMAKER_TRAINING, under another name
    """
    if resource.type != SAGEMAKER_TRAINING:
        what = f"{label(resource)} is of type {resource.type}"
        why = f"quota management exists for {SAGEMAKER_TRAINING} only, and a type can't be changed"
        yield (), what, why, "create another under another name"


@rule(
    "QE314",
    "queue-priority-out-of-range",
    Severity.ERROR,
    scopes=("queue",),
    source="CloudFormation AWS::Batch::JobQueue",
)
def queue_priority_out_of_range(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      A queue's priority is 0 to 1000.

    Why it is wrong
      AWS Batch refuses others.

    Example
      priority: 1001

    Use instead
      priority: 1000
    """
    low, high = facts.QUEUE_PRIORITY_MIN, facts.QUEUE_PRIORITY_MAX
    if not low <= queue.priority <= high:
        what = f"{label(queue)} has priority {queue.priority}; at least {low} and at most {high} is allowed"
        yield ("priority",), what, "AWS Batch refuses others", f"write {low} to {high}"


@rule(
    "QE315",
    "queue-without-policy",
    Severity.ERROR,
    scopes=("queue",),
    source="AWS Batch User Guide, Create quota management resources; Batch API Reference, UpdateJobQueue",
)
def queue_without_policy(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      A queue has a scheduling policy. A declaration must state one; a live queue may lack it.

    Why it is wrong
      Without a quota-share policy it can have no shares, and a queue created without a policy can't get one later.

    Example
      a job queue without a scheduling policy in the account

    Use instead
      scheduling_policy: quota-fifo
    """
    if queue.scheduling_policy is None:
        why = "a queue created without a policy can't get one later"
        yield ("scheduling_policy",), f"{label(queue)} has no scheduling policy", why, "name a quota-share policy"


@rule(
    "QE316",
    "unknown-time-limit-value",
    Severity.ERROR,
    scopes=("queue",),
    source="Batch API Reference, JobStateTimeLimitAction; AWS Batch User Guide, Jobs stuck in a RUNNABLE status",
)
def unknown_time_limit_value(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      A time-limit action has a known reason, the state RUNNABLE and the action TERMINATE.

    Why it is wrong
      AWS Batch refuses others for SageMaker Training queues.

    Example
      {reason: "MISCONFIGURATION:JOB_TOO_BIG", max_time: 1h}

    Use instead
      {reason: "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE", max_time: 1h}
    """
    known = (("reason", facts.TIME_LIMIT_REASONS), ("state", ("RUNNABLE",)), ("action", ("TERMINATE",)))
    for index, action in enumerate(queue.time_limit_actions):
        for key, allowed in known:
            value = getattr(action, key)
            if value not in allowed:
                what = f"{key} of time-limit action {index + 1} of {label(queue)} is {value}"
                yield (_ACTIONS, index, key), what, f"it can be {' or '.join(allowed)}", f"write {allowed[0]}"


@rule(
    "QE317",
    "time-limit-out-of-range",
    Severity.ERROR,
    scopes=("queue",),
    source="Batch API Reference, JobStateTimeLimitAction",
)
def time_limit_out_of_range(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      A time-limit action waits 10 minutes to 24 hours.

    Why it is wrong
      AWS Batch refuses less than 600 and more than 86400 seconds.

    Example
      {reason: "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", max_time: 5m}

    Use instead
      {reason: "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", max_time: 10m}
    """
    low, high = facts.TIME_LIMIT_MIN_SECONDS, facts.TIME_LIMIT_MAX_SECONDS
    for index, action in enumerate(queue.time_limit_actions):
        if not low <= action.max_time_seconds <= high:
            shown = format_duration(action.max_time_seconds * 1000)
            what = f"time-limit action {index + 1} of {label(queue)} waits {shown}"
            nearest = low if action.max_time_seconds < low else high
            fix = f"write {format_duration(nearest * 1000)}"
            bounds = f"{format_duration(low * 1000)} to {format_duration(high * 1000)}"
            yield (_ACTIONS, index, "max_time"), what, f"AWS Batch allows {bounds}", fix


@rule(
    "QE318",
    "duplicate-time-limit-action",
    Severity.ERROR,
    scopes=("queue",),
    source="the service's own refusal, as recorded by others",
)
def duplicate_time_limit_action(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      No two time-limit actions have the same reason and state.

    Why it is wrong
      AWS Batch refuses duplicates.

    Example
      - {reason: "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", max_time: 1h}
      - {reason: "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", max_time: 2h}

    Use instead
      - {reason: "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", max_time: 1h}
    """
    first: dict[tuple[str, str], int] = {}
    for index, action in enumerate(queue.time_limit_actions):
        key = (action.reason, action.state)
        if key in first:
            what = f"time-limit action {index + 1} of {label(queue)} has the reason of action {first[key] + 1}"
            yield (_ACTIONS, index, "reason"), what, "AWS Batch refuses duplicates", "remove one of them"
        first.setdefault(key, index)


@rule(
    "QE319",
    "too-many-shares",
    Severity.ERROR,
    scopes=("queue",),
    source="AWS Batch User Guide, Quota shares and AWS Batch service quotas",
)
def too_many_shares(queue: JobQueue) -> Iterator[Fault]:
    """What it checks
      A queue has at most 20 quota shares.

    Why it is wrong
      AWS Batch refuses more, and the quota can't be raised.

    Example
      a queue with 21 quota shares

    Use instead
      two queues, each with an environment of its own
    """
    count = len(queue.quota_shares)
    if count > facts.SHARES_PER_QUEUE_MAX:
        what = f"{label(queue)} has {count} quota shares, {facts.SHARES_PER_QUEUE_MAX} at most are allowed"
        yield ("quota_shares",), what, "the service quota can't be raised", "divide the shares among several queues"
