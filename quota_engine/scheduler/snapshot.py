"""What GetJobQueueSnapshot shows, computed from the state: the fronts of the shares and the queue, and who uses what.

Read-only. Amounts are {unit: instances} by unit name, without zeros; usage counts dispatched jobs only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from .ledger import Pairs
from .state import JobRecord, SchedulerState, ShareState


@dataclass(frozen=True, slots=True)
class FrontJob:
    """A RUNNABLE job near the front and when it came to its present position (earliestTimeAtPosition)."""

    job: str
    share: str
    since_ms: int


def front_of_shares(state: SchedulerState) -> dict[str, FrontJob | None]:
    """Return each share's head, None for a share without a waiting job; shares by name."""
    fronts: dict[str, FrontJob | None] = {}
    for name in sorted(state.shares):
        share = state.shares[name]
        fronts[name] = None if share.head is None else FrontJob(share.head.key, name, share.head_since_ms)
    return fronts


def front_of_queue(state: SchedulerState, most: int = 100) -> list[FrontJob]:
    """Return the first waiting jobs in the order in which they would be dispatched (assumption A-19).

    The shares' queues are merged: again and again the first head that fits its own limit on top of those already taken,
    else the first head. A job came to its position with the last arrival or departure ahead of it in its share.
    """
    lines = {share: _in_order(share) for share in state.shares.values() if share.head is not None}
    heads = {share: next(line) for share, line in lines.items()}
    keys = {share: state.head_key(share, record) for share, record in heads.items()}
    since = {share: share.head_since_ms for share in lines}
    planned: dict[ShareState, dict[int, int]] = {share: {} for share in lines}
    front: list[FrontJob] = []
    while heads and len(front) < most:
        ranked = sorted(heads, key=keys.__getitem__)
        share = next((one for one in ranked if _fits(one, planned[one], heads[one].need.pairs)), ranked[0])
        record = heads[share]
        since[share] = max(since[share], record.queued_ms)
        front.append(FrontJob(record.key, share.name, since[share]))
        for unit, count in record.need.pairs:
            planned[share][unit] = planned[share].get(unit, 0) + count
        following = next(lines[share], None)
        if following is None:
            del heads[share]
        else:
            heads[share], keys[share] = following, state.head_key(share, following)
    return front


def _in_order(share: ShareState) -> Iterator[JobRecord]:
    """Yield the waiting jobs in their order, as `share.in_order()` does, but sort no more of them than are asked for.

    The heap is walked from its top: what may come next is a child of what has come.
    """
    waiting = share.waiting
    candidates = [(waiting[0], 0)] if waiting else []
    while candidates:
        entry, place = heappop(candidates)
        if entry[4].entry_number == entry[3]:
            yield entry[4]
        for child in range(2 * place + 1, min(2 * place + 3, len(waiting))):
            heappush(candidates, (waiting[child], child))


def _fits(share: ShareState, planned: dict[int, int], pairs: Pairs) -> bool:
    return all(share.use[unit] + planned.get(unit, 0) + count <= share.cap[unit] for unit, count in pairs)


def usage_of(state: SchedulerState, share_name: str) -> dict[str, int]:
    """Return what the dispatched jobs of one share use, those being stopped included, claims not."""
    return _sum(state, state.shares[share_name].running.values())


def total_usage(state: SchedulerState) -> dict[str, int]:
    """Return what all dispatched jobs of the queue use."""
    return _sum(state, (record for share in state.shares.values() for record in share.running.values()))


def utilisation(state: SchedulerState) -> list[tuple[str, dict[str, int]]]:
    """Return (share, usage) of every share, largest total first, then by name (assumption A-19)."""
    usages = [(name, usage_of(state, name)) for name in sorted(state.shares)]
    return sorted(usages, key=lambda item: (-sum(item[1].values()), item[0]))


def _sum(state: SchedulerState, records: Iterable[JobRecord]) -> dict[str, int]:
    amounts: dict[int, int] = {}
    for record in records:
        for unit, count in record.need.pairs:
            amounts[unit] = amounts.get(unit, 0) + count
    return state.ledger.amounts(amounts.items())
