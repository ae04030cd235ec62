"""What CloudFormation's handlers of the four types do, as steps over the Batch operations.

Create is done when the resource is VALID, delete when it is gone: it disables first, waits, and deletes.
"""

from __future__ import annotations

from typing import Any, Final

import jsonpatch

from ..call import Api, Call
from ..operations import BATCH
from ..operations.judge import judge_tags
from ..refusal import Refusal
from ..store import Kind, Resource
from .book import Request
from .requests import Next, Step
from .types import Properties, ResourceType, create_request, properties_of

_NAME_DIGITS: Final = 12
_WHEN_REMOVED: Final = {"State": "ENABLED", "JobStateTimeLimitActions": []}
"""What an optional property becomes when a patch takes it away; others can't be taken away."""


def find_resource(call: Call, resource_type: ResourceType, identifier: str) -> Resource | None:
    """Return the resource of a primary identifier, its ARN."""
    return call.find(resource_type.kind, identifier) if identifier.startswith("arn:") else None


def creation(resource_type: ResourceType, request: Request, api_request: Api) -> Step:
    """Return the create handler's first step."""
    member = resource_type.name_property[0].lower() + resource_type.name_property[1:]

    def create(call: Call) -> Next | None:
        BATCH[f"Create{resource_type.kind}"](call, api_request)
        queue = call.find(Kind.QUEUE, api_request["jobQueue"]) if resource_type.kind is Kind.SHARE else None
        name = api_request[member]
        resource = call.region.find(resource_type.kind, f"{queue.name}/{name}" if queue else name)
        request.identifier = resource.arn if resource else None
        return _then_done(call, call.settings.delays.create_ms)

    return create


def with_name(call: Call, resource_type: ResourceType, desired: Any) -> Any:
    """Return desired properties with a generated name where the schema lets it be left out."""
    if not isinstance(desired, dict) or not resource_type.name_is_optional or resource_type.name_property in desired:
        return desired
    name = f"{resource_type.kind}-{call.world.ids.new('name').replace('-', '')[:_NAME_DIGITS]}"
    return {**desired, resource_type.name_property: name}


def update(resource_type: ResourceType, identifier: str, patch: jsonpatch.JsonPatch) -> Step:
    """Return the update handler's first step: the patch applied to what is there, its difference sent to Batch."""

    def apply(call: Call) -> Next | None:
        resource = _existing(call, resource_type, identifier)
        current = properties_of(resource_type, resource)
        wanted = _patched(resource_type, current, patch)
        changed = {name for name in current.keys() | wanted.keys() if current.get(name) != wanted.get(name)}
        _refuse_create_only(call, resource_type, current, wanted, changed)
        sent = changed - {"Tags", *resource_type.create_only}
        update_request = _update_request(resource_type, resource, wanted, sent)
        judge_tags(wanted.get("Tags", {}))
        if sent:
            BATCH[f"Update{resource_type.kind}"](call, update_request)
        resource.detail["tags"] = dict(wanted.get("Tags", {}))
        return _then_done(call, call.settings.delays.update_ms)

    return apply


def deletion(resource_type: ResourceType, identifier: str) -> Step:
    """Return the delete handler's first step: disable, wait, delete, wait until gone."""
    key = resource_type.update_key

    def disable(call: Call) -> Next | None:
        resource = _existing(call, resource_type, identifier)
        if resource.detail.get("state") == "ENABLED":
            BATCH[f"Update{resource_type.kind}"](call, {key: resource.arn, "state": "DISABLED"})
            return Next(call.settings.delays.update_ms, remove)
        return remove(call)

    def remove(call: Call) -> Next | None:
        resource = _existing(call, resource_type, identifier)
        BATCH[f"Delete{resource_type.kind}"](call, {key: resource.arn})
        call.region.take_ghost(resource.kind, resource.key)
        return _then_done(call, 0 if resource.kind is Kind.POLICY else call.settings.delays.delete_ms)

    return disable


def _then_done(call: Call, settle_ms: int) -> Next | None:
    """End the request once the resource has settled and the configured progress time is over."""
    delay_ms = max(settle_ms, call.settings.delays.progress_ms)
    return Next(delay_ms, lambda _call: None) if delay_ms else None


def _existing(call: Call, resource_type: ResourceType, identifier: str) -> Resource:
    resource = find_resource(call, resource_type, identifier)
    if resource is None:
        raise Refusal(not_found_text(resource_type, identifier), "NotFound")
    return resource


def not_found_text(resource_type: ResourceType, identifier: str) -> str:
    return f"Resource of type '{resource_type.name}' with identifier '{identifier}' was not found."


def _patched(resource_type: ResourceType, current: Properties, patch: jsonpatch.JsonPatch) -> Properties:
    try:
        wanted = patch.apply(current)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, KeyError) as error:
        raise Refusal(f"The patch can't be applied: {error}", "InvalidRequest") from None
    if not isinstance(wanted, dict):
        raise Refusal("The patch leaves no object.", "InvalidRequest")
    if wanted.get(resource_type.arn) != current[resource_type.arn]:
        text = f"Invalid patch update: readOnlyProperties [/properties/{resource_type.arn}] cannot be updated"
        raise Refusal(text, "NotUpdatable")
    return wanted


def _refuse_create_only(
    call: Call, resource_type: ResourceType, current: Properties, wanted: Properties, changed: set[str]
) -> None:
    """Refuse a change of what only a replacement can change. A queue named instead of its ARN is the same queue."""
    fixed = [name for name in resource_type.create_only if name in changed]
    if fixed == ["JobQueue"] and isinstance(wanted.get("JobQueue"), str):
        queue = call.find(Kind.QUEUE, wanted["JobQueue"])
        if queue is not None and queue.arn == current["JobQueue"]:
            return
    if fixed:
        paths = ", ".join(f"/properties/{name}" for name in fixed)
        raise Refusal(f"Invalid patch update: createOnlyProperties [{paths}] cannot be updated", "NotUpdatable")


def _update_request(resource_type: ResourceType, resource: Resource, wanted: Properties, sent: set[str]) -> Api:
    """Return the request of Batch's update operation with the properties to send only. Checks all that are wanted."""
    removed = sorted(sent - wanted.keys() - _WHEN_REMOVED.keys())
    if removed:
        raise Refusal(f"Properties [{', '.join(removed)}] cannot be removed.", "InvalidRequest")
    defaults = {name: value for name, value in _WHEN_REMOVED.items() if name in sent}
    complete = {name: value for name, value in {**defaults, **wanted}.items() if name != resource_type.arn}
    checked = create_request(resource_type, complete)
    members = sorted(name[0].lower() + name[1:] for name in sent)
    return {resource_type.update_key: resource.arn, **{member: checked[member] for member in members}}
