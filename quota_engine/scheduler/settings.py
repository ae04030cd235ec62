"""Changes of the queue, its shares and its environment while jobs run. Each says in words what it changed."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.stack import QuotaShare, ServiceEnvironment, State
from .inputs import PutQueue
from .ledger import EVERY_UNIT
from .state import SchedulerState, ShareState

_SHARE_FIELDS = ("capacity_limits", "strategy", "effective_borrow_limit_percent", "in_share_preemption", "state")
_SHOWN = {"effective_borrow_limit_percent": "borrow_limit"}


def put_shares(state: SchedulerState, shares: Iterable[QuotaShare]) -> tuple[str, ...]:
    """Create or change shares; new ones rank in the order given. Returns what changed, e.g. "QS1 capacity_limits"."""
    changes: list[str] = []
    for settings in shares:
        known = state.shares.get(settings.name)
        if known is None:
            known = ShareState(settings, state.next_rank, len(state.ledger.unit_names))
            state.next_rank += 1
            state.shares[settings.name] = known
            state.ledger.accounts.append(known)
            changes.append(f"{settings.name} created")
        else:
            changes.extend(
                f"{settings.name} {_SHOWN.get(name, name)}"
                for name in _SHARE_FIELDS
                if getattr(known.settings, name) != getattr(settings, name)
            )
            known.settings = settings
        known.takes_jobs = settings.state is State.ENABLED
        known.has_in_share = settings.in_share_preemption is State.ENABLED
        state.ledger.set_share(known, settings, state.assumptions)
    apply_settings(state)
    return tuple(changes)


def drop_share(state: SchedulerState, share: ShareState) -> None:
    """Forget a share whose jobs have all ended."""
    del state.shares[share.name]
    state.ledger.accounts.remove(share)
    state.touched.pop(share, None)
    state.waiting.pop(share, None)
    state.set_lacking(share, False)
    apply_settings(state)


def put_environment(state: SchedulerState, environment: ServiceEnvironment) -> tuple[str, ...]:
    changes = tuple(
        f"environment {name}"
        for name in ("capacity_limits", "state")
        if getattr(state.environment, name) != getattr(environment, name)
    )
    state.environment = environment
    state.is_placing = environment.state is State.ENABLED
    apply_settings(state)
    return changes


def put_queue(state: SchedulerState, given: PutQueue) -> tuple[str, ...]:
    changes = []
    if state.queue_state is not given.state:
        changes.append("queue state")
    if state.time_limit_actions != given.time_limit_actions:
        changes.append("queue job_state_time_limit_actions")
    state.queue_state = given.state
    state.takes_jobs = given.state is State.ENABLED
    state.time_limit_actions = given.time_limit_actions
    state.settings_changed = True
    return tuple(changes)


def apply_settings(state: SchedulerState) -> None:
    """Bring every amount that follows from the settings up to date, and have every head looked at anew."""
    state.ledger.set_limits(state.environment.capacity_limits)
    state.ledger.recount(state.assumptions)
    state.settings_changed = True
    state.released = EVERY_UNIT
    for share in state.shares.values():
        share.reason_of_need.clear()
        state.touch(share)
