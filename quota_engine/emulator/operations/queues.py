"""Job queues of type SAGEMAKER_TRAINING: quota-managed, FIFO, and fair-share ones (which take no jobs here)."""

from __future__ import annotations

from typing import Any

from ...model.arns import parse_arn
from ...model.service_facts import (
    JOB_QUEUES_MAX,
    NUM_INSTANCES,
)
from ...model.stack import SAGEMAKER_TRAINING
from ..call import Api, Call, Operations
from ..driver import new_driver
from ..lifecycle import born, changed, dying, require_deletable, require_settled_for_update
from ..store import Kind, Resource, Status
from ..texts import refuse
from .described import asked_for
from .environments import queues_on
from .judge import judge_queue

_DEFAULT_TYPE = "ECS"
_HEALTHY = "JobQueue Healthy"
_UPDATED_AS_SENT = ("state", "priority", "jobStateTimeLimitActions")


def create_job_queue(call: Call, request: Api) -> Api:
    name = request["jobQueueName"]
    if call.region.find(Kind.QUEUE, name):
        raise refuse("exists")
    _check_type(call, request)
    policy = _policy_of(call, request.get("schedulingPolicyArn"))
    environment = _environment_of(call, request["serviceEnvironmentOrder"])
    _check_attachable(call, environment, policy)
    if len(call.region.resources[Kind.QUEUE]) >= JOB_QUEUES_MAX:
        raise refuse("too-many", what="job queues", limit=JOB_QUEUES_MAX)
    queue = _build(call, name, request, environment, policy)
    born(call, queue)
    call.region.drivers[name] = new_driver(
        call.region.scope,
        queue.detail,
        environment.detail,
        policy.detail if policy else None,
        call.settings,
        call.at_ms,
        call.world,
    )
    return {"jobQueueName": name, "jobQueueArn": queue.arn}


def _build(call: Call, name: str, request: Api, environment: Resource, policy: Resource | None) -> Resource:
    arn = call.region.scope.job_queue(name)
    detail: dict[str, Any] = {
        "jobQueueName": name,
        "jobQueueArn": arn,
        "state": request.get("state", "ENABLED"),
        "priority": request["priority"],
        "computeEnvironmentOrder": [],
        "serviceEnvironmentOrder": _order_by_arn(request["serviceEnvironmentOrder"], environment),
        "jobQueueType": request["jobQueueType"],
        "jobStateTimeLimitActions": request.get("jobStateTimeLimitActions", []),
        "tags": dict(request.get("tags", {})),
    }
    if policy:
        detail["schedulingPolicyArn"] = policy.arn
    judge_queue(detail)
    return Resource(Kind.QUEUE, name, arn, call.world.next_seq(), detail)


def update_job_queue(call: Call, request: Api) -> Api:
    """Change what is named and nothing else."""
    queue = existing_queue(call, request["jobQueue"], "absent")
    require_settled_for_update(call, queue)
    if request.get("computeEnvironmentOrder"):
        raise refuse("compute-environments")
    policy = _replacement_policy(call, queue, request)
    order = request.get("serviceEnvironmentOrder") or queue.detail["serviceEnvironmentOrder"]
    environment = _environment_of(call, order, queue)
    _check_attachable(call, environment, policy, queue)
    detail = {**queue.detail, **{name: request[name] for name in _UPDATED_AS_SENT if name in request}}
    detail["serviceEnvironmentOrder"] = _order_by_arn(order, environment)
    if policy:
        detail["schedulingPolicyArn"] = policy.arn
    judge_queue(detail)
    queue.detail = detail
    changed(call, queue)
    call.region.drivers[queue.name].put_queue(call.at_ms, queue.detail, environment.detail)
    return {"jobQueueName": queue.name, "jobQueueArn": queue.arn}


def delete_job_queue(call: Call, request: Api) -> Api:
    """Delete a DISABLED queue without shares (assumption A-27); jobs still in it end FAILED."""
    queue = existing_queue(call, request["jobQueue"], "absent")
    require_deletable(call, queue)
    if any(share.queue == queue.name for share in call.region.all_of(Kind.SHARE)):
        raise refuse("queue-has-shares", queue=queue.name)
    call.region.drivers.pop(queue.name).close(call.at_ms)
    dying(call, queue)
    return {}


def describe_job_queues(call: Call, request: Api) -> Api:
    found, token = asked_for(call, Kind.QUEUE, request.get("jobQueues", []), request, "DescribeJobQueues")
    return {"jobQueues": [queue_detail(call, queue) for queue in found], **token}


def queue_detail(call: Call, queue: Resource) -> Api:
    """Return the JobQueueDetail of a queue."""
    status = queue.status_at(call.at_ms)
    reason = {"statusReason": _HEALTHY} if status is Status.VALID else {}
    return {**queue.detail, "status": status, **reason}


def existing_queue(call: Call, name_or_arn: str, text: str) -> Resource:
    """Return the queue of a name or ARN. Raises Refusal with the given text when there is none."""
    queue = call.find(Kind.QUEUE, name_or_arn)
    if queue is None:
        raise refuse(text, name=name_or_arn)
    return queue


def _check_type(call: Call, request: Api) -> None:
    """Refuse all but SAGEMAKER_TRAINING queues with service environments."""
    kind = request.get("jobQueueType", _DEFAULT_TYPE)
    if kind != SAGEMAKER_TRAINING:
        if request.get("serviceEnvironmentOrder"):
            raise refuse("queue-type", type=kind)
        if is_quota_policy(_policy_of(call, request.get("schedulingPolicyArn"))):
            raise refuse("quota-queue-type")
        raise refuse("compute-environments")
    if request.get("computeEnvironmentOrder"):
        raise refuse("compute-environments")
    if not request.get("serviceEnvironmentOrder"):
        raise refuse("no-environment")


def _environment_of(call: Call, order: list[Api], queue: Resource | None = None) -> Resource:
    """Return the one environment of a serviceEnvironmentOrder. What the queue already has needs not be VALID."""
    if len(order) > 1:
        raise refuse("one-environment")
    environment = call.find(Kind.ENVIRONMENT, order[0]["serviceEnvironment"])
    attached = queue is not None and environment is not None and queue in queues_on(call, environment)
    if environment is None or not (attached or environment.status_at(call.at_ms) is Status.VALID):
        raise refuse("environment-not-valid")
    return environment


def _policy_of(call: Call, arn: str | None) -> Resource | None:
    if arn is None:
        return None
    if parse_arn(arn) is None:
        raise refuse("policy-arn")
    policy = call.find(Kind.POLICY, arn)
    if policy is None:
        raise refuse("policy-not-found", arn=arn)
    return policy


def _replacement_policy(call: Call, queue: Resource, request: Api) -> Resource | None:
    """Return the policy the queue has after the update; it can be replaced by one of its kind only."""
    current = _policy_of(call, queue.detail.get("schedulingPolicyArn"))
    if "schedulingPolicyArn" not in request:
        return current
    if current is None:
        raise refuse("policy-added")
    if not request["schedulingPolicyArn"]:
        raise refuse("policy-removed")
    policy = _policy_of(call, request["schedulingPolicyArn"])
    if policy and is_quota_policy(policy) != is_quota_policy(current):
        raise refuse("policy-kind-swapped")
    return policy


def is_quota_policy(policy: Resource | None) -> bool:
    """Tell whether a queue with this policy is quota-managed."""
    return policy is not None and "quotaSharePolicy" in policy.detail


def _check_attachable(
    call: Call, environment: Resource, policy: Resource | None, queue: Resource | None = None
) -> None:
    """Refuse an environment that can't serve this queue: a quota-managed one shares it with no other queue."""
    if is_quota_policy(policy) and environment.detail["capacityLimits"][0]["capacityUnit"] == NUM_INSTANCES:
        raise refuse("environment-units", environment=environment.name)
    for other in queues_on(call, environment):
        if other is not queue and (is_quota_policy(policy) or call.region.drivers[other.name].is_quota_managed):
            raise refuse("environment-taken", environment=environment.name, queue=other.name)


def _order_by_arn(order: list[Api], environment: Resource) -> list[Api]:
    """Return the order as it is read back: a name given becomes an ARN."""
    return [{"order": order[0]["order"], "serviceEnvironment": environment.arn}]


OPERATIONS: Operations = {
    "CreateJobQueue": create_job_queue,
    "UpdateJobQueue": update_job_queue,
    "DeleteJobQueue": delete_job_queue,
    "DescribeJobQueues": describe_job_queues,
}
