"""A simulation for programs. Version 1.

Times and durations are integer milliseconds from the scenario's start, in names ending in `_ms`; amounts are
{unit: instances}; `events` is the trace as it happened, each with its `type` and the fields of `scheduler/trace.py`. Of
runs with very many jobs the trace is not kept: `jobs` and `events` are null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from quota_engine import __version__

from ..scheduler.trace import TraceEvent, members_of
from ..simulate import Divergence, Measures, Run, Tried, Verdict, timelines
from .measures_json import capacity_as_json, measures_as_json

VERSION = 1
_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def render(run: Run, verdicts: Sequence[Verdict], measures: Measures | None = None) -> str:
    """Return one JSON document for one scenario."""
    return json.dumps(as_json(run, verdicts, measures), indent=2) + "\n"


def as_json(
    run: Run, verdicts: Sequence[Verdict], measures: Measures | None = None, tried: Sequence[Tried] | None = None
) -> dict[str, Any]:
    """Return a simulation as plain data; `sensitivity` is null where it was not asked for."""
    scenario = run.scenario
    return {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "description": scenario.description,
        "stack": scenario.stack.name,
        "queue": scenario.queue,
        "end_ms": run.end_ms,
        "holds": all(verdict.holds for verdict in verdicts),
        "stopped_because": run.stopped_because or None,
        "assumptions_changed": _plain(run.assumptions.changed()),
        "verdicts": [_verdict(verdict) for verdict in verdicts],
        "jobs": [_plain(timeline) for timeline in timelines(run.trace, run.end_ms)] if run.is_traced else None,
        "refused": [event_as_json(event) for event in run.refused],
        "unfinished": [_plain(left) for left in run.unfinished],
        "capacity": capacity_as_json(scenario.capacity),
        "measures": None if measures is None else measures_as_json(measures),
        "sensitivity": None if tried is None else [_tried(one) for one in tried],
        "events": [event_as_json(event) for event in run.trace] if run.is_traced else None,
    }


def event_as_json(event: TraceEvent) -> dict[str, Any]:
    """Return one event of a trace as plain data, e.g. {"type": "preemption_started", "at_ms": 600000, …}."""
    return {"type": _WORD_START.sub("_", type(event).__name__).lower(), **_plain(members_of(event))}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "expectation": verdict.expectation.kind,
        "arguments": _plain(verdict.expectation.arguments),
        "index": verdict.expectation.index,
        "judgement": verdict.judgement.value,
        "holds": verdict.holds,
        "expected": verdict.expected,
        "seen": verdict.seen,
        "at_ms": verdict.at_ms,
    }


def _tried(tried: Tried) -> dict[str, Any]:
    return {
        "assumption": tried.number,
        "switch": tried.switch,
        "value": tried.value,
        "changes": tried.first is not None,
        "first": None if tried.first is None else _divergence(tried.first),
        "jobs": tried.jobs,
        "verdicts_turned": [
            {"index": turned.expectation.index, "held": turned.held, "holds": turned.holds, "seen": turned.seen}
            for turned in tried.turned
        ],
        "stopped_because": tried.stopped_because or None,
    }


def _divergence(first: Divergence) -> dict[str, Any]:
    return {
        "at_ms": first.at_ms,
        "job": first.job,
        "here": None if first.here is None else event_as_json(first.here),
        "otherwise": None if first.otherwise is None else event_as_json(first.otherwise),
    }


def _plain(value: Any) -> Any:
    """Turn dataclasses, enums, mappings and tuples into JSON's own types."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
