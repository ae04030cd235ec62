"""The scheduling pass: one step after another until none applies; each step dispatches exactly one job.

Steps, in this order: 1. a head that fits its share's own limit, clearing borrowers where room is short; 2. a head that
fits with borrowed capacity; 3. a head that gains its room inside its share. Within a step, heads in heads order.

What a dispatch without victims changes can only hurt other heads, so a head that failed a step need not be asked again
before something is released. Hence a pass looks at few heads: those whose share was touched, and, after a release,
those that wait for the pool. The exception are heads that fit their own limit but found no room (`lacking`): new
borrowers are new candidates for them, so they are asked again after every dispatch.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

from ..model.stack import State
from .blocked import mark_head, misconfiguration, set_time_limit
from .life import dispatch, lapse_claim, make_claim, preempt
from .order import HeadKey
from .preempt import cross_victims, in_share_victims, lowered_limit_victims, straddle_victims
from .state import Claim, JobRecord, SchedulerState, ShareState
from .trace import PreemptionKind, StartKind

Step = Callable[[ShareState, JobRecord], bool]
Line = list[tuple[HeadKey, ShareState]]
"""Shares whose heads are to be asked, in heads order."""


class SchedulingError(RuntimeError):
    """A pass that dispatches without end: a fault of the model, never of its input."""


def run_pass(state: SchedulerState) -> None:
    """Dispatch all that can be dispatched now, then bring the heads' blocked reasons up to date."""
    if not state.touched and not state.released and not state.settings_changed:
        return
    for share in state.touched:
        _refresh_head(state, share)
    _lapse_claims(state)
    if state.is_placing:
        if state.assumptions.eager_limit_enforcement and state.settings_changed:
            _enforce_limits(state)
        _redeem_claims(state)
        _Pass(state).run()
    _mark_heads(state)
    state.touched.clear()
    state.released = False
    state.settings_changed = False


def _refresh_head(state: SchedulerState, share: ShareState) -> None:
    head = share.first_waiting()
    if head is not share.head:
        share.head = head
        share.head_since_ms = state.now_ms
        share.lacking = False


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


class _Pass:
    """One pass. `lines[i]` holds the shares whose heads step i is still to be asked of."""

    def __init__(self, state: SchedulerState) -> None:
        assumptions = state.assumptions
        self.state = state
        self.steps: list[Step] = [self._own, self._borrow, self._in_share]
        if assumptions.straddle_reclaims:
            self.steps.insert(2, self._straddle)
        if assumptions.backfill:
            self.steps.append(self._backfill)
        self.asks_all = assumptions.backfill or assumptions.borrow_fifo_strict
        self.is_held_up = False
        self.lines: list[Line] = [[] for _ in self.steps]
        self.guard = 1_000 + 8 * len(state.jobs)

    def run(self) -> None:
        """Ask heads until no step applies."""
        self._ask_first()
        index = 0
        while index < len(self.steps):
            line = self.lines[index]
            if not line:
                index += 1
                continue
            item = line.pop(0)
            share = item[1]
            head = share.head
            if head is None:
                continue
            if self.steps[index](share, head):
                self._ask_after_dispatch(share)
                index = 0
            elif index + 1 < len(self.steps):
                insort(self.lines[index + 1], item)

    # Which heads to ask.

    def _ask(self, share: ShareState, index: int) -> None:
        """Enter a share in a step's line, where it has a head that may go now."""
        state = self.state
        head = share.head
        if head is None or not (self._may_go(share, head) or state.assumptions.backfill):
            return
        item = (state.head_key(share, head), share)
        insort(self.lines[index], item)

    def _may_go(self, share: ShareState, head: JobRecord) -> bool:
        return share.claim is None and head.eligible_ms <= self.state.now_ms

    def _ask_first(self) -> None:
        state = self.state
        for share in state.touched:
            self._ask(share, 0)
        if not state.released:
            return
        state.released = False
        for share in state.shares.values():
            if share.head is None or share in state.touched:
                continue
            if share.lacking or self.asks_all:
                self._ask(share, 0)
            elif share.borrows or share.settings.in_share_preemption is State.ENABLED:
                self._ask(share, 1)

    def _ask_after_dispatch(self, share: ShareState) -> None:
        """Ask the share's next head, and whichever others the step may have helped."""
        state = self.state
        self.guard -= 1
        if self.guard < 0:
            raise SchedulingError(f"the pass at {state.now_ms} ms doesn't end; last dispatched in share {share.name!r}")
        state.touch(share)
        _refresh_head(state, share)
        if state.released or self.asks_all:
            for touched in state.touched:
                _refresh_head(state, touched)
            self._ask_everyone()
            state.released = False
            return
        self._ask(share, 0)
        for other in state.shares.values():
            if other.lacking and other is not share:
                for line in self.lines:
                    line[:] = [item for item in line if item[1] is not other]
                self._ask(other, 0)

    def _ask_everyone(self) -> None:
        self.is_held_up = False
        for line in self.lines:
            line.clear()
        for share in self.state.shares.values():
            self._ask(share, 0)

    # The steps. Each returns whether it dispatched a job (or made a claim for it).

    def _own(self, share: ShareState, head: JobRecord) -> bool:
        """Step 1: within the own limit, with victims in shares above theirs where room is short."""
        share.lacking = False
        if not share.fits_own(head.need.pairs) or not self._may_go(share, head):
            return False
        victims = cross_victims(self.state, head)
        if victims is None:
            share.lacking = True
            return False
        self._place(head, StartKind.OWN, victims, PreemptionKind.CROSS_SHARE)
        return True

    def _borrow(self, share: ShareState, head: JobRecord) -> bool:
        """Step 2: with borrowed capacity, nobody preempted."""
        state = self.state
        if not self._may_go(share, head):
            return False
        if not self.is_held_up and state.ledger.can_borrow(share, head.need.pairs):
            self._place(head, StartKind.BORROWED, [], PreemptionKind.CROSS_SHARE)
            return True
        if state.assumptions.borrow_fifo_strict and self._waits_for_pool(share, head):
            self.is_held_up = True
        return False

    def _waits_for_pool(self, share: ShareState, head: JobRecord) -> bool:
        """Whether only a lack of idle capacity keeps the head from borrowing (assumption A-29)."""
        pairs = head.need.pairs
        return (
            share.borrows
            and all(share.use[unit] + count <= share.max_use[unit] for unit, count in pairs)
            and not misconfiguration(self.state, share, pairs)
        )

    def _straddle(self, share: ShareState, head: JobRecord) -> bool:
        """Take back the own idle part and borrow the rest (assumption A-04's other value)."""
        victims = straddle_victims(self.state, head) if self._may_go(share, head) else None
        if not victims:
            return False
        self._place(head, StartKind.BORROWED, victims, PreemptionKind.CROSS_SHARE)
        return True

    def _in_share(self, share: ShareState, head: JobRecord) -> bool:
        """Step 3: in the room of jobs of the same share with strictly lower priority."""
        if share.settings.in_share_preemption is not State.ENABLED or not self._may_go(share, head):
            return False
        victims = in_share_victims(self.state, head)
        if not victims:
            return False
        self._place(head, StartKind.IN_SHARE, victims, PreemptionKind.IN_SHARE)
        return True

    def _backfill(self, share: ShareState, head: JobRecord) -> bool:
        """Let the first job behind the head go that fits into free room (assumption A-10's other value)."""
        state = self.state
        for record in share.in_order():
            if record is head or record.eligible_ms > state.now_ms:
                continue
            pairs = record.need.pairs
            if share.fits_own(pairs) and state.ledger.has_room(share, pairs):
                self._place(record, StartKind.OWN, [], PreemptionKind.CROSS_SHARE)
                return True
            if state.ledger.can_borrow(share, pairs):
                self._place(record, StartKind.BORROWED, [], PreemptionKind.CROSS_SHARE)
                return True
        return False

    def _place(self, record: JobRecord, start: StartKind, victims: list[JobRecord], kind: PreemptionKind) -> None:
        state = self.state
        if not victims:
            dispatch(state, record, start, ())
        elif state.timing.stopping_ms:
            make_claim(state, record, victims, kind, start)
        else:
            preempt(state, victims, kind, record, None)
            dispatch(state, record, start, tuple(victim.key for victim in victims))
