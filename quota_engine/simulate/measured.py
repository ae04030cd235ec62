"""A run with all that is read from its trace as it happens, so that the trace need not be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from ..model.work import Scenario
from ..scheduler.trace import Sink, TraceEvent
from .judge import Judging, Verdict
from .metrics import Measures, Meter
from .outcome import Listener, Run
from .run import run_into

TRACED_MAX: Final = 20_000
"""Jobs up to which a run's trace is kept where it is only to be looked at: a million jobs' trace takes gigabytes."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A run, its measures, and a verdict for each expectation. The run's trace is empty where it was not kept."""

    run: Run
    measures: Measures
    verdicts: tuple[Verdict, ...]


def run_measured(scenario: Scenario, *also: Sink | Listener, is_traced: bool) -> Measured:
    """Run to the end, measure and judge; `also` are told the events too. Raises as `run` does."""
    meter, judging = Meter(scenario), Judging(scenario)
    trace: list[TraceEvent] | None = [] if is_traced else None
    keep = (trace.append,) if trace is not None else ()
    outcome = run_into(scenario, _each((meter, judging, *keep, *also)), trace)
    measures = meter.finish(outcome.end_ms)
    return Measured(outcome, measures, tuple(judging.finish(outcome, measures)))


def _each(sinks: Sequence[Sink | Listener]) -> Sink:
    """Return the sink that tells an event to each that takes its kind, in their order.

    Who takes a kind is found once: of a job's events some concern nobody, and few all.
    """
    kinds = get_args(TraceEvent)
    told = [sink.takers() if isinstance(sink, Listener) else dict.fromkeys(kinds, (sink,)) for sink in sinks]
    takers = {kind: [take for each in told for take in each.get(kind, ())] for kind in kinds}

    def tell(event: TraceEvent) -> None:
        for take in takers[type(event)]:
            take(event)

    return tell
