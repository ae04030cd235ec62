"""Scheduling policies: usable as soon as created, of one kind for life."""

from __future__ import annotations

from typing import Any, Final

from ...model.service_facts import PAGE_SIZE_MAX
from ..call import Api, Call, Operations
from ..store import Kind, Resource
from ..texts import refuse
from .judge import judge_policy
from .pages import page

_SHARE_DECAY_MAX_SECONDS: Final = 604_800
_COMPUTE_RESERVATION_MAX: Final = 99
_SHARES_MAX: Final = 500
_WEIGHT_MIN: Final = 0.0001
_WEIGHT_MAX: Final = 999.9999
_POLICIES: Final = ("quotaSharePolicy", "fairsharePolicy")


def create_scheduling_policy(call: Call, request: Api) -> Api:
    name = request["name"]
    if call.region.find(Kind.POLICY, name):
        raise refuse("exists")
    if all(kind in request for kind in _POLICIES):
        raise refuse("both-policies")
    _check_fair_share(request.get("fairsharePolicy"))
    arn = call.region.scope.scheduling_policy(name)
    detail = {"name": name, "arn": arn, **_policy_of(request), "tags": dict(request.get("tags", {}))}
    judge_policy(detail)
    call.region.put(Resource(Kind.POLICY, name, arn, call.world.next_seq(), detail))
    return {"name": name, "arn": arn}


def update_scheduling_policy(call: Call, request: Api) -> Api:
    policy = _by_arn(call, request["arn"])
    if policy is None:
        raise refuse("absent", name=request["arn"])
    if any(kind in request and kind not in policy.detail for kind in _POLICIES):
        raise refuse("policy-kind")
    _check_fair_share(request.get("fairsharePolicy"))
    policy.detail.update(_policy_of(request))
    return {}


def delete_scheduling_policy(call: Call, request: Api) -> Api:
    """Delete a policy no queue uses; one that is not there is refused."""
    policy = _by_arn(call, request["arn"])
    if policy is None:
        raise refuse("absent", name=request["arn"])
    for queue in call.region.all_of(Kind.QUEUE):
        if queue.detail.get("schedulingPolicyArn") == policy.arn:
            raise refuse("policy-in-use", queue=queue.name)
    call.region.remove(policy, leave_ghost=False)
    return {}


def describe_scheduling_policies(call: Call, request: Api) -> Api:
    """Describe policies by ARN, in the order asked for; unknown ones are absent from the answer."""
    if len(request["arns"]) > PAGE_SIZE_MAX:
        raise refuse("too-many-names")
    found = [_by_arn(call, arn) for arn in dict.fromkeys(request["arns"])]
    return {"schedulingPolicies": [policy.detail for policy in found if policy]}


def list_scheduling_policies(call: Call, request: Api) -> Api:
    policies, token = page(
        call.region.all_of(Kind.POLICY), lambda policy: (policy.seq,), request, "ListSchedulingPolicies"
    )
    return {"schedulingPolicies": [{"arn": policy.arn} for policy in policies], **token}


def _by_arn(call: Call, arn: str) -> Resource | None:
    """Return the policy of an ARN; a name is not taken here."""
    return call.find(Kind.POLICY, arn) if arn.startswith("arn:") else None


def _policy_of(request: Api) -> dict[str, Any]:
    return {kind: request[kind] for kind in _POLICIES if kind in request}


def _check_fair_share(policy: dict[str, Any] | None) -> None:
    if policy is None:
        return
    if not 0 <= policy.get("shareDecaySeconds", 0) <= _SHARE_DECAY_MAX_SECONDS:
        raise refuse("share-decay")
    if not 0 <= policy.get("computeReservation", 0) <= _COMPUTE_RESERVATION_MAX:
        raise refuse("compute-reservation")
    shares = policy.get("shareDistribution", [])
    if len(shares) > _SHARES_MAX:
        raise refuse("share-distribution")
    if any(not _WEIGHT_MIN <= share.get("weightFactor", 1.0) <= _WEIGHT_MAX for share in shares):
        raise refuse("weight-factor")


OPERATIONS: Operations = {
    "CreateSchedulingPolicy": create_scheduling_policy,
    "UpdateSchedulingPolicy": update_scheduling_policy,
    "DeleteSchedulingPolicy": delete_scheduling_policy,
    "DescribeSchedulingPolicies": describe_scheduling_policies,
    "ListSchedulingPolicies": list_scheduling_policies,
}
