"""The eight operations of Cloud Control."""

from __future__ import annotations

from typing import Any, Final

import jsonpatch
import orjson

from ..call import Api, Call, Operations
from ..operations.pages import page
from ..operations.shares import shares_of
from ..refusal import Refusal
from ..store import Kind, Resource
from ..wire.answer import parse_json
from .book import OperationStatus, Request
from .handlers import creation, deletion, find_resource, not_found_text, update, with_name
from .requests import Step, begin
from .types import ResourceType, create_request, find_type, properties_of

_REQUESTS_PER_PAGE: Final = 20


def create_resource(call: Call, request: Api) -> Api:
    resource_type = find_type(request["TypeName"])
    fingerprint = ("CREATE", resource_type.name, request["DesiredState"])
    if (repeated := _repeated(call, request, fingerprint)) is not None:
        return repeated
    desired = with_name(call, resource_type, _json_of(request["DesiredState"], "DesiredState"))
    made = _request(call, request, "CREATE", fingerprint, None)
    return _begin(call, made, creation(resource_type, made, create_request(resource_type, desired)))


def get_resource(call: Call, request: Api) -> Api:
    resource_type = find_type(request["TypeName"])
    resource = find_resource(call, resource_type, request["Identifier"])
    if resource is None:
        raise Refusal(not_found_text(resource_type, request["Identifier"]), "ResourceNotFoundException")
    return {"TypeName": resource_type.name, "ResourceDescription": _description(resource_type, resource)}


def update_resource(call: Call, request: Api) -> Api:
    resource_type, identifier = find_type(request["TypeName"]), request["Identifier"]
    fingerprint = ("UPDATE", resource_type.name, identifier, request["PatchDocument"])
    if (repeated := _repeated(call, request, fingerprint)) is not None:
        return repeated
    patch = _patch_of(request["PatchDocument"])
    call.region.requests.require_free(identifier)
    made = _request(call, request, "UPDATE", fingerprint, identifier)
    return _begin(call, made, update(resource_type, identifier, patch))


def delete_resource(call: Call, request: Api) -> Api:
    """Accept a deletion; of what is not there too, which then ends FAILED with NotFound."""
    resource_type, identifier = find_type(request["TypeName"]), request["Identifier"]
    fingerprint = ("DELETE", resource_type.name, identifier)
    if (repeated := _repeated(call, request, fingerprint)) is not None:
        return repeated
    call.region.requests.require_free(identifier)
    made = _request(call, request, "DELETE", fingerprint, identifier)
    return _begin(call, made, deletion(resource_type, identifier))


def list_resources(call: Call, request: Api) -> Api:
    """List one type's resources in order of creation; shares are listed per queue."""
    resource_type = find_type(request["TypeName"])
    chosen = call.region.all_of(resource_type.kind)
    if resource_type.kind is Kind.SHARE:
        chosen = shares_of(call, _listed_queue(call, request))
    resources, token = _page(chosen, lambda resource: (resource.seq,), request, "ListResources", 100)
    descriptions = [_description(resource_type, resource) for resource in resources]
    return {"TypeName": resource_type.name, "ResourceDescriptions": descriptions, **token}


def get_resource_request_status(call: Call, request: Api) -> Api:
    return {"ProgressEvent": _by_token(call, request["RequestToken"]).event()}


def list_resource_requests(call: Call, request: Api) -> Api:
    """List requests, newest first, of the operations and statuses asked for."""
    asked = request.get("ResourceRequestStatusFilter", {})
    operations, statuses = asked.get("Operations"), asked.get("OperationStatuses")
    chosen = (
        made
        for made in call.region.requests.newest_first()
        if (not operations or made.operation in operations) and (not statuses or made.status in statuses)
    )
    found, token = _page(chosen, lambda made: (-made.seq,), request, "ListResourceRequests", _REQUESTS_PER_PAGE)
    return {"ResourceRequestStatusSummaries": [made.event() for made in found], **token}


def cancel_resource_request(call: Call, request: Api) -> Api:
    """Cancel a request that is not done: what is PENDING never happens, what is IN_PROGRESS goes no further."""
    made = _by_token(call, request["RequestToken"])
    if not made.status.is_open:
        text = f"The request {made.token} is {made.status} and can't be cancelled."
        raise Refusal(text, "ConcurrentModificationException")
    made.status, made.event_at_ms = OperationStatus.CANCEL_COMPLETE, call.at_ms
    return {"ProgressEvent": made.event()}


def _repeated(call: Call, request: Api, fingerprint: tuple[str, ...]) -> Api | None:
    """Return the present event of the request that this one repeats."""
    found = call.region.requests.repeated(request.get("ClientToken"), fingerprint, call.at_ms)
    return {"ProgressEvent": found.event()} if found else None


def _request(call: Call, request: Api, operation: str, fingerprint: tuple[str, ...], identifier: str | None) -> Request:
    return Request(
        token=call.world.ids.new("request"),
        seq=call.world.next_seq(),
        type_name=request["TypeName"],
        operation=operation,
        fingerprint=fingerprint,
        client_token=request.get("ClientToken"),
        asked_at_ms=call.at_ms,
        event_at_ms=call.at_ms,
        identifier=identifier,
    )


def _begin(call: Call, made: Request, first_step: Step) -> Api:
    begin(call, made, first_step)
    return {"ProgressEvent": made.event(first=True)}


def _by_token(call: Call, token: str) -> Request:
    found = call.region.requests.by_token.get(token)
    if found is None:
        raise Refusal(f"There is no request with the token {token}.", "RequestTokenNotFoundException")
    return found


def _listed_queue(call: Call, request: Api) -> Resource:
    model = _json_of(request.get("ResourceModel", "{}"), "ResourceModel")
    queue = model.get("JobQueue") if isinstance(model, dict) else None
    if not isinstance(queue, str):
        raise Refusal(
            "Missing or invalid ResourceModel property in AWS::Batch::QuotaShare list handler request input. "
            "Required property: [#: required key [JobQueue] not found]",
            "InvalidRequestException",
        )
    found = call.find(Kind.QUEUE, queue)
    if found is None:
        raise Refusal(f"{queue} does not exist", "ResourceNotFoundException")
    return found


def _description(resource_type: ResourceType, resource: Resource) -> Api:
    return {"Identifier": resource.arn, "Properties": orjson.dumps(properties_of(resource_type, resource)).decode()}


def _json_of(text: str, member: str) -> Any:
    try:
        return parse_json(text)
    except Refusal as refusal:
        raise Refusal(f"{member}: {refusal.text}", "ValidationException") from None


def _patch_of(text: str) -> jsonpatch.JsonPatch:
    document = _json_of(text, "PatchDocument")
    try:
        return jsonpatch.JsonPatch(document)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, AttributeError) as error:
        raise Refusal(f"PatchDocument is not an RFC 6902 patch: {error}", "ValidationException") from None


def _page(items: Any, key: Any, request: Api, what: str, default_size: int) -> tuple[list[Any], Api]:
    """Page with Cloud Control's spelling of size and token."""
    asked = {name: value for name, value in request.items() if name not in ("MaxResults", "NextToken")}
    asked["maxResults"] = request.get("MaxResults", default_size)
    if request.get("NextToken"):
        asked["nextToken"] = request["NextToken"]
    try:
        found, token = page(items, key, asked, what)
    except Refusal as refusal:
        raise Refusal(refusal.text.replace("maxResults", "MaxResults"), "ValidationException") from None
    return found, {"NextToken": token["nextToken"]} if token else {}


CLOUD_CONTROL: Operations = {
    "CreateResource": create_resource,
    "GetResource": get_resource,
    "UpdateResource": update_resource,
    "DeleteResource": delete_resource,
    "ListResources": list_resources,
    "GetResourceRequestStatus": get_resource_request_status,
    "ListResourceRequests": list_resource_requests,
    "CancelResourceRequest": cancel_resource_request,
}
