"""Restoring a queue from what can be seen of it gives the amounts, the heads and the next decisions of the queue."""

from __future__ import annotations

from hypothesis import given

from quota_engine.model.work import Scenario
from quota_engine.scheduler import DISPATCHED, JobStatus, SchedulerState, advance
from quota_engine.scheduler.restore import restore, situation_of
from quota_engine.scheduler.trace import TraceEvent
from tests.property.busy_histories import busy_histories
from tests.property.test_schedule_laws import EXAMPLES, instants


def heads(state: SchedulerState) -> dict[str, str | None]:
    return {name: share.head.key if share.head else None for name, share in state.shares.items()}


def use_by_name(state: SchedulerState) -> dict[str, dict[str, int]]:
    units = state.ledger.unit_numbers
    return {
        name: {unit: share.use[number] for unit, number in units.items() if share.use[number]}
        for name, share in state.shares.items()
    }


@EXAMPLES
@given(busy_histories())
def test_a_restored_queue_has_the_same_amounts_and_heads_and_nothing_new_to_do(scenario: Scenario) -> None:
    """A forecast starts from a restored queue; what it then shows must come from the change alone.

    Left out: instants with victims being stopped or jobs sent back by a capacity error, which can't be seen from
    outside in full.
    """
    for state in instants(scenario, []):
        if state.claims or any(one.stopping or one.capacity_blocked for one in state.jobs.values()):
            continue
        restored = restore(situation_of(state))
        assert use_by_name(restored) == use_by_name(state)
        trace: list[TraceEvent] = []
        advance(restored, state.now_ms, (), trace.append)
        assert heads(restored) == heads(state)
        assert not any(
            one.status in DISPATCHED and state.jobs[one.key].status is JobStatus.RUNNABLE
            for one in restored.jobs.values()
        )
