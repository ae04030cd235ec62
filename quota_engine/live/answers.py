"""Single resources of an answer as model values. What can't be understood becomes a `Problem`, never a guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..model import shapes
from ..model.observation import Problem
from ..model.stack import SAGEMAKER_TRAINING, JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment
from .calls import unexpected

T = TypeVar("T")
Detail = Mapping[str, Any]
"""One resource as the API shows it."""


def converted(convert: Callable[[Detail], T], detail: Detail, operation: str) -> T | Problem:
    """Turn one resource of an answer into a model value, or into the Problem that it can't be."""
    try:
        return convert(detail)
    except KeyError as error:
        return unexpected(operation, f"a resource in the answer has no {error.args[0]}").problem
    except (OverflowError, ValueError) as error:
        return unexpected(operation, f"a resource in the answer can't be understood: {error}").problem


def _environment_from(detail: Detail) -> ServiceEnvironment:
    _refuse_twice_named_units(detail)
    return shapes.environment_from_api(detail)


def share_from(detail: Detail) -> QuotaShare:
    _refuse_twice_named_units(detail)
    return shapes.share_from_api(detail)


def is_of_quota_management(resource: ServiceEnvironment | SchedulingPolicy | JobQueue) -> bool:
    """Whether an undeclared resource concerns quota management: container queues and fair-share policies do not."""
    match resource:
        case JobQueue(type=kind):
            return kind == SAGEMAKER_TRAINING
        case SchedulingPolicy(idle_resource_assignment=assignment):
            return assignment is not None
        case ServiceEnvironment():
            return True


def _refuse_twice_named_units(detail: Detail) -> None:
    units = [limit["capacityUnit"] for limit in detail.get("capacityLimits") or ()]
    twice = sorted({unit for unit in units if units.count(unit) > 1})
    if twice:
        raise ValueError(f"it limits {', '.join(twice)} more than once")


SECTIONS: Mapping[str, tuple[Callable[[Detail], Any], str, str, str]] = {
    "service_environments": (
        _environment_from,
        "serviceEnvironmentName",
        "serviceEnvironmentArn",
        "describe_service_environments",
    ),
    "scheduling_policies": (shapes.policy_from_api, "name", "arn", "describe_scheduling_policies"),
    "job_queues": (shapes.queue_from_api, "jobQueueName", "jobQueueArn", "describe_job_queues"),
}
"""Section of the declaration → how to read an answer's item, its name's and its ARN's key, and who answered."""
