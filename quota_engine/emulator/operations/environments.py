"""Service environments: the instances behind a queue."""

from __future__ import annotations

from ...model.service_facts import NUM_INSTANCES, SERVICE_ENVIRONMENTS_MAX
from ..call import Api, Call, Operations
from ..lifecycle import born, changed, dying, require_deletable, require_settled_for_update
from ..store import Kind, Resource
from ..texts import refuse
from .described import asked_for
from .judge import judge_environment

_UPDATABLE = ("state", "capacityLimits")


def create_service_environment(call: Call, request: Api) -> Api:
    name = request["serviceEnvironmentName"]
    if call.region.find(Kind.ENVIRONMENT, name):
        raise refuse("exists")
    arn = call.region.scope.service_environment(name)
    detail: Api = {
        "serviceEnvironmentName": name,
        "serviceEnvironmentArn": arn,
        "serviceEnvironmentType": request["serviceEnvironmentType"],
        "state": request.get("state", "ENABLED"),
        "capacityLimits": request["capacityLimits"],
        "tags": dict(request.get("tags", {})),
    }
    judge_environment(detail)
    if len(call.region.resources[Kind.ENVIRONMENT]) >= SERVICE_ENVIRONMENTS_MAX:
        raise refuse("too-many", what="service environments", limit=SERVICE_ENVIRONMENTS_MAX)
    born(call, Resource(Kind.ENVIRONMENT, name, arn, call.world.next_seq(), detail))
    return {"serviceEnvironmentName": name, "serviceEnvironmentArn": arn}


def update_service_environment(call: Call, request: Api) -> Api:
    """Change what is named; takes effect at once and ends no job, however low the new limits are."""
    environment = _existing(call, request)
    require_settled_for_update(call, environment)
    detail: Api = {**environment.detail, **{name: request[name] for name in _UPDATABLE if name in request}}
    judge_environment(detail)
    if detail["capacityLimits"][0]["capacityUnit"] == NUM_INSTANCES:
        _refuse_behind_quota_queue(call, environment)
    environment.detail = detail
    changed(call, environment)
    for queue in queues_on(call, environment):
        call.region.drivers[queue.name].put_environment(call.at_ms, environment.detail)
    return {"serviceEnvironmentName": environment.name, "serviceEnvironmentArn": environment.arn}


def delete_service_environment(call: Call, request: Api) -> Api:
    environment = _existing(call, request)
    require_deletable(call, environment)
    if queues_on(call, environment):
        raise refuse("environment-in-use")
    dying(call, environment)
    return {}


def describe_service_environments(call: Call, request: Api) -> Api:
    names = request.get("serviceEnvironments", [])
    found, token = asked_for(call, Kind.ENVIRONMENT, names, request, "DescribeServiceEnvironments")
    return {"serviceEnvironments": [environment_detail(call, environment) for environment in found], **token}


def environment_detail(call: Call, environment: Resource) -> Api:
    """Return the ServiceEnvironmentDetail of an environment."""
    return {**environment.detail, "status": environment.status_at(call.at_ms)}


def queues_on(call: Call, environment: Resource) -> list[Resource]:
    """Return the queues an environment is attached to."""
    return [
        queue
        for queue in call.region.all_of(Kind.QUEUE)
        if any(entry["serviceEnvironment"] == environment.arn for entry in queue.detail["serviceEnvironmentOrder"])
    ]


def _existing(call: Call, request: Api) -> Resource:
    environment = call.find(Kind.ENVIRONMENT, request["serviceEnvironment"])
    if environment is None:
        raise refuse("absent", name=request["serviceEnvironment"])
    return environment


def _refuse_behind_quota_queue(call: Call, environment: Resource) -> None:
    for queue in queues_on(call, environment):
        if call.region.drivers[queue.name].is_quota_managed:
            raise refuse("environment-units", environment=environment.name)


OPERATIONS: Operations = {
    "CreateServiceEnvironment": create_service_environment,
    "UpdateServiceEnvironment": update_service_environment,
    "DeleteServiceEnvironment": delete_service_environment,
    "DescribeServiceEnvironments": describe_service_environments,
}
