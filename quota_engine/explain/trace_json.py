"""A trace as JSON, read back: the form that the emulator gives at /_emulator/trace and that files keep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..model.trouble import Trouble
from ..scheduler import trace as events
from ..scheduler.trace import PreemptionKind, RequeueCause, StartKind, TraceEvent

_TYPES: Mapping[str, type[Any]] = {
    name: found for name, found in vars(events).items() if isinstance(found, type) and hasattr(found, "__slots__")
}
_ENUMS: Mapping[tuple[str, str], type[Any]] = {
    ("Dispatched", "start"): StartKind,
    ("PreemptionStarted", "kind"): PreemptionKind,
    ("PreemptionCompleted", "kind"): PreemptionKind,
    ("Requeued", "cause"): RequeueCause,
}


def read_trace(text: str, file: str) -> tuple[list[TraceEvent], dict[str, str]]:
    """Return the events and {job id: name}; raises Trouble for a text that is no trace."""
    try:
        document = json.loads(text)
        items = document["events"]
        trace = [_event(item) for item in items]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error)
        raise Trouble(
            f"{file} is not a trace that can be read", why=reason, fix="save what /_emulator/trace?queue=NAME answers"
        ) from error
    names: dict[str, str] = {}
    for item in items:
        for member in ("job", "by"):
            if f"{member}_name" in item:
                names[item[member]] = item[f"{member}_name"]
    return trace, names


def _event(item: Mapping[str, Any]) -> TraceEvent:
    kind = str(item["event"])
    made = _TYPES[kind]
    values: dict[str, Any] = {}
    for member in fields(made):
        if member.name not in item:
            continue
        value = item[member.name]
        enum = _ENUMS.get((kind, member.name))
        values[member.name] = enum(value) if enum else tuple(value) if isinstance(value, list) else value
    event: TraceEvent = made(**values)
    return event
