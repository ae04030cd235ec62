"""A moment of a scenario: the queue as it stands then, and the trace up to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..model.work import Scenario
from ..scheduler.advance import advance
from ..scheduler.assumptions import Assumptions
from ..scheduler.inputs import InputError
from ..scheduler.restore import Situation, situation_of
from ..scheduler.state import JobRecord, SchedulerState
from ..scheduler.trace import TraceEvent
from ..simulate.agenda import ScenarioError, agenda, inputs_of, queue_of


@dataclass(frozen=True, slots=True)
class Moment:
    """`situation` holds the unfinished jobs, `records` all that had come by then."""

    situation: Situation
    trace: tuple[TraceEvent, ...]
    records: dict[str, JobRecord]


def moment_of(scenario: Scenario, at_ms: int | None) -> Moment:
    """Run a scenario up to `at_ms`, None for the last instant that it states. Raises ScenarioError, AssumptionError."""
    queue, environment = queue_of(scenario.stack, scenario.queue)
    state = SchedulerState.create(queue, environment, scenario.timing, Assumptions.of(scenario.assumptions))
    trace: list[TraceEvent] = []
    for instant in agenda(scenario):
        if at_ms is not None and instant.at_ms > at_ms:
            break
        try:
            inputs, queue, environment = inputs_of(instant, queue, environment)
            advance(state, instant.at_ms, inputs, trace.append)
        except InputError as error:
            raise ScenarioError(str(error)) from error
    if at_ms is not None:
        advance(state, at_ms, (), trace.append)
    situation = situation_of(state)
    return Moment(replace(situation, queue=replace(situation.queue, name=queue.name)), tuple(trace), state.jobs)
