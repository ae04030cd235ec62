"""Judge a resource as it would become, with the rules that also judge declarations, in the service's words.

`rules/` says what is wrong; `TEXT_OF_RULE` says how Batch puts it. Only what can't be said of a resource's value is
checked here: a capacity limit given twice, or in half.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ...model.diagnostic import KEY, Diagnostic
from ...model.service_facts import NUM_INSTANCES
from ...model.shapes import environment_from_api, policy_from_api, queue_from_api, share_from_api
from ...model.stack import SchedulingPolicy
from ...rules import check_environment, check_policy, check_queue, check_share
from ..call import Api
from ..refusal import Refusal
from ..store import Kind
from ..texts import refuse
from ..wire.models import known_instance_types

Limits = Sequence[Mapping[str, Any]]

TEXT_OF_RULE: Final = {
    "QE304": "borrow-limit-strategy",
    "QE305": "borrow-limit-range",
    "QE306": "too-many-limits",
    "QE307": "limit-below-one",
    "QE308": "unknown-unit",
    "QE309": "unknown-unit",
    "QE310": "share-unit",
    "QE311": "mixed-units",
    "QE314": "queue-priority",
    "QE317": "time-limit-seconds",
    "QE318": "time-limit-twice",
    "QE320": "too-many-tags",
    "QE321": "tag-reserved",
}
"""Rule id → text. QE301, QE316 and QE322 have several texts (`_key_of`)."""

NOT_THE_SERVICES: Final = frozenset({"QE302", "QE303", "QE312", "QE313", "QE315", "QE319", "QE326", "QE327"})
"""Rules about declarations: of these, the service accepts some and the operations or the wire refuse the others."""

_NAME_TEXTS: Final = {
    Kind.POLICY: "policy-name",
    Kind.ENVIRONMENT: "environment-name",
    Kind.QUEUE: "queue-name",
    Kind.SHARE: "share-name",
}
_UNKNOWN_UNIT: Final = ("QE308", "QE309")


def judge_policy(detail: Api) -> None:
    """Refuse a policy's detail that the rules find fault with."""
    _judge(Kind.POLICY, check_policy(policy_from_api(detail)), detail)


def judge_environment(detail: Api) -> None:
    """Refuse an environment's detail that the rules find fault with."""
    _check_limits(detail["capacityLimits"])
    _judge(Kind.ENVIRONMENT, check_environment(environment_from_api(detail)), detail)


def judge_queue(detail: Api) -> None:
    """Refuse a queue's detail that the rules find fault with."""
    _judge(Kind.QUEUE, check_queue(queue_from_api(detail)), detail)


def judge_share(detail: Api) -> None:
    """Refuse a share's detail that the rules find fault with."""
    _check_limits(detail["capacityLimits"])
    _judge(Kind.SHARE, check_share(share_from_api(detail)), detail)


def judge_tags(tags: Mapping[str, str]) -> None:
    """Refuse tags that no resource and no job may have."""
    findings = check_policy(SchedulingPolicy("any", tags=tags))
    _judge(Kind.POLICY, (finding for finding in findings if finding.path[:1] == ("tags",)), {})


def _check_limits(limits: Limits) -> None:
    if not limits:
        raise refuse("no-limits")
    seen: set[str] = set()
    for limit in limits:
        unit = limit.get("capacityUnit")
        if not unit:
            raise refuse("unit-missing")
        if "maxCapacity" not in limit:
            raise refuse("limit-below-one")
        if unit in seen:
            raise refuse("unit-twice", unit=unit)
        seen.add(unit)


def _judge(kind: Kind, findings: Iterable[Diagnostic], detail: Api) -> None:
    """Raise the refusal of the first finding that the service would share."""
    for finding in findings:
        if finding.rule not in NOT_THE_SERVICES and not _is_new_hardware(finding):
            raise _refusal(kind, finding, detail)


def _is_new_hardware(finding: Diagnostic) -> bool:
    """Tell whether an instance type that is unknown to the rules is one that the installed botocore knows."""
    return finding.rule in _UNKNOWN_UNIT and finding.path[1] in known_instance_types()


def _refusal(kind: Kind, finding: Diagnostic, detail: Api) -> Refusal:
    values: dict[str, object] = {}
    if finding.rule in _UNKNOWN_UNIT:
        values = {"unit": finding.path[1], "known": ", ".join(sorted(known_instance_types()))}
    elif finding.rule == "QE310":
        values = {"unit": NUM_INSTANCES}
    elif finding.rule == "QE316":
        values = {"reason": detail["jobStateTimeLimitActions"][finding.path[1]]["reason"]}
    return refuse(_key_of(kind, finding), **values)


def _key_of(kind: Kind, finding: Diagnostic) -> str:
    match finding.rule:
        case "QE301":
            return _NAME_TEXTS[kind]
        case "QE316":
            return "time-limit-reason" if finding.path[-1] == "reason" else "time-limit-action"
        case "QE322":
            return "tag-key" if finding.path[-1] == KEY else "tag-value"
    return TEXT_OF_RULE[finding.rule]
