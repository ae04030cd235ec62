"""The four CloudFormation types: their properties, derived from Batch's create requests, and their special members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.model import ListShape, Shape, StructureShape

from ...model.service_facts import CREATE_ONLY
from ...model.shapes import TYPE_NAMES, from_cloudformation, to_cloudformation
from ..call import Api
from ..refusal import Refusal
from ..store import Kind, Resource
from ..wire.conform import conform
from ..wire.models import operation_model

Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ResourceType:
    """One type. `arn` is its primary identifier, `update_key` what the update and delete requests call the resource."""

    name: str
    kind: Kind
    arn: str
    name_property: str
    update_key: str
    name_is_optional: bool = True

    @property
    def create_only(self) -> tuple[str, ...]:
        return CREATE_ONLY[self.kind]


_SPECIAL = {
    Kind.POLICY: ("Arn", "Name", "arn", True),
    Kind.ENVIRONMENT: ("ServiceEnvironmentArn", "ServiceEnvironmentName", "serviceEnvironment", True),
    Kind.QUEUE: ("JobQueueArn", "JobQueueName", "jobQueue", True),
    Kind.SHARE: ("QuotaShareArn", "QuotaShareName", "quotaShareArn", False),
}

TYPES: Mapping[str, ResourceType] = {
    name: ResourceType(name, Kind(kind), *_SPECIAL[Kind(kind)]) for name, kind in TYPE_NAMES.items()
}


def find_type(name: str) -> ResourceType:
    """Return the type of a name. Raises Refusal for one that is not emulated."""
    found = TYPES.get(name)
    if found is None:
        known = ", ".join(TYPES)
        raise Refusal(f"The type '{name}' cannot be found; this emulator has {known}.", "TypeNotFoundException")
    return found


def properties_of(resource_type: ResourceType, resource: Resource) -> Properties:
    """Return a resource's properties as GetResource shows them; an empty list of time-limit actions is left out."""
    properties = to_cloudformation(resource_type.kind, resource.detail)
    if not properties.get("JobStateTimeLimitActions", True):
        del properties["JobStateTimeLimitActions"]
    return properties


def create_request(resource_type: ResourceType, desired: Any) -> Api:
    """Check desired properties against the type's schema and return the request of Batch's create operation.

    Raises Refusal (ValidationException) for unknown or missing properties and for wrong types.
    """
    if not isinstance(desired, dict):
        raise _invalid("#: expected type: JSONObject")
    operation = f"Create{resource_type.kind}"
    shape = operation_model("batch", operation).input_shape
    if shape is None:
        raise AssertionError(f"{operation} has an input")
    if resource_type.arn in desired:
        raise _invalid(f"#: read-only property [{resource_type.arn}] is not permitted")
    _check_names(shape, desired, "#")
    try:
        return conform("batch", operation, from_cloudformation(desired))
    except Refusal as refusal:
        raise _invalid(f"#: {refusal.text}") from None


def _check_names(shape: Shape, value: Any, path: str) -> None:
    """Refuse properties the schema does not have, at any depth; tags are free."""
    if isinstance(shape, ListShape) and isinstance(value, list):
        for index, item in enumerate(value):
            _check_names(shape.member, item, f"{path}/{index}")
    if not isinstance(shape, StructureShape) or not isinstance(value, dict):
        return
    members = {name[0].upper() + name[1:]: member for name, member in shape.members.items()}
    for name, inner in value.items():
        if name not in members:
            raise _invalid(f"{path}: extraneous key [{name}] is not permitted")
        _check_names(members[name], inner, f"{path}/{name}")


def _invalid(text: str) -> Refusal:
    return Refusal(f"Model validation failed ({text})", "ValidationException")
