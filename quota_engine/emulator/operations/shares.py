"""Quota shares: one team's part of a queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.service_facts import BORROW_LIMIT_MIN, NAME_PATTERN, SHARES_PER_QUEUE_MAX
from ...model.stack import UNLIMITED, Strategy
from ..call import Api, Call, Operations
from ..lifecycle import born, changed, dying, require_deletable, require_settled_for_update
from ..store import Kind, Resource, Status
from ..texts import refuse
from .limits import check_share_limits
from .pages import page
from .queues import existing_queue
from .tagging import check_tags


def create_quota_share(call: Call, request: Api) -> Api:
    queue = existing_queue(call, request["jobQueue"], "absent")
    name = request["quotaShareName"]
    if call.region.find(Kind.SHARE, f"{queue.name}/{name}"):
        raise refuse("share-exists", name=name)
    if not NAME_PATTERN.fullmatch(name):
        raise refuse("share-name")
    _check_settings(request)
    check_tags(request.get("tags", {}))
    _check_queue(call, queue)
    share = _build(call, queue, name, request)
    born(call, share)
    call.region.drivers[queue.name].put_share(call.at_ms, share)
    return {"quotaShareName": name, "quotaShareArn": share.arn}


def _build(call: Call, queue: Resource, name: str, request: Api) -> Resource:
    arn = call.region.scope.quota_share(queue.name, name)
    detail: dict[str, Any] = {
        "quotaShareName": name,
        "quotaShareArn": arn,
        "jobQueueArn": queue.arn,
        "capacityLimits": request["capacityLimits"],
        "resourceSharingConfiguration": _sharing_as_read(request["resourceSharingConfiguration"]),
        "preemptionConfiguration": request["preemptionConfiguration"],
        "state": request.get("state", "ENABLED"),
        "tags": dict(request.get("tags", {})),
    }
    return Resource(Kind.SHARE, name, arn, call.world.next_seq(), detail, queue=queue.name)


def update_quota_share(call: Call, request: Api) -> Api:
    """Change what is named; limits and structures that are named are replaced whole."""
    share = _existing(call, request["quotaShareArn"])
    require_settled_for_update(call, share)
    _check_settings(request)
    for member in ("capacityLimits", "preemptionConfiguration", "state"):
        if member in request:
            share.detail[member] = request[member]
    if "resourceSharingConfiguration" in request:
        share.detail["resourceSharingConfiguration"] = _sharing_as_read(request["resourceSharingConfiguration"])
    changed(call, share)
    call.region.drivers[share.queue].put_share(call.at_ms, share)
    return {"quotaShareName": share.name, "quotaShareArn": share.arn}


def delete_quota_share(call: Call, request: Api) -> Api:
    """Delete a DISABLED share; the jobs in it end FAILED at once."""
    share = _existing(call, request["quotaShareArn"])
    require_deletable(call, share)
    call.region.drivers[share.queue].remove_share(call.at_ms, share.name)
    dying(call, share)
    return {}


def describe_quota_share(call: Call, request: Api) -> Api:
    """Describe a share; one just deleted shows as DELETING once, then does not exist."""
    key = call.key_of(Kind.SHARE, request["quotaShareArn"])
    share = call.region.find(Kind.SHARE, key or "") or call.region.take_ghost(Kind.SHARE, key or "")
    if share is None:
        raise refuse("absent", name=request["quotaShareArn"])
    return share_detail(call, share)


def list_quota_shares(call: Call, request: Api) -> Api:
    """List a queue's shares in order of creation, without tags, which the list's shape doesn't have."""
    queue = existing_queue(call, request["jobQueue"], "absent")
    shares, token = page(shares_of(call, queue), lambda share: (share.seq,), request, "ListQuotaShares")
    details = [share_detail(call, share) for share in shares]
    return {"quotaShares": [{k: v for k, v in d.items() if k != "tags"} for d in details], **token}


def shares_of(call: Call, queue: Resource) -> Iterator[Resource]:
    """Yield a queue's shares in order of creation."""
    return (share for share in call.region.all_of(Kind.SHARE) if share.queue == queue.name)


def share_detail(call: Call, share: Resource) -> Api:
    """Return what DescribeQuotaShare shows of a share."""
    return {**share.detail, "status": share.status_at(call.at_ms)}


def _existing(call: Call, arn: str) -> Resource:
    share = call.find(Kind.SHARE, arn) if arn.startswith("arn:") else None
    if share is None:
        raise refuse("absent", name=arn)
    return share


def _check_queue(call: Call, queue: Resource) -> None:
    """Refuse a share where no share can be."""
    if not call.region.drivers[queue.name].is_quota_managed:
        raise refuse("not-a-quota-queue", queue=queue.name)
    status = queue.status_at(call.at_ms)
    if status is not Status.VALID:
        raise refuse("queue-not-valid", queue=queue.name, status=status)
    if sum(1 for _ in shares_of(call, queue)) >= SHARES_PER_QUEUE_MAX:
        raise refuse("too-many-shares", queue=queue.name, limit=SHARES_PER_QUEUE_MAX)


def _check_settings(request: Api) -> None:
    """Refuse limits or a sharing configuration no share may have."""
    if "capacityLimits" in request:
        check_share_limits(request["capacityLimits"])
    sharing = request.get("resourceSharingConfiguration", {})
    if "borrowLimit" in sharing:
        if sharing["strategy"] != Strategy.LEND_AND_BORROW:
            raise refuse("borrow-limit-strategy")
        if sharing["borrowLimit"] < BORROW_LIMIT_MIN:
            raise refuse("borrow-limit-range")


def _sharing_as_read(sharing: Api) -> Api:
    """Return a sharing configuration as it is read back: LEND_AND_BORROW always with its limit (assumption A-33)."""
    if sharing["strategy"] == Strategy.LEND_AND_BORROW:
        return {"strategy": sharing["strategy"], "borrowLimit": sharing.get("borrowLimit", UNLIMITED)}
    return {"strategy": sharing["strategy"]}


OPERATIONS: Operations = {
    "CreateQuotaShare": create_quota_share,
    "UpdateQuotaShare": update_quota_share,
    "DeleteQuotaShare": delete_quota_share,
    "DescribeQuotaShare": describe_quota_share,
    "ListQuotaShares": list_quota_shares,
}
