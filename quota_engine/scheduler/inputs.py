"""What a driver tells the scheduler: one frozen value per kind, all applied at the instant they are given for.

Jobs' own events (`UpdatePriority`, `Terminate`, `Fail`, `CapacityError`) are the model's; the rest is here. The inputs
of one instant are applied in one canonical order, whatever order they are given in (only the shares and the jobs
created in one instant rank in the order given).
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ..model.stack import QuotaShare, ServiceEnvironment, State, TimeLimitAction
from ..model.work import CapacityError, Fail, Job, Terminate, UpdatePriority


class Submit(msgspec.Struct, frozen=True):
    """A job arrives now; `job.submit_at_ms` is not read. Refused where its share or the queue takes no job."""

    job: Job


@dataclass(frozen=True, slots=True)
class Complete:
    """The job's training ends well now, whatever its duration says; only a RUNNING job can."""

    at_ms: int
    job: str


@dataclass(frozen=True, slots=True)
class PutShare:
    """Create the share, or give the share of that name these settings."""

    share: QuotaShare


@dataclass(frozen=True, slots=True)
class RemoveShare:
    """Delete the share; its jobs end FAILED. SM: DeleteQuotaShare."""

    name: str


@dataclass(frozen=True, slots=True)
class PutEnvironment:
    environment: ServiceEnvironment


@dataclass(frozen=True, slots=True)
class PutQueue:
    """The queue's own settings."""

    state: State = State.ENABLED
    time_limit_actions: tuple[TimeLimitAction, ...] = ()


JobInput = UpdatePriority | Terminate | Fail | CapacityError | Complete
Input = Submit | JobInput | PutShare | RemoveShare | PutEnvironment | PutQueue

_RANK: dict[type, int] = {
    RemoveShare: 0,
    PutEnvironment: 1,
    PutQueue: 2,
    PutShare: 3,
    Submit: 4,
    UpdatePriority: 5,
    Complete: 6,
    Terminate: 7,
    Fail: 8,
    CapacityError: 9,
}


class InputError(ValueError):
    """A driver broke the contract: time going backwards, a key used twice, an unknown share, an impossible need."""


def canonical_key(given: Input) -> tuple[int, str, int, str]:
    """Order the inputs of one instant: settings, arrivals, priorities, ends; within a kind by job, then by content.

    1. the kind; 2. the job's key; 3. the priority, so that the highest of several given at once stands; 4. the text.
    Settings and arrivals tie here and keep the order given (the sort is stable).
    """
    rank = _RANK[type(given)]
    match given:
        case UpdatePriority(job=job, priority=priority):
            return (rank, job, priority, "")
        case Terminate(job=job, reason=reason) | Fail(job=job, reason=reason):
            return (rank, job, 0, reason)
        case Complete(job=job) | CapacityError(job=job):
            return (rank, job, 0, "")
        case RemoveShare(name=name):
            return (rank, name, 0, "")
        case _:
            return (rank, "", 0, "")
