"""Tags: one store, the resource's own detail, for describe and for ListTagsForResource alike."""

from __future__ import annotations

from ...model.arns import parse_arn
from ..call import Api, Call, Operations
from ..store import Kind
from ..texts import refuse
from .judge import judge_tags

_KINDS = {
    "scheduling-policy": Kind.POLICY,
    "service-environment": Kind.ENVIRONMENT,
    "job-queue": Kind.QUEUE,
    "quota-share": Kind.SHARE,
}


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
    judge_tags({**tags, **request["tags"]})
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
