"""Tags: one store, the resource's own detail, for describe and for ListTagsForResource alike."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.arns import parse_arn
from ...model.service_facts import TAG_KEY_MAX, TAG_RESERVED_PREFIX, TAG_VALUE_MAX, TAGS_MAX
from ..call import Api, Call, Operations
from ..store import Kind
from ..texts import refuse

_KINDS = {
    "scheduling-policy": Kind.POLICY,
    "service-environment": Kind.ENVIRONMENT,
    "job-queue": Kind.QUEUE,
    "quota-share": Kind.SHARE,
}


def check_tags(tags: Mapping[str, str]) -> None:
    """Refuse tags the service would not take."""
    if len(tags) > TAGS_MAX:
        raise refuse("too-many-tags")
    for key, value in tags.items():
        if not 1 <= len(key) <= TAG_KEY_MAX:
            raise refuse("tag-key")
        if key.lower().startswith(TAG_RESERVED_PREFIX):
            raise refuse("tag-reserved")
        if len(value) > TAG_VALUE_MAX:
            raise refuse("tag-value")


def _tags_of(call: Call, text: str) -> dict[str, str]:
    """Return the live tag map of the resource or job an ARN names. Raises Refusal when there is none."""
    arn = parse_arn(text)
    if arn is None or (arn.kind not in _KINDS and arn.kind != "service-job"):
        raise refuse("tag-resource", arn=text)
    if arn.scope == call.region.scope:
        if arn.kind == "service-job" and (job := call.region.jobs.get(arn.name)):
            return job.tags
        if arn.kind in _KINDS and (resource := call.find(_KINDS[arn.kind], text)):
            tags: dict[str, str] = resource.detail["tags"]
            return tags
    raise refuse("absent", name=text)


def list_tags_for_resource(call: Call, request: Api) -> Api:
    return {"tags": dict(_tags_of(call, request["resourceArn"]))}


def tag_resource(call: Call, request: Api) -> Api:
    """Add tags, or replace the values of those that are there."""
    tags = _tags_of(call, request["resourceArn"])
    check_tags(request["tags"])
    merged = {**tags, **request["tags"]}
    if len(merged) > TAGS_MAX:
        raise refuse("too-many-tags")
    tags.update(request["tags"])
    return {}


def untag_resource(call: Call, request: Api) -> Api:
    """Take tags away; keys that are not there are passed over."""
    tags = _tags_of(call, request["resourceArn"])
    for key in request["tagKeys"]:
        tags.pop(key, None)
    return {}


OPERATIONS: Operations = {
    "ListTagsForResource": list_tags_for_resource,
    "TagResource": tag_resource,
    "UntagResource": untag_resource,
}
