"""Quota shares: one team's part of a queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.service_facts import SHARES_PER_QUEUE_MAX
from ...model.stack import UNLIMITED, Strategy
from ..call import Api, Call, Operations
from ..lifecycle import born, changed, dying, require_deletable, require_settled_for_update
from ..store import Kind, Resource, Status
from ..texts import refuse
from .judge import judge_share
from .pages import page
from .queues import existing_queue

_UPDATABLE = ("capacityLimits", "resourceSharingConfiguration", "preemptionConfiguration", "state")


def create_quota_share(call: Call, request: Api) -> Api:
    queue = existing_queue(call, request["jobQueue"], "absent")
    name = request["quotaShareName"]
    if call.region.find(Kind.SHARE, f"{queue.name}/{name}"):
        raise refuse("share-exists", name=name)
    _check_queue(call, queue)
    share = _build(call, queue, name, request)
    born(call, share)
    call.region.drivers[queue.name].put_share(call.at_ms, share.detail)
    return {"quotaShareName": name, "quotaShareArn": share.arn}


def _build(call: Call, queue: Resource, name: str, request: Api) -> Resource:
    arn = call.region.scope.quota_share(queue.name, name)
    detail: dict[str, Any] = {
        "quotaShareName": name,
        "quotaShareArn": arn,
        "jobQueueArn": queue.arn,
        "capacityLimits": request["capacityLimits"],
        "resourceSharingConfiguration": request["resourceSharingConfiguration"],
        "preemptionConfiguration": request["preemptionConfiguration"],
        "state": request.get("state", "ENABLED"),
        "tags": dict(request.get("tags", {})),
    }
    judge_share(detail)
    return Resource(Kind.SHARE, name, arn, call.world.next_seq(), _as_read(detail), queue=queue.name)


def update_quota_share(call: Call, request: Api) -> Api:
    """Change what is named; limits and structures that are named are replaced whole."""
    share = _existing(call, request["quotaShareArn"])
    require_settled_for_update(call, share)
    detail = {**share.detail, **{name: request[name] for name in _UPDATABLE if name in request}}
    judge_share(detail)
    share.detail = _as_read(detail)
    changed(call, share)
    call.region.drivers[share.queue].put_share(call.at_ms, share.detail)
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


def _as_read(detail: Api) -> Api:
    """Return a share's detail as it is read back: LEND_AND_BORROW always with its limit (assumption A-33)."""
    sharing = detail["resourceSharingConfiguration"]
    if sharing["strategy"] == Strategy.LEND_AND_BORROW:
        sharing = {"borrowLimit": UNLIMITED, **sharing}
    return {**detail, "resourceSharingConfiguration": sharing}


OPERATIONS: Operations = {
    "CreateQuotaShare": create_quota_share,
    "UpdateQuotaShare": update_quota_share,
    "DeleteQuotaShare": delete_quota_share,
    "DescribeQuotaShare": describe_quota_share,
    "ListQuotaShares": list_quota_shares,
}
