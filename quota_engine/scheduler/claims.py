"""Claims: a head's right to the room that its victims are leaving (assumption A-15).

What a claim needs counts as its share's use; of the environment it holds, per unit, the larger of what it needs and
what its victims still hold. So no room is promised twice, and none is held up that nobody needs.
"""

from __future__ import annotations

from .ledger import Pairs
from .state import Claim, JobRecord, SchedulerState, Stopping
from .trace import ClaimLapsed, ClaimMade


def hold_room(state: SchedulerState, claim: Claim) -> None:
    """Have a claim hold its room from now on; its victims are being stopped already."""
    record, share = claim.record, claim.record.share
    for victim in claim.victims:
        for unit, count in victim.need.pairs:
            claim.held[unit] = claim.held.get(unit, 0) + count
    need = dict(record.need.pairs)
    state.ledger.add_use(share, record.need.pairs, 1)
    state.ledger.add_committed(_beyond(need, claim.held, need), 1)
    state.emit(ClaimMade(state.now_ms, record.key, share.name, record.need.by_unit, claim.victim_names))


def _beyond(need: dict[int, int], held: dict[int, int], units: dict[int, int]) -> Pairs:
    """Return what a claim needs beyond what its victims hold, per unit."""
    return tuple((unit, max(0, need.get(unit, 0) - held.get(unit, 0))) for unit in units)


def release_held(state: SchedulerState, victim: JobRecord, stopping: Stopping) -> None:
    """A victim is gone: its room passes to the claim as far as that needs it, the rest is free."""
    state.ledger.add_committed(victim.need.pairs, -1)
    claim = stopping.claim
    if claim is None:
        return
    need = dict(claim.record.need.pairs)
    units = dict(victim.need.pairs)
    state.ledger.add_committed(_beyond(need, claim.held, units), -1)
    for unit, count in victim.need.pairs:
        claim.held[unit] -= count
    state.ledger.add_committed(_beyond(need, claim.held, units), 1)
    claim.pending -= 1


def lapse_claim(state: SchedulerState, claim: Claim) -> None:
    """Give up a claim; victims that are still stopping stay so, for nobody."""
    record = claim.record
    share = record.share
    need = dict(record.need.pairs)
    state.ledger.add_use(share, record.need.pairs, -1)
    state.ledger.add_committed(_beyond(need, claim.held, need), -1)
    for victim in claim.victims:
        if victim.stopping is not None and victim.stopping.claim is claim:
            victim.stopping.claim = None
    share.claim = None
    state.claims.remove(claim)
    state.touch(share)
    state.released |= record.need.mask
    state.emit(ClaimLapsed(state.now_ms, record.key, share.name))
