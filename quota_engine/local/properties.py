"""What the built-in provider knows about a resource's properties, as pure functions over plain dicts.

Properties are spelled as Pulumi does (camelCase); `model.shapes` translates to CloudFormation. "Inputs" are what the
program stated, "state" is what the service answered, which holds more: the ARN, and defaults the program never stated.
The law: what the program did not state is not the program's, unless it has changed since it was last seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from quota_engine.model.service_facts import CREATE_ONLY

Properties = Mapping[str, Any]

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What the engine sends for a value not known before the deployment (Pulumi SDK, runtime/rpc)."""


@dataclass(frozen=True, slots=True)
class ResourceType:
    """One of the four types: its tokens in Pulumi and CloudFormation, and which properties are special.

    `unordered` are the lists whose order means nothing (CloudFormation schema, insertionOrder false).
    """

    token: str
    kind: str
    name: str
    arn: str
    unordered: tuple[str, ...] = ()

    @property
    def cloudformation(self) -> str:
        return f"AWS::Batch::{self.kind}"

    @property
    def create_only(self) -> tuple[str, ...]:
        return tuple(name[0].lower() + name[1:] for name in CREATE_ONLY[self.kind])


TYPES: Mapping[str, ResourceType] = {
    found.token: found
    for found in (
        ResourceType("aws-native:batch:SchedulingPolicy", "SchedulingPolicy", "name", "arn"),
        ResourceType(
            "aws-native:batch:ServiceEnvironment",
            "ServiceEnvironment",
            "serviceEnvironmentName",
            "serviceEnvironmentArn",
            unordered=("capacityLimits",),
        ),
        ResourceType("aws-native:batch:JobQueue", "JobQueue", "jobQueueName", "jobQueueArn"),
        ResourceType("aws-native:batch:QuotaShare", "QuotaShare", "quotaShareName", "quotaShareArn"),
    )
}


class Kind(Enum):
    """What happened to one property between two sets of inputs."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


def without_nulls(value: Any) -> Any:
    """Drop null members at every depth: to Pulumi, null is the same as absent."""
    if isinstance(value, Mapping):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return value


def whole_numbers(value: Any) -> Any:
    """Turn 3.0 back into 3: the wire between engine and provider knows doubles only."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: whole_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    return value


def compare(resource: ResourceType, old: Properties, new: Properties) -> dict[str, Kind]:
    """Return {property: kind of change} from old to new inputs, sorted by property."""
    changes = {}
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            changes[name] = Kind.ADD
        elif name not in new:
            changes[name] = Kind.DELETE
        elif _canonical(resource, name, old[name]) != _canonical(resource, name, new[name]):
            changes[name] = Kind.UPDATE
    return changes


def inputs_of_state(resource: ResourceType, state: Properties) -> dict[str, Any]:
    """Return the part of the state that a program could have stated: all but the ARN."""
    return {name: value for name, value in state.items() if name != resource.arn}


def refreshed_inputs(
    resource: ResourceType, inputs: Properties, old_state: Properties, new_state: Properties
) -> dict[str, Any]:
    """Return the inputs as they would read today: the stated ones plus whatever changed between two states.

    So a default the program never stated stays out, and an edit made elsewhere shows as a difference, the same way the
    official provider finds it. Without inputs (an import) everything in the state counts.
    """
    seen = inputs_of_state(resource, new_state)
    if not inputs:
        return seen
    before = inputs_of_state(resource, old_state)
    changed = compare(resource, before, seen)
    return _apply(inputs, before, seen, changed)


def preview_state(resource: ResourceType, inputs: Properties, old_state: Properties | None) -> dict[str, Any]:
    """Return the state a deployment will probably end in: the ARN is unknown for a new resource, else the old one."""
    arn = UNKNOWN if old_state is None else old_state.get(resource.arn, UNKNOWN)
    return {**inputs, resource.arn: arn}


def patch(changes: Mapping[str, Kind], cloudformation: Properties) -> list[dict[str, Any]]:
    """Return the JSON Patch (RFC 6902) for changed properties; `cloudformation` holds the new inputs so spelled."""
    operations = []
    for name, kind in changes.items():
        member = name[0].upper() + name[1:]
        if kind is Kind.DELETE:
            operations.append({"op": "remove", "path": f"/{member}"})
        else:
            verb = "add" if kind is Kind.ADD else "replace"
            operations.append({"op": verb, "path": f"/{member}", "value": cloudformation[member]})
    return operations


def _apply(inputs: Properties, before: Properties, seen: Properties, changed: Iterable[str]) -> dict[str, Any]:
    """Carry the members `changed` over to the inputs, going into maps so that unstated neighbours stay unstated."""
    result = dict(inputs)
    for name in changed:
        if name not in seen:
            result.pop(name, None)
        elif all(isinstance(side.get(name), Mapping) for side in (inputs, before, seen)):
            inner_before, inner_seen = before[name], seen[name]
            inner = [
                key
                for key in sorted(inner_before.keys() | inner_seen.keys())
                if inner_before.get(key) != inner_seen.get(key)
            ]
            result[name] = _apply(inputs[name], inner_before, inner_seen, inner)
        else:
            result[name] = seen[name]
    return result


def _canonical(resource: ResourceType, name: str, value: Any) -> Any:
    if name in resource.unordered and isinstance(value, list):
        return sorted(value, key=_order_of_item)
    return value


def _order_of_item(limit: Any) -> str:
    """Return a sort key for a list item that does not depend on the order of its members."""
    return repr(sorted(limit.items())) if isinstance(limit, Mapping) else repr(limit)
