"""Checked data → `Stack`. The only place that spells a declaration's keys as the model's fields.

Data whose faulty values were taken out still builds: what is missing gets a stand-in that provokes no further finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.durations import parse_duration
from ..model.service_facts import DEFAULT_QUEUE_PRIORITY, IDLE_RESOURCE_ASSIGNMENT
from ..model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    State,
    Strategy,
    TimeLimitAction,
)
from .build_around import build_around

Data = Mapping[str, Any]


def build_stack(data: Data) -> Stack:
    """Build the stack that a merged and checked declaration states."""
    return Stack(
        name=data.get("name", ""),
        region=data.get("region", ""),
        account=data.get("account"),
        service_environments={n: _environment(n, d) for n, d in data.get("service_environments", {}).items()},
        scheduling_policies={n: _policy(n, d) for n, d in data.get("scheduling_policies", {}).items()},
        job_queues={n: _queue(n, d) for n, d in data.get("job_queues", {}).items()},
        around=build_around(data),
    )


def _state(data: Data) -> State:
    return State(data.get("state", State.ENABLED))


def _environment(name: str, data: Data) -> ServiceEnvironment:
    return ServiceEnvironment(
        name=name,
        capacity_limits=data.get("capacity_limits", {}),
        state=_state(data),
        tags=data.get("tags", {}),
        protect=data.get("protect", False),
        retain_on_delete=data.get("retain_on_delete", False),
    )


def _policy(name: str, data: Data) -> SchedulingPolicy:
    return SchedulingPolicy(
        name=name,
        idle_resource_assignment=data.get("idle_resource_assignment", IDLE_RESOURCE_ASSIGNMENT[0]),
        tags=data.get("tags", {}),
        protect=data.get("protect", False),
        retain_on_delete=data.get("retain_on_delete", False),
    )


def _queue(name: str, data: Data) -> JobQueue:
    environment = data.get("service_environment")
    return JobQueue(
        name=name,
        service_environments=() if environment is None else (environment,),
        scheduling_policy=data.get("scheduling_policy"),
        priority=data.get("priority", DEFAULT_QUEUE_PRIORITY),
        state=_state(data),
        time_limit_actions=tuple(_action(entry or {}) for entry in data.get("job_state_time_limit_actions", ())),
        quota_shares={n: _share(n, d) for n, d in data.get("quota_shares", {}).items()},
        tags=data.get("tags", {}),
        renamed_from=data.get("renamed_from"),
        protect=data.get("protect", False),
        retain_on_delete=data.get("retain_on_delete", False),
    )


def _action(data: Data) -> TimeLimitAction:
    milliseconds = parse_duration(data.get("max_time", "")) or 0
    return TimeLimitAction(
        reason=data.get("reason", ""),
        max_time_seconds=milliseconds // 1000,
        state=data.get("state", "RUNNABLE"),
        action=data.get("action", "TERMINATE"),
    )


def _share(name: str, data: Data) -> QuotaShare:
    sharing = data.get("resource_sharing", {})
    stand_in = Strategy.LEND_AND_BORROW if "borrow_limit" in sharing else Strategy.RESERVE
    return QuotaShare(
        name=name,
        capacity_limits=data.get("capacity_limits", {}),
        strategy=Strategy(sharing.get("strategy", stand_in)),
        borrow_limit_percent=sharing.get("borrow_limit"),
        in_share_preemption=State(data.get("preemption", {}).get("in_share", State.DISABLED)),
        state=_state(data),
        tags=data.get("tags", {}),
        renamed_from=data.get("renamed_from"),
        protect=data.get("protect", False),
        retain_on_delete=data.get("retain_on_delete", False),
    )
