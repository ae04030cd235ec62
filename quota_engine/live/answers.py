"""Single resources of an answer as model values. What can't be understood becomes a `Problem`, never a guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..model import shapes
from ..model.arns import parse_arn
from ..model.observation import Problem
from ..model.stack import JobQueue, QuotaShare, ServiceEnvironment
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
    except ValueError as error:
        return unexpected(operation, f"a resource in the answer can't be understood: {error}").problem


def _environment_from(detail: Detail) -> ServiceEnvironment:
    _refuse_twice_named_units(detail)
    return shapes.environment_from_api(detail)


def share_from(detail: Detail) -> QuotaShare:
    _refuse_twice_named_units(detail)
    return shapes.share_from_api(detail)


def _queue_from(detail: Detail) -> JobQueue:
    """Build a queue without its shares; what it references in another account or region keeps its ARN for a name."""
    queue = shapes.queue_from_api(detail)
    home = parse_arn(detail["jobQueueArn"])

    def foreign(arn: str) -> bool:
        parsed = parse_arn(arn)
        return parsed is not None and home is not None and parsed.scope != home.scope

    order = sorted(detail.get("serviceEnvironmentOrder") or (), key=lambda entry: int(entry["order"]))
    arns = [entry["serviceEnvironment"] for entry in order]
    policy = detail.get("schedulingPolicyArn") or ""
    return replace(
        queue,
        service_environments=tuple(
            arn if foreign(arn) else name for arn, name in zip(arns, queue.service_environments, strict=True)
        ),
        scheduling_policy=policy if foreign(policy) else queue.scheduling_policy,
    )


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
    "job_queues": (_queue_from, "jobQueueName", "jobQueueArn", "describe_job_queues"),
}
"""Section of the declaration → how to read an answer's item, its name's and its ARN's key, and who answered."""
