"""Why a head can never run as things are set, and the time limits on such heads.

Only the job at the front of a share shows a blocked reason. UG: Jobs stuck in a RUNNABLE status, and its pages on
misconfiguration and capacity. A job that merely waits for room has none.
"""

from __future__ import annotations

from ..model import service_facts
from .ledger import Need, Pairs
from .state import JobRecord, SchedulerState, ShareState
from .status import JobStatus
from .trace import Blocked


def misconfiguration(state: SchedulerState, share: ShareState, need: Need) -> str:
    """Return the statusReason for a need that no free room could ever serve, "" when there is none (A-17)."""
    reason = share.reason_of_need.get(need)
    if reason is None:
        pairs = need.pairs
        checks = [_exceeds_environment(state, pairs), _exceeds_share(state, share, pairs)]
        if state.assumptions.blocked_reason_order == "share_first":
            checks.reverse()
        reason = share.reason_of_need[need] = next((found for found in checks if found), "")
    return reason


def _exceeds_environment(state: SchedulerState, pairs: Pairs) -> str:
    limit = state.ledger.limit
    return service_facts.BLOCKED_BY_ENVIRONMENT if any(count > limit[unit] for unit, count in pairs) else ""


def _exceeds_share(state: SchedulerState, share: ShareState, pairs: Pairs) -> str:
    """The three texts of the quota page, in its order."""
    if not share.borrows:
        above = any(count > share.cap[unit] for unit, count in pairs)
        return service_facts.BLOCKED_BY_CAPACITY_LIMIT if above else ""
    if any(count > share.max_use[unit] for unit, count in pairs):
        return service_facts.BLOCKED_BY_BORROW_LIMIT
    if any(count > state.ledger.most_for(share, unit, state.assumptions) for unit, count in pairs):
        return service_facts.BLOCKED_BY_LENDABLE
    return ""


def code_of(reason: str) -> str:
    """Return the part before " - ", which time-limit actions name."""
    return reason.split(" - ", 1)[0]


def mark_head(state: SchedulerState, share: ShareState) -> None:
    """Bring the statusReason of the share's head up to date, and its time limit with it."""
    head = share.head
    share.is_marked = True
    if share.blocked_record is not None and share.blocked_record is not head:
        _unblock(state, share)
    if head is None:
        return
    reason = misconfiguration(state, share, head.need)
    if not reason and head.capacity_blocked:
        reason = service_facts.BLOCKED_BY_SAGEMAKER_CAPACITY
    if not reason:
        if share.blocked_record is not None:
            _unblock(state, share)
        return
    if share.blocked_record is None or share.blocked_code != code_of(reason):
        if share.blocked_record is not None:
            leave_block(state, share)
        share.blocked_record = head
        share.blocked_code = code_of(reason)
        share.blocked_since_ms = state.now_ms
        set_time_limit(state, share)
    elif head.status_reason == reason:
        return
    head.status_reason = reason
    state.emit(Blocked(state.now_ms, head.key, share.name, reason))


def set_time_limit(state: SchedulerState, share: ShareState) -> None:
    """Set (or lift) the time limit of the share's blocked head from the queue's actions."""
    record = share.blocked_record
    share.blocked_token = 0
    if record is None:
        return
    for action in state.time_limit_actions:
        if action.reason == share.blocked_code:
            shown_ms = record.capacity_wait_ms if action.reason == service_facts.INSUFFICIENT_CAPACITY else 0
            due_ms = share.blocked_since_ms + action.max_time_seconds * 1000 - shown_ms
            state.set_block_timer(share, record, max(state.now_ms, due_ms))
            return


def leave_block(state: SchedulerState, share: ShareState) -> None:
    """The blocked head is no longer shown as such; capacity waits add up over its submissions."""
    record = share.blocked_record
    if record is not None and share.blocked_code == service_facts.INSUFFICIENT_CAPACITY:
        record.capacity_wait_ms += state.now_ms - share.blocked_since_ms
    share.blocked_record = None
    share.blocked_code = ""
    share.blocked_token = 0


def _unblock(state: SchedulerState, share: ShareState) -> None:
    record: JobRecord | None = share.blocked_record
    leave_block(state, share)
    if record is not None and record.status is JobStatus.RUNNABLE:
        record.status_reason = ""
        state.emit(Blocked(state.now_ms, record.key, share.name, ""))
