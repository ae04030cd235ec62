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
from heapq import heapify, heappop, heappush
from typing import Final

from .blocked import mark_head, misconfiguration, set_time_limit
from .life import dispatch, lapse_claim, make_claim, preempt
from .order import HeadKey
from .preempt import cross_victims, has_lower, in_share_victims, lowered_limit_victims, straddle_victims
from .state import Claim, JobRecord, SchedulerState, ShareState
from .trace import PreemptionKind, StartKind

Step = Callable[[SchedulerState, ShareState, JobRecord], bool]
"""Tries to place a share's head; returns whether it dispatched a job or made a claim for it."""
Line = list[tuple[HeadKey, ShareState]]
"""A heap of the shares whose heads a step is still to be asked of; the first in heads order comes first."""


class SchedulingError(RuntimeError):
    """A pass that dispatches without end: a fault of the model, never of its input."""


def run_pass(state: SchedulerState) -> None:
    """Dispatch all that can be dispatched now, then bring the heads' blocked reasons up to date."""
    if not state.touched and not state.released and not state.settings_changed:
        return
    for share in state.touched:
        _refresh_head(state, share)
    if state.claims:
        _lapse_claims(state)
    if state.is_placing:
        if state.assumptions.eager_limit_enforcement and state.settings_changed:
            _enforce_limits(state)
        if state.claims:
            _redeem_claims(state)
        _place_all(state)
    _mark_heads(state)
    state.touched.clear()
    state.released = False
    state.settings_changed = False


def _refresh_head(state: SchedulerState, share: ShareState) -> None:
    head = share.first_waiting()
    if head is not share.head:
        share.head = head
        share.head_since_ms = state.now_ms
        state.set_lacking(share, False)


def _mark_heads(state: SchedulerState) -> None:
    if state.settings_changed:
        for share in state.shares.values():
            mark_head(state, share)
            set_time_limit(state, share)
    else:
        for share in sorted(state.touched, key=lambda share: share.rank):
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
    for claim in sorted(ready, key=lambda claim: state.head_key(claim.record.share, claim.record)):
        _redeem(state, claim)


def _redeem(state: SchedulerState, claim: Claim) -> None:
    """Dispatch a claim's job, unless limits were lowered meanwhile: new placements obey the new ones."""
    record, share = claim.record, claim.record.share
    pairs = record.need.pairs
    if state.ledger.is_over(pairs) or any(share.use[unit] > share.max_use[unit] for unit, _ in pairs):
        lapse_claim(state, claim)
        return
    share.claim = None
    state.claims.remove(claim)
    dispatch(state, record, claim.start, claim.victim_names, claimed=True)
    state.touch(share)
    _refresh_head(state, share)


def _place_all(state: SchedulerState) -> None:
    """Ask heads, step by step, until no step applies."""
    if len(state.touched) == 1 and state.has_usual_steps and not state.lacking:
        [share] = state.touched
        if not state.released or not _helps_others(state, share):
            state.released = False
            _serve_alone(state, share)
            if not state.released:
                return
    steps = _steps(state)
    lines: list[Line] = [[] for _ in steps]
    _ask_first(state, lines)
    left = state.step_guard
    index = 0
    while index < len(lines):
        line = lines[index]
        if not line:
            index += 1
            continue
        item = heappop(line)
        share = item[1]
        head = share.head
        if head is None:
            continue
        if steps[index](state, share, head):
            left -= 1
            if left < 0:
                raise SchedulingError(f"the pass at {state.now_ms} ms doesn't end; share {share.name!r} was last")
            _ask_after_dispatch(state, lines, share)
            index = 0
        elif (following := _following(state, share, index)) < len(lines):
            heappush(lines[following], item)


def _helps_others(state: SchedulerState, touched: ShareState) -> bool:
    """Whether a release may let the head of another share go."""
    ledger = state.ledger
    for share in state.shares.values():
        head = share.head
        if (
            head is not None
            and share is not touched
            and (
                (share.borrows and ledger.can_borrow(share, head.need.pairs))
                or (share.has_in_share and has_lower(state, share, head))
            )
        ):
            return True
    return False


def _serve_alone(state: SchedulerState, share: ShareState) -> None:
    """Place the jobs of the only share that was touched, until its head can't go or others may have been helped."""
    while (head := share.head) is not None and _may_go(state, share, head):
        if not (
            _own(state, share, head)
            or (share.borrows and _borrow(state, share, head))
            or (share.has_in_share and _in_share(state, share, head))
        ):
            return
        state.touch(share)
        _refresh_head(state, share)
        if state.released or state.lacking:
            for touched in state.touched:
                _refresh_head(state, touched)
            state.released = True
            return


def _steps(state: SchedulerState) -> tuple[Step, ...]:
    return _STEPS if state.has_usual_steps else _all_steps(state)


def _all_steps(state: SchedulerState) -> tuple[Step, ...]:
    steps: list[Step] = [_own, _borrow, _in_share]
    if state.assumptions.straddle_reclaims:
        steps.insert(2, _straddle)
    if state.assumptions.backfill:
        steps.append(_backfill)
    return tuple(steps)


def _following(state: SchedulerState, share: ShareState, index: int) -> int:
    """Return the step to ask after one that failed, leaving out what the share never does."""
    if not state.has_usual_steps:
        return index + 1
    if index == 0 and share.borrows:
        return 1
    return 2 if index < 2 and share.has_in_share else 3


# Which heads to ask.


def _may_go(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    return share.claim is None and head.eligible_ms <= state.now_ms


def _ask(state: SchedulerState, share: ShareState, line: Line) -> None:
    """Enter a share in a step's line, where it has a head that may go now."""
    head = share.head
    if head is not None and (_may_go(state, share, head) or state.assumptions.backfill):
        heappush(line, (state.head_key(share, head), share))


def _ask_first(state: SchedulerState, lines: list[Line]) -> None:
    """Ask the touched shares everything, and after a release the others what the release may have changed."""
    state.is_held_up = False
    touched = state.touched
    for share in touched:
        _ask(state, share, lines[0])
    if not state.released:
        return
    state.released = False
    ledger = state.ledger
    for share in state.shares.values():
        head = share.head
        if head is None or share in touched:
            continue
        if share.lacking or not state.has_usual_steps:
            _ask(state, share, lines[0])
        elif share.borrows and ledger.can_borrow(share, head.need.pairs):
            _ask(state, share, lines[1])
        elif share.has_in_share and has_lower(state, share, head):
            _ask(state, share, lines[2])


def _ask_after_dispatch(state: SchedulerState, lines: list[Line], share: ShareState) -> None:
    """Ask the share's next head, and whichever others the step may have helped."""
    state.touch(share)
    if state.released or not state.has_usual_steps:
        for touched in state.touched:
            _refresh_head(state, touched)
        for line in lines:
            line.clear()
        state.released = True
        _ask_first(state, lines)
        return
    _refresh_head(state, share)
    _ask(state, share, lines[0])
    for other in state.lacking:
        if other is not share:
            for line in lines:
                line[:] = [item for item in line if item[1] is not other]
                heapify(line)
            _ask(state, other, lines[0])


# The steps.


def _own(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 1: within the own limit, with victims in shares above theirs where room is short."""
    if share.lacking:
        state.set_lacking(share, False)
    if not share.fits_own(head.need.pairs) or not _may_go(state, share, head):
        return False
    if state.ledger.has_room(share, head.need.pairs):
        dispatch(state, head, StartKind.OWN, ())
        return True
    victims = cross_victims(state, head)
    if victims is None:
        state.set_lacking(share, True)
        return False
    _place(state, head, StartKind.OWN, victims, PreemptionKind.CROSS_SHARE)
    return True


def _borrow(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 2: with borrowed capacity, nobody preempted."""
    if not share.borrows or not _may_go(state, share, head):
        return False
    if not state.is_held_up and state.ledger.can_borrow(share, head.need.pairs):
        dispatch(state, head, StartKind.BORROWED, ())
        return True
    if state.assumptions.borrow_fifo_strict and _waits_for_pool(state, share, head):
        state.is_held_up = True
    return False


def _waits_for_pool(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Whether only a lack of idle capacity keeps the head of a borrowing share from borrowing (assumption A-29)."""
    pairs = head.need.pairs
    return all(share.use[unit] + count <= share.max_use[unit] for unit, count in pairs) and not misconfiguration(
        state, share, pairs
    )


def _straddle(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Take back the own idle part and borrow the rest (assumption A-04's other value)."""
    victims = straddle_victims(state, head) if _may_go(state, share, head) else None
    if not victims:
        return False
    _place(state, head, StartKind.BORROWED, victims, PreemptionKind.CROSS_SHARE)
    return True


def _in_share(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Step 3: in the room of jobs of the same share with strictly lower priority."""
    if not share.has_in_share or not _may_go(state, share, head):
        return False
    victims = in_share_victims(state, head) if has_lower(state, share, head) else None
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
            dispatch(state, record, StartKind.OWN, ())
            return True
        if state.ledger.can_borrow(share, pairs):
            dispatch(state, record, StartKind.BORROWED, ())
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
        preempt(state, victims, kind, record, None)
        dispatch(state, record, start, tuple(victim.key for victim in victims))
