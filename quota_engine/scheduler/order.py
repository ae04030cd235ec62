"""Every ordering of the scheduler. Each is one key that ends in something unique, so that no tie is left to chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from .assumptions import Assumptions

if TYPE_CHECKING:
    from .state import JobRecord, ShareState

QueueEntry = tuple[int, int, int, int, "JobRecord"]
HeadKey = tuple[int, int, str]
VictimKey = tuple[int, ...]


def queue_entry(record: JobRecord, number: int) -> QueueEntry:
    """Order the waiting jobs of one share: 1. priority, highest first; 2. position in time; 3. order of arrival.

    The position is the time of submission, or of coming back when assumption A-14 says so. The number is one that no
    other entry has, so that records are never compared.
    """
    return (-record.priority, record.position_ms, record.seq, number, record)


def _oldest_head(share: ShareState, head: JobRecord) -> HeadKey:
    return (head.position_ms, share.rank, share.name)


def _creation(share: ShareState, head: JobRecord) -> HeadKey:
    return (share.rank, 0, share.name)


def _name(share: ShareState, head: JobRecord) -> HeadKey:
    return (0, 0, share.name)


def _round_robin(share: ShareState, head: JobRecord) -> HeadKey:
    return (share.served_seq, share.rank, share.name)


_SHARE_ORDERS: Final[dict[str, Callable[[ShareState, JobRecord], HeadKey]]] = {
    "oldest_head": _oldest_head,
    "creation": _creation,
    "name": _name,
    "round_robin": _round_robin,
}


def head_key_of(assumptions: Assumptions) -> Callable[[ShareState, JobRecord], HeadKey]:
    """Return the order of the shares' heads (assumption A-07).

    By default: 1. the head's age, oldest first; 2. the share's order of creation; 3. its name.
    """
    return _SHARE_ORDERS[assumptions.share_order]


_VICTIM_CRITERIA: Final[dict[str, Callable[[JobRecord], int]]] = {
    "priority": lambda record: -record.priority,
    "youngest": lambda record: record.scheduled_ms or 0,
    "oldest": lambda record: -(record.scheduled_ms or 0),
    "largest": lambda record: sum(count for _, count in record.need.pairs),
    "smallest": lambda record: -sum(count for _, count in record.need.pairs),
    "most_borrowed": lambda record: sum(count for _, count in record.borrowed),
}
"""How soon a job becomes a victim: the larger, the sooner."""


def victim_key_of(assumptions: Assumptions) -> Callable[[JobRecord], VictimKey]:
    """Return the order in which running jobs become victims, the largest key first (assumption A-11).

    So the latest start, which is mostly the first victim too, comes last among the keys and is added at their end.
    By default: 1. priority, lowest first; 2. latest start first (least work lost); 3. latest submission first; 4. last
    to arrive. With borrow_attribution=job, jobs that borrowed when dispatched come before all others (A-41).
    """
    borrowers_first = assumptions.borrow_attribution == "job"
    if assumptions.victim_order == ("priority", "youngest") and not borrowers_first:
        return _default_victim_key
    criteria = tuple(_VICTIM_CRITERIA[name] for name in assumptions.victim_order)

    def key(record: JobRecord) -> VictimKey:
        first = (1 if record.borrowed else 0,) if borrowers_first else ()
        return (*first, *(criterion(record) for criterion in criteria), record.created_ms, record.seq)

    return key


def _default_victim_key(record: JobRecord) -> VictimKey:
    return (-record.priority, record.scheduled_ms or 0, record.created_ms, record.seq)


def victims_by_priority_first(assumptions: Assumptions) -> bool:
    """Whether candidates come in rising priority, so that a search may stop at the first that is too high."""
    return assumptions.victim_order[0] == "priority" and assumptions.borrow_attribution == "share"
