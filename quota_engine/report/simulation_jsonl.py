"""A simulation's event trace as JSON Lines: a line of what was run, then a line for each event, in order.

Events are as in the JSON report: `type`, `at_ms`, and the fields of `scheduler/trace.py`. Version 1. A line is made
alone, so that the trace of a long run need not be kept.
"""

from __future__ import annotations

import json

from quota_engine import __version__

from ..scheduler.trace import TraceEvent
from ..simulate import Run
from .simulation_json import event_as_json

VERSION = 1


def head(run: Run, events: int) -> str:
    """Return the first line, which says how the run ended and how many events follow."""
    first = {
        "type": "run",
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "description": run.scenario.description,
        "stack": run.scenario.stack.name,
        "queue": run.scenario.queue,
        "end_ms": run.end_ms,
        "events": events,
    }
    return f"{json.dumps(first, ensure_ascii=False)}\n"


def line(event: TraceEvent) -> str:
    """Return the line of an event."""
    return f"{json.dumps(event_as_json(event), ensure_ascii=False)}\n"
