"""The scheduling pass: one step after another until none applies; each step dispatches exactly one job.

Steps, in this order: 1. a head that fits its share's own limit, clearing borrowers where room is short; 2. a head that
fits with borrowed capacity; 3. a head that gains its room inside its share. Within a step, heads in heads order.

What a dispatch without victims changes can only hurt other heads, so a head that failed a step need not be asked again
before something is released. Hence a pass looks at few heads: those whose share was touched, and, after a release,
those that wait for the pool. The exception are heads that fit their own limit but found no room (`lacking`): new
borrowers are new candidates for them, so they are asked again after every dispatch.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop
from operator import attrgetter
from typing import Final

from .blocked import mark_head, misconfiguration, set_time_limit
from .claims import lapse_claim
from .ledger import EVERY_UNIT
from .life import dispatch
from .preempt import cross_victims, has_lower, in_share_victims, lowered_limit_victims, straddle_victims
from .state import LEAST_STEP_GUARD, Claim, JobRecord, SchedulerState, ShareState
from .stopping import make_claim, preempt
from .trace import BORROWED, OWN, PreemptionKind, StartKind

Step = Callable[[SchedulerState, ShareState, JobRecord], bool]
"""Tries to place a share's head; returns whether it dispatched a job or made a claim for it."""


_creation_order: Final = attrgetter("rank")
_heads_order: Final = attrgetter("head_order")


class SchedulingError(Exception):
    """A pass that dispatches without end: a fault of the model, never of its input."""


def run_pass(state: SchedulerState) -> None:
    """Dispatch all that can be dispatched now, then bring the heads' blocked reasons up to date."""
    touched = state.touched
    if not touched and not state.settings_changed:
        return
    _refresh_heads(state)
    if state.claims:
        _lapse_claims(state)
    if state.is_placing:
        if state.settings_changed and state.assumptions.eager_limit_enforcement:
            _enforce_limits(state)
        if state.claims:
            _redeem_claims(state)
        if state.waiting:
            _place_all(state)
    if state.waiting or state.settings_changed:
        _mark_heads(state)
    touched.clear()
    state.released = state.released_in_pass = 0
    state.settings_changed = False


def place_at_once(state: SchedulerState, record: JobRecord) -> bool:
    """Dispatch the only job that arrives now where a pass would look at it alone and need nobody's room for it.

    So it is in nobody's way that it never waited: its share has no other job waiting, and nothing else has happened.
    """
    share = record.share
    if share.waiting or state.touched or state.settings_changed or state.lacking:
        return False
    if not (state.has_usual_steps and state.is_placing):
        return False
    pairs = record.need.pairs
    if share.fits_own(pairs):
        if not state.ledger.has_room(share, pairs):
            return False
        dispatch(state, record, OWN, ())
    else:
        if not state.ledger.can_borrow(share, pairs):
            return False
        dispatch(state, record, BORROWED, ())
    return True


def _refresh_heads(state: SchedulerState) -> None:
    """Refresh the head of each touched share; mostly it is still the first in its heap."""
    for share in state.touched:
        waiting = share.waiting
        if waiting:
            entry = waiting[0]
            record = entry[4]
            if record is share.head and record.entry_number == entry[3]:
                continue
        elif share.head is None:
            continue
        _refresh_head(state, share)


def _refresh_head(state: SchedulerState, share: ShareState) -> None:
    """Find the share's first waiting job, dropping dead entries; a new head starts with nothing known about it."""
    head = None
    waiting = share.waiting
    while waiting:
        entry = waiting[0]
        if entry[4].entry_number == entry[3]:
            head = entry[4]
            break
        heappop(waiting)
    if head is share.head:
        return
    share.head = head
    share.is_marked = False
    share.head_since_ms = state.now_ms
    share.has_no_lower = False
    share.in_share_bar = None
    if head is None:
        del state.waiting[share]
    else:
        state.waiting[share] = head
        share.head_order = state.head_key(share, head)
    if share.lacking:
        state.set_lacking(share, False)


def _mark_heads(state: SchedulerState) -> None:
    if state.settings_changed:
        for share in state.shares.values():
            mark_head(state, share)
            set_time_limit(state, share)
        return
    touched = state.touched
    for share in touched if len(touched) == 1 else sorted(touched, key=_creation_order):
        if not share.is_marked:
            mark_head(state, share)


def _enforce_limits(state: SchedulerState) -> None:
    for share in list(state.shares.values()):
        victims = lowered_limit_victims(share, state)
        if victims:
            preempt(state, victims, PreemptionKind.LIMIT_LOWERED, None, None)
            _refresh_head(state, share)


def _lapse_claims(state: SchedulerState) -> None:
    """Let the claims lapse whose job is no longer the head of its share."""
    for claim in list(state.claims):
        if claim.record.share.head is not claim.record:
            lapse_claim(state, claim)


def _redeem_claims(state: SchedulerState) -> None:
    """Dispatch the jobs whose victims are gone, in heads order."""
    ready = [claim for claim in state.claims if claim.pending == 0]
    for claim in sorted(ready, key=lambda claim: claim.record.share.head_order):
        _redeem(state, claim)


def _redeem(state: SchedulerState, claim: Claim) -> None:
    """Dispatch a claim's job, unless it can't be placed now: limits were lowered, or what it was to borrow is taken."""
    record, share = claim.record, claim.record.share
    pairs = record.need.pairs
    exceeds = any(share.use[unit] > share.max_use[unit] for unit, _ in pairs)
    if exceeds or state.ledger.is_over(pairs) or not state.ledger.is_covered(share, pairs):
        lapse_claim(state, claim)
        return
    share.claim = None
    state.claims.remove(claim)
    dispatch(state, record, claim.start, claim.victim_names, claimed=True)
    state.touch(share)
    _refresh_head(state, share)


def _place_all(state: SchedulerState) -> None:
    """Ask heads, step by step, until no step applies."""
    is_usual = state.has_usual_steps
    asked = [alone] if is_usual and (alone := _only_one(state)) is not None else _ask_first(state)
    taken = 0
    while asked:
        if is_usual and len(asked) == 1 and not state.lacking:
            served = _serve_alone(state, asked[0])
        else:
            served = _one_step(state, _STEPS if is_usual else _all_steps(state), asked)
        if served is None:
            return
        taken += 1
        if taken > LEAST_STEP_GUARD and taken > state.step_guard:
            raise SchedulingError(f"the pass at {state.now_ms} ms doesn't end; share {served.name!r} was last")
        asked = _ask_after_dispatch(state, asked, served)


def _only_one(state: SchedulerState) -> ShareState | None:
    """Return the share to ask where it is the only one: after a mere arrival, or when nobody waits elsewhere."""
    touched = state.touched
    if len(touched) == 1:
        [share] = touched
        if not state.released and not state.lacking:
            return share
        if len(state.waiting) == 1 and share in state.waiting and share.claim is None:
            state.released = 0
            share.step = 0
            return share
    return None


def _one_step(state: SchedulerState, steps: tuple[Step, ...], asked: list[ShareState]) -> ShareState | None:
    """Ask the heads, one kind of step after the other, until a job is placed; return its share, None when none is."""
    for index, step in enumerate(steps):
        for share in asked:
            if share.step != index:
                continue
            head = share.head
            if head is not None and step(state, share, head):
                return share
            share.step = index + 1
    return None


def _serve_alone(state: SchedulerState, share: ShareState) -> ShareState | None:
    """Place the jobs of the only share that is asked, as long as nobody else has to be; as `_one_step` otherwise."""
    while (head := share.head) is not None and share.claim is None and head.eligible_ms <= state.now_ms:
        if not (
            _own(state, share, head)
            or (share.borrows and _borrow(state, share, head))
            or (share.has_in_share and _in_share(state, share, head))
        ):
            return None
        state.touched[share] = None
        if state.released or state.lacking or len(state.touched) > 1:
            return share
        _refresh_head(state, share)
    return None


def _all_steps(state: SchedulerState) -> tuple[Step, ...]:
    steps: list[Step] = [_own, _borrow_in_turn if state.assumptions.borrow_fifo_strict else _borrow, _in_share]
    if state.assumptions.straddle_reclaims:
        steps.insert(2, _straddle)
    if state.assumptions.backfill:
        steps.append(_backfill)
    return tuple(steps)


# Which heads to ask.


def _ask(state: SchedulerState, asked: list[ShareState], share: ShareState, index: int) -> None:
    """Add a share, to be asked from a step on, unless it has no head that may go now.

    The jobs behind a head that may not go can still be filled in, where that is done at all.
    """
    head = share.head
    if head is None:
        return
    if share.claim is not None or head.eligible_ms > state.now_ms:
        if not state.assumptions.backfill:
            return
        index = len(_all_steps(state)) - 1
    share.step = index
    asked.append(share)


def _ask_first(state: SchedulerState) -> list[ShareState]:
    """Ask the touched shares everything, and after a release the others what the release may have changed."""
    state.is_held_up = False
    asked: list[ShareState] = []
    for share in state.touched:
        _ask(state, asked, share, 0)
    if state.released:
        state.released_in_pass |= state.released
        state.released = 0
        _ask_helped(state, asked)
    asked.sort(key=_heads_order)
    return asked


def _ask_helped(state: SchedulerState, asked: list[ShareState]) -> None:
    """Add the untouched shares to whose heads a release may have opened a step."""
    touched, released, ledger = state.touched, state.released_in_pass, state.ledger
    for share, head in state.waiting.items():
        if share in touched:
            continue
        need = head.need
        if share.lacking or not state.has_usual_steps:
            index = 0
        elif not need.mask & released:
            continue
        elif share.borrows and ledger.can_borrow(share, need.pairs):
            index = 1
        elif share.has_in_share and not share.has_no_lower and _may_gain_inside(state, share, head):
            index = 2
        else:
            continue
        _ask(state, asked, share, index)


def _may_gain_inside(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Whether a search inside the share is worth while: the pool came up to the last one's bar, and some are lower."""
    bar = share.in_share_bar
    return (bar is None or state.ledger.clears(bar)) and has_lower(state, share, head)


def _ask_after_dispatch(state: SchedulerState, asked: list[ShareState], share: ShareState) -> list[ShareState]:
    """Ask the share's next head, and whichever others the step may have helped."""
    touched = state.touched
    touched[share] = None
    _refresh_heads(state)
    if not state.has_usual_steps:
        if share.head is not None:
            share.head_order = state.head_key(share, share.head)
        state.released = EVERY_UNIT
    if state.released:
        return _ask_first(state)
    again = {**touched, **state.lacking} if state.lacking else touched
    asked = [other for other in asked if other not in again]
    for other in again:
        _ask(state, asked, other, 0)
    asked.sort(key=_heads_order)
    return asked


# The steps.


def _own(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 1: within the own limit, with victims in shares above theirs where room is short."""
    if share.lacking:
        state.set_lacking(share, False)
    if not share.fits_own(head.need.pairs):
        return False
    if state.ledger.has_room(share, head.need.pairs):
        dispatch(state, head, OWN, ())
        return True
    victims = cross_victims(state, head)
    if victims is None:
        state.set_lacking(share, True)
        return False
    _place(state, head, OWN, victims, PreemptionKind.CROSS_SHARE)
    return True


def _borrow(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 2: with borrowed capacity, nobody preempted."""
    if not state.ledger.can_borrow(share, head.need.pairs):
        return False
    dispatch(state, head, BORROWED, ())
    return True


def _borrow_in_turn(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 2 where the first head that waits for the pool holds up those behind it (assumption A-29's other value)."""
    if state.is_held_up:
        return False
    if _borrow(state, share, head):
        return True
    state.is_held_up = share.borrows and _waits_for_pool(state, share, head)
    return False


def _waits_for_pool(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Whether only a lack of idle capacity keeps the head of a borrowing share from borrowing (assumption A-29)."""
    return all(share.use[unit] + count <= share.max_use[unit] for unit, count in head.need.pairs) and not (
        misconfiguration(state, share, head.need)
    )


def _straddle(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Take back the own idle part and borrow the rest (assumption A-04's other value)."""
    victims = straddle_victims(state, head)
    if not victims:
        return False
    _place(state, head, BORROWED, victims, PreemptionKind.CROSS_SHARE)
    return True


def _in_share(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 3: in the room of jobs of the same share with strictly lower priority."""
    if not share.has_in_share or share.has_no_lower or not has_lower(state, share, head):
        return False
    victims = in_share_victims(state, head)
    if not victims:
        return False
    _place(state, head, StartKind.IN_SHARE, victims, PreemptionKind.IN_SHARE)
    return True


def _backfill(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Let the first job behind the head go that fits into free room (assumption A-10's other value)."""
    for record in share.in_order():
        if record is head or record.eligible_ms > state.now_ms:
            continue
        pairs = record.need.pairs
        if share.fits_own(pairs) and state.ledger.has_room(share, pairs):
            dispatch(state, record, OWN, ())
            return True
        if state.ledger.can_borrow(share, pairs):
            dispatch(state, record, BORROWED, ())
            return True
    return False


_STEPS: Final[tuple[Step, ...]] = (_own, _borrow, _in_share)


def _place(
    state: SchedulerState, record: JobRecord, start: StartKind, victims: list[JobRecord], kind: PreemptionKind
) -> None:
    if not victims:
        dispatch(state, record, start, ())
    elif state.timing.stopping_ms:
        make_claim(state, record, victims, kind, start)
    else:
        before = state.ledger.levels()
        preempt(state, victims, kind, record, None)
        dispatch(state, record, start, tuple([victim.key for victim in victims]))
        state.released = state.ledger.grown(before)
