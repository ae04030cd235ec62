"""The event trace: what happened, with its cause, in order. Reports read the trace only.

Every event carries `at_ms` and the job's key. A decision records why as it is made: the share it drew on, what came
from the own limit and what was borrowed, whom it preempted, and the assumptions (A-numbers) it rests on.

Nobody changes an event, and a run makes millions: hence structs, which are made three times as fast as dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

import msgspec

from ..model.stack import Capacity


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


class _Event(msgspec.Struct, frozen=True, gc=False):
    """What happened at `at_ms`. Nothing in it refers back to it, so that the garbage collector need not look."""


class Submitted(_Event, frozen=True):
    at_ms: int
    job: str
    share: str
    need: Capacity
    priority: int


class Refused(_Event, frozen=True):
    """A job that was not taken: its share or the queue is disabled or gone. There is no job record."""

    at_ms: int
    job: str
    share: str
    reason: str


class InputIgnored(_Event, frozen=True):
    """An input that found its job in no state to heed it, e.g. `terminate` for a finished job. Nothing changed."""

    at_ms: int
    job: str
    input: str
    reason: str


class Dispatched(_Event, frozen=True):
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


class Starting(_Event, frozen=True):
    at_ms: int
    job: str


class Running(_Event, frozen=True):
    at_ms: int
    job: str


class PreemptionStarted(_Event, frozen=True):
    """A victim was chosen to make room for `by`. It completes in the same instant unless stopping takes time."""

    at_ms: int
    job: str
    share: str
    kind: PreemptionKind
    by: str
    by_share: str
    need: Capacity
    assumptions: tuple[str, ...] = ()


class PreemptionCompleted(_Event, frozen=True):
    """The victim has stopped; `lost_ms` of RUNNING time were discarded. Requeued or Failed follows."""

    at_ms: int
    job: str
    by: str
    kind: PreemptionKind
    preempted_count: int
    lost_ms: int


class Requeued(_Event, frozen=True):
    """Back to RUNNABLE. `lost_ms` of RUNNING time were discarded; after a preemption its completion states them."""

    at_ms: int
    job: str
    cause: RequeueCause
    reason: str
    lost_ms: int = 0


class Succeeded(_Event, frozen=True):
    at_ms: int
    job: str


class Failed(_Event, frozen=True):
    """The job's end; `reason` is the statusReason, `terminated` whether a request or an action ended it."""

    at_ms: int
    job: str
    reason: str
    terminated: bool = False


class PriorityUpdated(_Event, frozen=True):
    at_ms: int
    job: str
    priority: int


class Blocked(_Event, frozen=True):
    """The head of a share can't run as things are set; `reason` is Batch's statusReason, "" when it no longer holds."""

    at_ms: int
    job: str
    share: str
    reason: str


class ClaimMade(_Event, frozen=True):
    """`job` waits for its victims to stop; until then its need counts as its share's use (assumption A-15)."""

    at_ms: int
    job: str
    share: str
    need: Capacity
    victims: tuple[str, ...]


class ClaimLapsed(_Event, frozen=True):
    at_ms: int
    job: str
    share: str


class SettingsChanged(_Event, frozen=True):
    """The queue, its shares or its environment were changed; `summary` names what, e.g. "QS1 capacity_limits"."""

    at_ms: int
    summary: tuple[str, ...] = ()


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


def members_of(event: TraceEvent) -> dict[str, Any]:
    """Return an event as {member: value}, in the declared order."""
    return msgspec.structs.asdict(event)


Sink = Callable[[TraceEvent], None]
"""Receives each event as it happens, in order; a list's `append`, a file's writer, or nothing."""
