"""One normal form for both sides: a resource as {attribute path: value}, so that comparing is comparing two maps.

Here stands every rule about what counts as equal: units and tags are maps, so order means nothing; environments and
policies are names; time-limit actions are keyed by reason; an absent borrow limit is -1 where the service says so; tags
beginning with "aws:" belong to the service. 0, absent and -1 stay three different things.
Source of the equalities: CloudFormation schemas of the four types; Batch API, QuotaShareResourceSharingConfiguration.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..model.service_facts import TAG_RESERVED_PREFIX
from ..model.stack import (
    UNLIMITED,
    Capacity,
    JobQueue,
    Path,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    TimeLimitAction,
)
from .changes import Value

Attributes = dict[Path, Value]
Resource = SchedulingPolicy | ServiceEnvironment | JobQueue | QuotaShare

TYPE: Path = ("type",)
STATE: Path = ("state",)
PRIORITY: Path = ("priority",)
ENVIRONMENT: Path = ("service_environment",)
POLICY: Path = ("scheduling_policy",)
IDLE_ASSIGNMENT: Path = ("idle_resource_assignment",)
STRATEGY: Path = ("resource_sharing", "strategy")
BORROW_LIMIT: Path = ("resource_sharing", "borrow_limit")
IN_SHARE: Path = ("preemption", "in_share")


def attributes(resource: Resource) -> Attributes:
    """Return the resource's attributes but its name, absent ones left out."""
    match resource:
        case SchedulingPolicy():
            found = _policy(resource)
        case ServiceEnvironment():
            found = _environment(resource)
        case JobQueue():
            found = _queue(resource)
        case QuotaShare():
            found = _share(resource)
    found.update(_tags(resource.tags))
    return {path: value for path, value in found.items() if value is not None}


def _policy(policy: SchedulingPolicy) -> Attributes:
    return {IDLE_ASSIGNMENT: policy.idle_resource_assignment}


def _environment(environment: ServiceEnvironment) -> Attributes:
    return {
        TYPE: environment.type,
        STATE: environment.state.value,
        **_capacity(environment.capacity_limits),
    }


def _queue(queue: JobQueue) -> Attributes:
    several = len(queue.service_environments) > 1
    return {
        TYPE: queue.type,
        STATE: queue.state.value,
        PRIORITY: queue.priority,
        ENVIRONMENT: tuple(queue.service_environments) if several else queue.service_environment,
        POLICY: queue.scheduling_policy,
        **{("job_state_time_limit_actions", action.reason): _time_limit(action) for action in queue.time_limit_actions},
    }


def _time_limit(action: TimeLimitAction) -> Value:
    return {"action": action.action, "max_time_seconds": action.max_time_seconds, "state": action.state}


def _share(share: QuotaShare) -> Attributes:
    return {
        STATE: share.state.value,
        STRATEGY: share.strategy.value,
        BORROW_LIMIT: _borrow_limit(share),
        IN_SHARE: share.in_share_preemption.value,
        **_capacity(share.capacity_limits),
    }


def _borrow_limit(share: QuotaShare) -> int | None:
    """A share that can't borrow has no limit to speak of: -1 shown for it is the default of a field it may not set."""
    limit = share.effective_borrow_limit_percent
    return None if limit == UNLIMITED and not share.strategy.can_borrow else limit


def _capacity(capacity: Capacity) -> Attributes:
    return {("capacity_limits", unit): count for unit, count in capacity.items()}


def _tags(tags: Mapping[str, str]) -> Attributes:
    return {("tags", key): value for key, value in tags.items() if not key.lower().startswith(TAG_RESERVED_PREFIX)}


def nested(found: Attributes) -> dict[str, object]:
    """Return attributes as nested plain data, keys in order; how a whole resource is shown."""
    result: dict[str, object] = {}
    for path in sorted(found, key=lambda path: tuple(str(element) for element in path)):
        level = result
        for element in path[:-1]:
            level = level.setdefault(str(element), {})  # type: ignore[assignment]
        level[str(path[-1])] = found[path]
    return result
