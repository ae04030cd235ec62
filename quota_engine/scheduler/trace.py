"""The event trace: what happened, with its cause, in order. Reports read the trace only.

Every event carries `at_ms` and the job's key. A decision records why as it is made: the share it drew on, what came
from the own limit and what was borrowed, whom it preempted, and the assumptions (A-numbers) it rests on.

Nobody changes an event. The eight that every job has spell out how they are made: so the compiled scheduler makes them
five times as fast, and Python no slower than otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ..model.stack import Capacity
from .quick import quick_dataclass


class StartKind(StrEnum):
    """How a job was dispatched: within its share's own limit, with borrowed capacity, or by preempting in its share."""

    OWN = "own"
    BORROWED = "borrowed"
    IN_SHARE = "in-share"


OWN: Final = StartKind.OWN
BORROWED: Final = StartKind.BORROWED
"""Kept at hand: a member looked up in its enum costs as much as a function call."""


class PreemptionKind(StrEnum):
    """Why a job was preempted. LIMIT_LOWERED happens under assumption A-12's other value only, by no job."""

    CROSS_SHARE = "cross-share"
    IN_SHARE = "in-share"
    LIMIT_LOWERED = "limit-lowered"


class RequeueCause(StrEnum):
    """Why a job went back to RUNNABLE."""

    PREEMPTED = "preempted"
    RETRY = "retry"
    CAPACITY_ERROR = "capacity-error"


@dataclass(init=False, slots=True, unsafe_hash=True)
class Submitted:
    at_ms: int
    job: str
    share: str
    need: Capacity
    priority: int

    def __init__(self, at_ms: int, job: str, share: str, need: Capacity, priority: int) -> None:
        self.at_ms = at_ms
        self.job = job
        self.share = share
        self.need = need
        self.priority = priority


@quick_dataclass
class Refused:
    """A job that was not taken: its share or the queue is disabled or gone. There is no job record."""

    at_ms: int
    job: str
    share: str
    reason: str


@quick_dataclass
class InputIgnored:
    """An input that found its job in no state to heed it, e.g. `terminate` for a finished job. Nothing changed."""

    at_ms: int
    job: str
    input: str
    reason: str


@dataclass(init=False, slots=True, unsafe_hash=True)
class Dispatched:
    """RUNNABLE → SCHEDULED. `own` + `borrowed` = `need` per unit (zeros left out); `victims` made the room.

    With IN_SHARE the amounts still say what of the need lies above the share's own limit.
    """

    at_ms: int
    job: str
    share: str
    start: StartKind
    need: Capacity
    own: Capacity
    borrowed: Capacity
    attempt: int
    victims: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __init__(
        self,
        at_ms: int,
        job: str,
        share: str,
        start: StartKind,
        need: Capacity,
        own: Capacity,
        borrowed: Capacity,
        attempt: int,
        victims: tuple[str, ...] = (),
        assumptions: tuple[str, ...] = (),
    ) -> None:
        self.at_ms = at_ms
        self.job = job
        self.share = share
        self.start = start
        self.need = need
        self.own = own
        self.borrowed = borrowed
        self.attempt = attempt
        self.victims = victims
        self.assumptions = assumptions


@dataclass(init=False, slots=True, unsafe_hash=True)
class Starting:
    at_ms: int
    job: str

    def __init__(self, at_ms: int, job: str) -> None:
        self.at_ms = at_ms
        self.job = job


@dataclass(init=False, slots=True, unsafe_hash=True)
class Running:
    at_ms: int
    job: str

    def __init__(self, at_ms: int, job: str) -> None:
        self.at_ms = at_ms
        self.job = job


@dataclass(init=False, slots=True, unsafe_hash=True)
class PreemptionStarted:
    """A victim was chosen to make room for `by`. It completes in the same instant unless stopping takes time."""

    at_ms: int
    job: str
    share: str
    kind: PreemptionKind
    by: str
    by_share: str
    need: Capacity
    assumptions: tuple[str, ...] = ()

    def __init__(
        self,
        at_ms: int,
        job: str,
        share: str,
        kind: PreemptionKind,
        by: str,
        by_share: str,
        need: Capacity,
        assumptions: tuple[str, ...] = (),
    ) -> None:
        self.at_ms = at_ms
        self.job = job
        self.share = share
        self.kind = kind
        self.by = by
        self.by_share = by_share
        self.need = need
        self.assumptions = assumptions


@dataclass(init=False, slots=True, unsafe_hash=True)
class PreemptionCompleted:
    """The victim has stopped; `lost_ms` of RUNNING time were discarded. Requeued or Failed follows."""

    at_ms: int
    job: str
    by: str
    kind: PreemptionKind
    preempted_count: int
    lost_ms: int

    def __init__(self, at_ms: int, job: str, by: str, kind: PreemptionKind, preempted_count: int, lost_ms: int) -> None:
        self.at_ms = at_ms
        self.job = job
        self.by = by
        self.kind = kind
        self.preempted_count = preempted_count
        self.lost_ms = lost_ms


@dataclass(init=False, slots=True, unsafe_hash=True)
class Requeued:
    """Back to RUNNABLE. `lost_ms` of RUNNING time were discarded; after a preemption its completion states them."""

    at_ms: int
    job: str
    cause: RequeueCause
    reason: str
    lost_ms: int = 0

    def __init__(self, at_ms: int, job: str, cause: RequeueCause, reason: str, lost_ms: int = 0) -> None:
        self.at_ms = at_ms
        self.job = job
        self.cause = cause
        self.reason = reason
        self.lost_ms = lost_ms


@dataclass(init=False, slots=True, unsafe_hash=True)
class Succeeded:
    at_ms: int
    job: str

    def __init__(self, at_ms: int, job: str) -> None:
        self.at_ms = at_ms
        self.job = job


@quick_dataclass
class Failed:
    """The job's end; `reason` is the statusReason, `terminated` whether a request or an action ended it."""

    at_ms: int
    job: str
    reason: str
    terminated: bool = False


@quick_dataclass
class PriorityUpdated:
    at_ms: int
    job: str
    priority: int


@quick_dataclass
class Blocked:
    """The head of a share can't run as things are set; `reason` is Batch's statusReason, "" when it no longer holds."""

    at_ms: int
    job: str
    share: str
    reason: str


@quick_dataclass
class ClaimMade:
    """`job` waits for its victims to stop; until then its need counts as its share's use (assumption A-15)."""

    at_ms: int
    job: str
    share: str
    need: Capacity
    victims: tuple[str, ...]


@quick_dataclass
class ClaimLapsed:
    at_ms: int
    job: str
    share: str


@quick_dataclass
class SettingsChanged:
    """The queue, its shares or its environment were changed; `summary` names what, e.g. "QS1 capacity_limits"."""

    at_ms: int
    summary: tuple[str, ...] = field(default_factory=tuple)


TraceEvent = (
    Submitted
    | Refused
    | InputIgnored
    | Dispatched
    | Starting
    | Running
    | PreemptionStarted
    | PreemptionCompleted
    | Requeued
    | Succeeded
    | Failed
    | PriorityUpdated
    | Blocked
    | ClaimMade
    | ClaimLapsed
    | SettingsChanged
)

Sink = Callable[[TraceEvent], None]
"""Receives each event as it happens, in order; a list's `append`, a file's writer, or nothing."""
