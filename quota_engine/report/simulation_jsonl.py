"""A simulation's event trace as JSON Lines: a line of what was run, then a line for each event, in order.

Events are as in the JSON report: `type`, `at_ms`, and the fields of `scheduler/trace.py`. Version 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quota_engine import __version__

from ..simulate import Run
from .simulation_json import event_as_json

VERSION = 1


def render(run: Run) -> str:
    """Return the lines."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in _lines(run))


def _lines(run: Run) -> Iterator[dict[str, Any]]:
    yield {
        "type": "run",
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "description": run.scenario.description,
        "stack": run.scenario.stack.name,
        "queue": run.scenario.queue,
        "end_ms": run.end_ms,
        "events": len(run.trace),
    }
    for event in run.trace:
        yield event_as_json(event)
