"""A run with all that is read from its trace as it happens, so that the trace need not be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..model.work import Scenario
from ..scheduler.trace import Sink, TraceEvent
from .judge import Judging, Verdict
from .metrics import Measures, Meter
from .outcome import Run
from .run import run_into

TRACED_MAX: Final = 20_000
"""Jobs up to which a run's trace is kept where it is only to be looked at: a million jobs' trace takes gigabytes."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A run, its measures, and a verdict for each expectation. The run's trace is empty where it was not kept."""

    run: Run
    measures: Measures
    verdicts: tuple[Verdict, ...]


def run_measured(scenario: Scenario, *also: Sink, is_traced: bool) -> Measured:
    """Run to the end, measure and judge; `also` are told every event too. Raises as `run` does."""
    meter, judging = Meter(scenario), Judging(scenario)
    trace: list[TraceEvent] | None = [] if is_traced else None
    keep = (trace.append,) if trace is not None else ()
    outcome = run_into(scenario, _all((meter, judging, *keep, *also)), trace)
    measures = meter.finish(outcome.end_ms)
    return Measured(outcome, measures, tuple(judging.finish(outcome, measures)))


def _all(sinks: Sequence[Sink]) -> Sink:
    """Return the sink that tells an event to each of several, in their order."""
    first, second, *rest = sinks

    def tell(event: TraceEvent) -> None:
        first(event)
        second(event)
        for sink in rest:
            sink(event)

    return tell
