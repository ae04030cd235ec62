"""Driving the scheduler through a scenario, to its end.

A run always ends: at `until`, when nothing more can happen, or when jobs preempt one another without any ever ending.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..model.stack import State
from ..model.work import Scenario
from ..scheduler.advance import advance, next_due_ms
from ..scheduler.assumptions import Assumptions
from ..scheduler.blocked import misconfiguration
from ..scheduler.inputs import InputError
from ..scheduler.state import JobRecord, SchedulerState
from ..scheduler.status import JobStatus
from ..scheduler.trace import Dispatched, Failed, PreemptionStarted, Refused, Sink, Succeeded, TraceEvent
from .agenda import ScenarioError, agenda, inputs_of, queue_of
from .outcome import Run, Unfinished

__all__ = ["ScenarioError", "run", "run_into"]


@dataclass(slots=True)
class _Watch:
    """Passes events on; remembers the last instant and the assumptions, counts preemptions since a job last ended."""

    sink: Sink
    end_ms: int = 0
    preemptions: int = 0
    last: PreemptionStarted | None = None
    refused: list[Refused] = field(default_factory=list)
    rests_on: set[str] = field(default_factory=set)

    def __call__(self, event: TraceEvent) -> None:
        self.end_ms = event.at_ms
        look = _LOOKS.get(type(event))
        if look is not None:
            look(self, event)
        self.sink(event)

    def _dispatched(self, event: Dispatched) -> None:
        if event.assumptions:
            self.rests_on.update(event.assumptions)

    def _preempted(self, event: PreemptionStarted) -> None:
        self.preemptions += 1
        self.last = event
        self.rests_on.update(event.assumptions)

    def _ended(self, event: Succeeded | Failed) -> None:
        self.preemptions = 0

    def _refused(self, event: Refused) -> None:
        self.refused.append(event)


_LOOKS: Final[Mapping[type, Callable[[_Watch, Any], None]]] = {
    Dispatched: _Watch._dispatched,
    PreemptionStarted: _Watch._preempted,
    Succeeded: _Watch._ended,
    Failed: _Watch._ended,
    Refused: _Watch._refused,
}
"""What is remembered of each kind of event; of all others only their time."""


def run(scenario: Scenario) -> Run:
    """Run to the end and return everything. Raises AssumptionError or ScenarioError where a scenario can't be run."""
    trace: list[TraceEvent] = []
    return run_into(scenario, trace.append, trace)


def run_into(scenario: Scenario, sink: Sink, trace: list[TraceEvent] | None = None) -> Run:
    """Run to the end with the trace going to `sink`; the Run's own trace is `trace`, empty when None is given."""
    assumptions = Assumptions.of(scenario.assumptions)
    queue, environment = queue_of(scenario.stack, scenario.queue)
    state = SchedulerState.create(queue, environment, scenario.timing, assumptions)
    watch = _Watch(sink)
    _bring(scenario, state, watch)
    stopped_because = _let_run(scenario, state, watch)
    end_ms = watch.end_ms
    if scenario.until_ms is not None and not stopped_because:
        end_ms = scenario.until_ms if next_due_ms(state) is not None else min(end_ms, scenario.until_ms)
    return Run(
        scenario,
        assumptions,
        tuple(trace or ()),
        state.jobs,
        end_ms,
        tuple(_unfinished(state, record) for record in state.jobs.values() if not record.is_finished),
        tuple(watch.refused),
        stopped_because,
        tuple(sorted(watch.rests_on)),
    )


def _bring(scenario: Scenario, state: SchedulerState, watch: _Watch) -> None:
    """Advance through the scenario's own instants, as far as `until`."""
    queue, environment = queue_of(scenario.stack, scenario.queue)
    for instant in agenda(scenario):
        if scenario.until_ms is not None and instant.at_ms > scenario.until_ms:
            return
        try:
            inputs, queue, environment = inputs_of(instant, queue, environment)
            advance(state, instant.at_ms, inputs, watch)
        except InputError as error:
            raise ScenarioError(str(error)) from error


def _let_run(scenario: Scenario, state: SchedulerState, watch: _Watch) -> str:
    """Let what is due happen; return why the run was cut off, "" when it came to its end."""
    watch.preemptions = 0
    bound = 1_000 + 20 * len(state.jobs)
    while (due_ms := next_due_ms(state)) is not None:
        if scenario.until_ms is not None and due_ms > scenario.until_ms:
            advance(state, scenario.until_ms, (), watch)
            return ""
        advance(state, due_ms, (), watch)
        if watch.preemptions > bound and watch.last is not None:
            last = watch.last
            return (
                f"{watch.preemptions} preemptions in a row without a job ending; "
                f"the last: {last.job} preempted by {last.by} at {last.at_ms} ms"
            )
    return ""


def _unfinished(state: SchedulerState, record: JobRecord) -> Unfinished:
    reason, can_run = _why_unfinished(state, record)
    return Unfinished(record.key, record.share_name, record.status.value, reason, can_run)


def _why_unfinished(state: SchedulerState, record: JobRecord) -> tuple[str, bool]:
    """Return why a job has not ended, and whether it ever can run as things are set."""
    if record.status is not JobStatus.RUNNABLE:
        if record.stopping is not None:
            return f"is being stopped for {record.stopping.by}", True
        if record.job.duration_ms is None and record.job.exit is None:
            return "has no duration: it runs until something ends it", True
        return f"is still {record.status} at the end", True
    blocked = misconfiguration(state, record.share, record.need)
    if blocked:
        return blocked, False
    head = record.share.head
    if head is not None and head is not record:
        stuck = misconfiguration(state, record.share, head.need)
        if stuck:
            return f"waits behind {head.key}, which can never run: {stuck}", False
        return f"waits behind {head.key} in its share", True
    if state.environment.state is not State.ENABLED:
        return "the service environment is DISABLED", True
    if record.capacity_blocked:
        return record.status_reason, True
    return "waits for room: running jobs hold what it needs", True
