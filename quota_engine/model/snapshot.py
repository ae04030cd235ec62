"""An observation as one JSON document, so that drift can be judged offline, later, or by someone without access.

Only an observation of the whole account can be judged against any declaration of that account: what is not in it is
absent. One that looked for a declaration's names alone says nothing about other names.

Resources are written in the Batch API's own shapes, everything else by path. Reading gives back an equal observation;
what was unreadable when the snapshot was taken stays unreadable.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from . import shapes
from .arns import Scope, name_of
from .observation import Condition, Observation, Problem
from .stack import QuotaShare, Stack
from .trouble import Trouble

KIND = "snapshot"
VERSION = 1


def write_snapshot(observation: Observation) -> str:
    """Return the document; the same observation gives the same bytes."""
    stack = observation.stack
    scope = Scope(stack.account or "", stack.region)
    document = {
        "kind": KIND,
        "version": VERSION,
        "name": stack.name,
        "account": stack.account,
        "region": stack.region,
        "whole_account": observation.whole_account,
        "share_tags_read": observation.share_tags_read,
        "schedulingPolicies": [shapes.policy_to_api(one) for _, one in sorted(stack.scheduling_policies.items())],
        "serviceEnvironments": [
            shapes.environment_to_api(one) for _, one in sorted(stack.service_environments.items())
        ],
        "jobQueues": [
            {**shapes.queue_to_api(one, scope), "jobQueueArn": scope.job_queue(one.name)}
            for _, one in sorted(stack.job_queues.items())
        ],
        "quotaShares": [
            shapes.share_to_api(share, scope.job_queue(queue))
            for queue, share in sorted(_shares(observation), key=_key)
        ],
        "conditions": [
            {"path": list(path), "status": condition.status, "statusReason": condition.reason}
            for path, condition in sorted(observation.conditions.items())
        ],
        "unreadable": [
            {"path": list(path), "operation": gap.operation, "code": gap.code, "message": gap.message}
            for path, gap in sorted(observation.unreadable.items())
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _shares(observation: Observation) -> Iterable[tuple[str, QuotaShare]]:
    for queue, share in observation.stack.shares():
        yield queue.name, share
    for name, shares in observation.shares_of_unreadable_queues.items():
        for share in shares.values():
            yield name, share


def _key(item: tuple[str, QuotaShare]) -> tuple[str, str]:
    return item[0], item[1].name


def read_snapshot(text: str, file: str) -> Observation:
    """Return the observation that `file` with this text holds; raises Trouble when it is none."""
    try:
        document = json.loads(text)
        if not isinstance(document, Mapping) or document.get("kind") != KIND:
            raise ValueError(f"it has no kind: {KIND}")
        if document.get("version") != VERSION:
            raise ValueError(f"it has version {document.get('version')!r}, this program reads {VERSION}")
        _check(document)
        return _observation(document)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error)
        if isinstance(error, TypeError | AttributeError):
            reason = f"something in it is of another type than it should be ({error})"
        if isinstance(error, RecursionError):
            reason = "it is nested too deeply"
        raise Trouble(
            f"{file} is not a snapshot that can be read", why=reason, fix="take a new one with quota-engine snapshot"
        ) from error


_LISTS = ("schedulingPolicies", "serviceEnvironments", "jobQueues", "quotaShares", "conditions", "unreadable")
_OF_TYPE: Mapping[type, tuple[str, ...]] = {
    int: ("maxCapacity", "priority", "order", "maxTimeSeconds", "borrowLimit"),
    bool: ("whole_account", "share_tags_read"),
    str: (
        "name", "region", "account", "state", "status", "statusReason", "reason", "action", "strategy", "capacityUnit",
        "jobQueueName", "jobQueueArn", "jobQueueType", "jobQueue", "quotaShareName", "serviceEnvironmentName",
        "serviceEnvironmentType", "serviceEnvironment", "schedulingPolicyArn", "inSharePreemption",
        "idleResourceAssignmentStrategy", "operation", "code", "message",
    ),
}  # fmt: skip
_TYPES = {key: kind for kind, keys in _OF_TYPE.items() for key in keys}
_WORDS = {int: "a whole number", bool: "true or false", str: "text"}


def _check(document: Mapping[str, Any]) -> None:
    """Raise ValueError for a section or value of another type: taken as empty it would read as "is missing"."""
    for key in _LISTS:
        if not isinstance(document[key], list) or not all(isinstance(one, Mapping) for one in document[key]):
            raise ValueError(f"its {key} is no list of objects")
    _check_types(document)


def _check_types(value: Any) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "tags":
                _check_tags(inner)
            elif key in _TYPES:
                if type(inner) is not _TYPES[key]:
                    raise ValueError(f"a {key} in it is {inner!r}, not {_WORDS[_TYPES[key]]}")
            else:
                _check_types(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_types(inner)


def _check_tags(tags: Any) -> None:
    if not isinstance(tags, Mapping) or not all(isinstance(value, str) for value in tags.values()):
        raise ValueError(f"tags in it are {tags!r}, not texts by key")


def refuse_unfit(observation: Observation, stack: Stack, file: str) -> None:
    """Raise Trouble if a snapshot says nothing about what `stack` declares: another place, or not all of it."""
    seen = observation.stack
    if seen.region != stack.region or (stack.account is not None and seen.account != stack.account):
        declared = f"account {stack.account}, {stack.region}" if stack.account else stack.region
        raise Trouble(
            f"refusing to compare: {stack.name} is declared for {declared}, "
            f"but {file} shows account {seen.account}, {seen.region}",
            why="the same names elsewhere are other resources",
            fix="take a snapshot with this declaration",
        )
    if not observation.whole_account:
        raise Trouble(
            f"{file} shows only what another declaration names",
            why="what it does not show may live all the same",
            fix="take a new one with quota-engine snapshot",
        )


def _observation(document: Mapping[str, Any]) -> Observation:
    shares: dict[str, list[QuotaShare]] = {}
    for detail in document["quotaShares"]:
        shares.setdefault(name_of(detail["jobQueue"]), []).append(shapes.share_from_api(detail))
    queues = [shapes.queue_from_api(detail, shares.pop(detail["jobQueueName"], ())) for detail in document["jobQueues"]]
    environments = [shapes.environment_from_api(detail) for detail in document["serviceEnvironments"]]
    policies = [shapes.policy_from_api(detail) for detail in document["schedulingPolicies"]]
    return Observation(
        stack=Stack(
            name=document["name"],
            region=document["region"],
            account=document["account"],
            service_environments={one.name: one for one in environments},
            scheduling_policies={one.name: one for one in policies},
            job_queues={one.name: one for one in queues},
        ),
        conditions={
            tuple(entry["path"]): Condition(entry["status"], entry["statusReason"]) for entry in document["conditions"]
        },
        unreadable={
            tuple(entry["path"]): Problem(entry["operation"], entry["code"], entry["message"])
            for entry in document["unreadable"]
        },
        shares_of_unreadable_queues={name: {one.name: one for one in found} for name, found in shares.items()},
        share_tags_read=document["share_tags_read"],
        whole_account=document["whole_account"],
    )
