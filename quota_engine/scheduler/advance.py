"""Moving a queue through time: what falls due fires, inputs are applied, one scheduling pass follows. Nothing else.

Time comes from the caller only. All events of one instant are applied before one pass, in one canonical order. Where
that pass makes something fall due in the same instant (a phase or a job that takes no time), the instant goes on: fire,
pass, until nothing is due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop
from typing import Final

from ..model.service_facts import time_limit_reason_text
from ..model.work import CapacityError, Fail, Job, Terminate, UpdatePriority
from .ends import (
    ATTEMPT_TIMEOUT_REASON,
    SHARE_DELETED_REASON,
    end_by_itself,
    fail,
    fail_attempt,
    send_back,
    succeed,
)
from .inputs import (
    Complete,
    Input,
    InputError,
    JobInput,
    PutEnvironment,
    PutQueue,
    PutShare,
    RemoveShare,
    Submit,
    canonical_key,
)
from .life import begin_running, begin_starting, submit, update_priority, wait
from .settings import drop_share, put_environment, put_queue, put_shares
from .state import SEQ_BITS, JobRecord, SchedulerState
from .status import DISPATCHED, RUNNING
from .step import place_at_once, run_pass
from .stopping import complete_preemption
from .trace import InputIgnored, SettingsChanged, Sink


def advance(state: SchedulerState, to_ms: int, inputs: Sequence[Input] = (), sink: Sink | None = None) -> None:
    """Bring the state to `to_ms`, then apply the inputs of that instant and run one scheduling pass.

    `sink` receives every event in order. Raises InputError, with nothing changed by the faulty input, when time goes
    backwards, an input is for another instant, a share to remove is unknown, or a job can't be.
    """
    if to_ms < state.now_ms:
        raise InputError(f"time can't go back from {state.now_ms} ms to {to_ms} ms")
    former = state.emit
    if sink is not None:
        state.emit = sink
    timers = state.timers
    try:
        if timers and timers[0][0] <= to_ms:
            _run_until(state, to_ms)
        state.now_ms = to_ms
        if len(inputs) == 1 and isinstance(given := inputs[0], Submit):
            _arrive(state, given.job)
        elif inputs:
            _apply_all(state, inputs if len(inputs) < 2 else sorted(inputs, key=canonical_key))
        run_pass(state)
        if timers and timers[0][0] <= to_ms:
            _finish_instant(state)
    finally:
        state.emit = former


def run_out(state: SchedulerState, sink: Sink | None = None) -> None:
    """Advance for as long as anything falls due by itself. Ends only if the jobs do."""
    former = state.emit
    if sink is not None:
        state.emit = sink
    try:
        while (entry := state.next_timer()) is not None:
            state.now_ms = entry[0]
            _finish_instant(state)
    finally:
        state.emit = former


def next_due_ms(state: SchedulerState) -> int | None:
    """Return when something happens by itself next, None when nothing will."""
    entry = state.next_timer()
    return None if entry is None else entry[0]


def _run_until(state: SchedulerState, to_ms: int) -> None:
    """Let every instant before `to_ms` happen, and fire what is due at `to_ms`, which is not over yet."""
    timers = state.timers
    while timers and timers[0][0] < to_ms:
        state.now_ms = timers[0][0]
        if _fire_due(state):
            run_pass(state)
    state.now_ms = to_ms
    if timers and timers[0][0] <= to_ms:
        _fire_due(state)


def _finish_instant(state: SchedulerState) -> None:
    """Fire and pass until nothing more is due now."""
    timers = state.timers
    while timers and timers[0][0] <= state.now_ms:
        if _fire_due(state):
            run_pass(state)


def _fire_due(state: SchedulerState) -> bool:
    """Fire every live timer due by now, in the order of timers; tell whether there was one."""
    fired = False
    timers, now_ms = state.timers, state.now_ms
    while timers and timers[0][0] <= now_ms:
        _, order, token, record = heappop(timers)
        if token == record.token:
            record.token = 0
        elif token != record.share.blocked_token:
            continue
        _FIRE[order >> SEQ_BITS](state, record)
        fired = True
    return fired


def _time_out(state: SchedulerState, record: JobRecord) -> None:
    fail(state, record, ATTEMPT_TIMEOUT_REASON)


def _become_eligible(state: SchedulerState, record: JobRecord) -> None:
    state.touch(record.share)


def _time_limit(state: SchedulerState, record: JobRecord) -> None:
    """End a head that has been blocked for too long. UG: Jobs stuck in a RUNNABLE status."""
    fail(state, record, time_limit_reason_text(record.share.blocked_code), terminated=True)


_FIRE: Final[tuple[Callable[[SchedulerState, JobRecord], None], ...]] = (
    end_by_itself,
    complete_preemption,
    _time_out,
    _become_eligible,
    _time_limit,
    begin_starting,
    begin_running,
)
"""What each timer does, by rank: END, STOPPED, TIMEOUT, ELIGIBLE, TIME_LIMIT, START, RUN."""


def _arrive(state: SchedulerState, job: Job) -> None:
    """Take in the only job that arrives now; it may go without having waited."""
    record = submit(state, job)
    if record is not None and not place_at_once(state, record):
        wait(state, record)


def _apply_all(state: SchedulerState, inputs: Sequence[Input]) -> None:
    """Apply inputs in the canonical order; all settings of the instant are one event of the trace."""
    changes: list[str] = []
    for given in inputs:
        match given:
            case Submit():
                if changes:
                    _emit_settings(state, changes)
                if (record := submit(state, given.job)) is not None:
                    wait(state, record)
            case RemoveShare(name=name):
                _remove_share(state, name)
            case PutShare(share=share):
                changes.extend(put_shares(state, (share,)))
            case PutEnvironment(environment=environment):
                changes.extend(put_environment(state, environment))
            case PutQueue():
                changes.extend(put_queue(state, given))
            case _:
                if changes:
                    _emit_settings(state, changes)
                _apply_to_job(state, given)
    if changes:
        _emit_settings(state, changes)


def _emit_settings(state: SchedulerState, changes: list[str]) -> None:
    state.emit(SettingsChanged(state.now_ms, tuple(changes)))
    changes.clear()


def _remove_share(state: SchedulerState, name: str) -> None:
    share = state.shares.get(name)
    if share is None:
        raise InputError(f"there is no quota share {name!r} to remove")
    state.emit(SettingsChanged(state.now_ms, (f"{name} removed",)))
    for record in (*share.in_order(), *share.running.values()):
        fail(state, record, SHARE_DELETED_REASON, terminated=True)
    drop_share(state, share)


def _apply_to_job(state: SchedulerState, given: JobInput) -> None:
    if given.at_ms != state.now_ms:
        raise InputError(f"an input for {given.at_ms} ms was given for {state.now_ms} ms (job {given.job!r})")
    record = state.jobs.get(given.job)
    refusal = "there is no such job at this time" if record is None else _unheeded(given, record)
    if record is None or refusal:
        state.emit(InputIgnored(state.now_ms, given.job, type(given).__name__, refusal))
        return
    match given:
        case UpdatePriority(priority=priority):
            update_priority(state, record, priority)
        case Complete():
            succeed(state, record)
        case Terminate(reason=reason):
            fail(state, record, reason, terminated=True)
        case Fail(reason=reason):
            fail_attempt(state, record, reason)
        case CapacityError():
            send_back(state, record)


def _unheeded(given: JobInput, record: JobRecord) -> str:
    """Return why an input finds its job in no state to heed it, "" when it does."""
    status = record.status
    if record.is_finished:
        return f"the job has ended {status}"
    match given:
        case Complete() if status is not RUNNING:
            return f"the job is {status}, not RUNNING"
        case Fail() | CapacityError() if status not in DISPATCHED:
            return f"the job is {status}, not dispatched"
        case CapacityError() if record.stopping is not None:
            return "the job is being preempted"
        case _:
            return ""
