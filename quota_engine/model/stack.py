"""The declaration of one environment as frozen values: `Stack` and what it holds.

Desired and observed state have this one type: `config` builds it from text, `live` from the Batch API. It must not know
where a value came from (positions travel beside it) nor hold what the service generates (ARNs, statuses).

Mappings are never changed after construction. Order is the declaration's; where order carries no meaning nothing may
depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .around import Around

UNLIMITED = -1
"""The borrow limit that means "no limit" (Batch API, QuotaShareResourceSharingConfiguration)."""

SAGEMAKER_TRAINING = "SAGEMAKER_TRAINING"
"""The only queue and environment type that quota management knows."""

Path = tuple[str | int, ...]
"""Where a value stands, e.g. ("job_queues", "training", "quota_shares", "QS1"). A tuple, as units contain dots."""

Capacity = Mapping[str, int]
"""{unit: instances}; a unit is an instance type such as ml.g5.xlarge."""


def borrow_allowance(nominal: int, borrow_limit_percent: int) -> int | None:
    """Return how many instances above `nominal` the limit lets a share borrow, None for no bound.

    Rounded down to whole instances (assumption A-01): floor(nominal * percent / 100).
    """
    return None if borrow_limit_percent == UNLIMITED else nominal * borrow_limit_percent // 100


class Strategy(StrEnum):
    """How a share treats idle capacity, its own and others'."""

    RESERVE = "RESERVE"
    LEND = "LEND"
    LEND_AND_BORROW = "LEND_AND_BORROW"

    @property
    def can_lend(self) -> bool:
        return self is not Strategy.RESERVE

    @property
    def can_borrow(self) -> bool:
        return self is Strategy.LEND_AND_BORROW


class State(StrEnum):
    """Whether a resource takes new work."""

    ENABLED = "ENABLED"
    DISABLED = "DISABLED"


@dataclass(frozen=True, slots=True)
class ServiceEnvironment:
    """The pool of instances behind one queue: `capacity_limits` per unit.

    `type` is only ever something else than SAGEMAKER_TRAINING in observed state.
    """

    name: str
    capacity_limits: Capacity
    state: State = State.ENABLED
    tags: Mapping[str, str] = field(default_factory=dict)
    type: str = SAGEMAKER_TRAINING
    protect: bool = False
    retain_on_delete: bool = False


@dataclass(frozen=True, slots=True)
class SchedulingPolicy:
    """How idle capacity is handed to shares that borrow.

    `idle_resource_assignment` is None only in observed state, for a policy that is not a quota-share policy.
    """

    name: str
    idle_resource_assignment: str | None = "FIFO"
    tags: Mapping[str, str] = field(default_factory=dict)
    protect: bool = False
    retain_on_delete: bool = False


@dataclass(frozen=True, slots=True)
class TimeLimitAction:
    """What happens to a job that stays at the head of its share for `reason` longer than `max_time_seconds`."""

    reason: str
    max_time_seconds: int
    state: str = "RUNNABLE"
    action: str = "TERMINATE"


@dataclass(frozen=True, slots=True)
class QuotaShare:
    """One team's part of a queue.

    `borrow_limit_percent` is a percentage of each own limit, UNLIMITED (-1) for no bound. None means "not stated": the
    service then takes UNLIMITED for LEND_AND_BORROW and has no limit to speak of for the other strategies. 0, None and
    -1 are three different things; only `effective_borrow_limit_percent` may treat two of them alike.
    """

    name: str
    capacity_limits: Capacity
    strategy: Strategy
    borrow_limit_percent: int | None = None
    in_share_preemption: State = State.DISABLED
    state: State = State.ENABLED
    tags: Mapping[str, str] = field(default_factory=dict)
    renamed_from: str | None = None
    protect: bool = False
    retain_on_delete: bool = False

    @property
    def effective_borrow_limit_percent(self) -> int | None:
        """What the service reads: UNLIMITED where a borrowing share states nothing, None where none can be."""
        if self.borrow_limit_percent is None and self.strategy.can_borrow:
            return UNLIMITED
        return self.borrow_limit_percent


@dataclass(frozen=True, slots=True)
class JobQueue:
    """A queue of SageMaker Training jobs with its quota shares, in the declared order.

    A declared queue has exactly one service environment and a policy. An observed one may have any number of the one
    and none of the other, which is why both are spelled so that drift can say it.
    """

    name: str
    service_environments: tuple[str, ...]
    scheduling_policy: str | None
    priority: int = 1
    state: State = State.ENABLED
    time_limit_actions: tuple[TimeLimitAction, ...] = ()
    quota_shares: Mapping[str, QuotaShare] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    type: str = SAGEMAKER_TRAINING
    renamed_from: str | None = None
    protect: bool = False
    retain_on_delete: bool = False

    @property
    def service_environment(self) -> str | None:
        """The queue's one environment; None when it has none or several."""
        return self.service_environments[0] if len(self.service_environments) == 1 else None


@dataclass(frozen=True, slots=True)
class Stack:
    """Everything one environment declares, or everything that was found of it. Maps are keyed by the AWS name.

    `around` holds what is declared around the queues (access, alarms, …); only the Pulumi program deploys it.
    """

    name: str
    region: str
    account: str | None = None
    service_environments: Mapping[str, ServiceEnvironment] = field(default_factory=dict)
    scheduling_policies: Mapping[str, SchedulingPolicy] = field(default_factory=dict)
    job_queues: Mapping[str, JobQueue] = field(default_factory=dict)
    around: Around = field(default_factory=Around)

    def shares(self) -> Iterator[tuple[JobQueue, QuotaShare]]:
        """Yield every share with its queue, in declared order."""
        for queue in self.job_queues.values():
            for share in queue.quota_shares.values():
                yield queue, share


def former_queues(stack: Stack) -> tuple[str, ...]:
    """Return the names that declared queues had before, where no queue is declared under them now."""
    names = (queue.renamed_from for queue in stack.job_queues.values())
    return tuple(dict.fromkeys(name for name in names if name is not None and name not in stack.job_queues))
