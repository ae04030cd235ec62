"""Model ↔ Batch API ↔ CloudFormation: the one place that knows how AWS spells a resource.

API shapes are plain dicts as boto3 sends and returns them (camelCase); CloudFormation properties are the same with an
upper first letter, but for what `to_cloudformation` lists. Reading is tolerant: what the service may leave out gets the
service's default, and nothing is judged here (that is `rules/`). Writing states only what the declaration states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .arns import BatchArn, Scope, parse_arn
from .stack import (
    SAGEMAKER_TRAINING,
    Capacity,
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    State,
    Strategy,
    TimeLimitAction,
)

Api = dict[str, Any]

TYPE_NAMES = {
    "AWS::Batch::SchedulingPolicy": "SchedulingPolicy",
    "AWS::Batch::ServiceEnvironment": "ServiceEnvironment",
    "AWS::Batch::JobQueue": "JobQueue",
    "AWS::Batch::QuotaShare": "QuotaShare",
}


def capacity_to_api(capacity: Capacity) -> list[Api]:
    return [{"maxCapacity": count, "capacityUnit": unit} for unit, count in capacity.items()]


def capacity_from_api(limits: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return {unit: instances}. A unit listed twice must have been refused before: the last would win here."""
    return {limit["capacityUnit"]: int(limit["maxCapacity"]) for limit in limits}


def _with_tags(request: Api, tags: Mapping[str, str]) -> Api:
    """Add tags unless empty: an empty map is outside the API's range."""
    return {**request, "tags": dict(tags)} if tags else request


def policy_to_api(policy: SchedulingPolicy) -> Api:
    """Return the members of CreateSchedulingPolicy."""
    request: Api = {"name": policy.name}
    if policy.idle_resource_assignment is not None:
        request["quotaSharePolicy"] = {"idleResourceAssignmentStrategy": policy.idle_resource_assignment}
    return _with_tags(request, policy.tags)


def policy_from_api(detail: Mapping[str, Any]) -> SchedulingPolicy:
    quota_share_policy = detail.get("quotaSharePolicy")
    return SchedulingPolicy(
        name=detail["name"],
        idle_resource_assignment=(
            None if quota_share_policy is None else quota_share_policy["idleResourceAssignmentStrategy"]
        ),
        tags=dict(detail.get("tags") or {}),
    )


def environment_to_api(environment: ServiceEnvironment) -> Api:
    """Return the members of CreateServiceEnvironment."""
    return _with_tags(
        {
            "serviceEnvironmentName": environment.name,
            "serviceEnvironmentType": environment.type,
            "state": environment.state.value,
            "capacityLimits": capacity_to_api(environment.capacity_limits),
        },
        environment.tags,
    )


def environment_from_api(detail: Mapping[str, Any]) -> ServiceEnvironment:
    return ServiceEnvironment(
        name=detail["serviceEnvironmentName"],
        type=detail.get("serviceEnvironmentType", SAGEMAKER_TRAINING),
        capacity_limits=capacity_from_api(detail.get("capacityLimits") or ()),
        state=State(detail.get("state", State.ENABLED)),
        tags=dict(detail.get("tags") or {}),
    )


def time_limit_action_to_api(action: TimeLimitAction) -> Api:
    return {
        "reason": action.reason,
        "state": action.state,
        "maxTimeSeconds": action.max_time_seconds,
        "action": action.action,
    }


def time_limit_action_from_api(action: Mapping[str, Any]) -> TimeLimitAction:
    return TimeLimitAction(action["reason"], int(action["maxTimeSeconds"]), action["state"], action["action"])


def queue_to_api(queue: JobQueue, scope: Scope) -> Api:
    """Return the members of CreateJobQueue; environment and policy are named by ARN."""
    request: Api = {
        "jobQueueName": queue.name,
        "jobQueueType": queue.type,
        "priority": queue.priority,
        "state": queue.state.value,
        "serviceEnvironmentOrder": [
            {"order": order, "serviceEnvironment": _arn(name, scope.service_environment)}
            for order, name in enumerate(queue.service_environments, start=1)
        ],
    }
    if queue.scheduling_policy is not None:
        request["schedulingPolicyArn"] = _arn(queue.scheduling_policy, scope.scheduling_policy)
    if queue.time_limit_actions:
        request["jobStateTimeLimitActions"] = [time_limit_action_to_api(action) for action in queue.time_limit_actions]
    return _with_tags(request, queue.tags)


def _arn(name: str, build: Callable[[str], str]) -> str:
    """Return the ARN of what a queue references; what lives elsewhere is named by its ARN already."""
    return name if parse_arn(name) else build(name)


def _reference(name_or_arn: str, home: BatchArn | None) -> str:
    """Return a reference's name; its ARN where it lives in another account or region than the queue."""
    parsed = parse_arn(name_or_arn)
    if parsed is None or (home is not None and parsed.scope != home.scope):
        return name_or_arn
    return parsed.name


def queue_from_api(detail: Mapping[str, Any], shares: Iterable[QuotaShare] = ()) -> JobQueue:
    """Build a queue from JobQueueDetail (or a create request) and its shares, sorted by name.

    With the queue's own ARN in `detail`, a reference to another account or region keeps its ARN for a name.
    """
    environments = sorted(detail.get("serviceEnvironmentOrder") or (), key=lambda entry: int(entry["order"]))
    policy_arn = detail.get("schedulingPolicyArn")
    home = parse_arn(detail.get("jobQueueArn") or "")
    return JobQueue(
        name=detail["jobQueueName"],
        type=detail.get("jobQueueType", "ECS"),
        service_environments=tuple(_reference(entry["serviceEnvironment"], home) for entry in environments),
        scheduling_policy=_reference(policy_arn, home) if policy_arn else None,
        priority=int(detail["priority"]),
        state=State(detail.get("state", State.ENABLED)),
        time_limit_actions=tuple(
            time_limit_action_from_api(action) for action in detail.get("jobStateTimeLimitActions") or ()
        ),
        quota_shares={share.name: share for share in sorted(shares, key=lambda share: share.name)},
        tags=dict(detail.get("tags") or {}),
    )


def share_to_api(share: QuotaShare, queue_arn: str) -> Api:
    """Return the members of CreateQuotaShare. A borrow limit of 0 is a value and is sent; None is not."""
    sharing: Api = {"strategy": share.strategy.value}
    if share.borrow_limit_percent is not None:
        sharing["borrowLimit"] = share.borrow_limit_percent
    return _with_tags(
        {
            "quotaShareName": share.name,
            "jobQueue": queue_arn,
            "capacityLimits": capacity_to_api(share.capacity_limits),
            "resourceSharingConfiguration": sharing,
            "preemptionConfiguration": {"inSharePreemption": share.in_share_preemption.value},
            "state": share.state.value,
        },
        share.tags,
    )


def share_from_api(detail: Mapping[str, Any]) -> QuotaShare:
    sharing = detail["resourceSharingConfiguration"]
    return QuotaShare(
        name=detail["quotaShareName"],
        capacity_limits=capacity_from_api(detail["capacityLimits"]),
        strategy=Strategy(sharing["strategy"]),
        borrow_limit_percent=sharing.get("borrowLimit"),
        in_share_preemption=State(detail["preemptionConfiguration"]["inSharePreemption"]),
        state=State(detail.get("state", State.ENABLED)),
        tags=dict(detail.get("tags") or {}),
    )


_SPELLED_OTHERWISE = {"jobQueueArn": {"QuotaShare": "JobQueue"}}
_NOT_IN_CLOUDFORMATION = frozenset({"status", "statusReason", "computeEnvironmentOrder"})


def _recase(value: Any, *, upper: bool) -> Any:
    if isinstance(value, Mapping):
        return {
            (key[0].upper() if upper else key[0].lower()) + key[1:]: inner
            if key in ("tags", "Tags")
            else _recase(inner, upper=upper)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_recase(item, upper=upper) for item in value]
    return value


def to_cloudformation(kind: str, detail: Mapping[str, Any]) -> Api:
    """Turn an API detail or create request of `kind` (QuotaShare, …) into CloudFormation properties.

    Statuses have no place there, nulls and empty tags are dropped, and a share's queue is called JobQueue (its ARN).
    """
    renamed = {
        _SPELLED_OTHERWISE.get(key, {}).get(kind, key): value
        for key, value in detail.items()
        if key not in _NOT_IN_CLOUDFORMATION and value is not None and not (key == "tags" and not value)
    }
    recased: Api = _recase(renamed, upper=True)
    return recased


def from_cloudformation(properties: Mapping[str, Any]) -> Api:
    """Turn CloudFormation properties into the members of the API's create request; tag keys stay as they are."""
    recased: Api = _recase(properties, upper=False)
    return recased
