"""A trace as JSON, read back: the form that the emulator gives at /_emulator/trace and that files keep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from ..model.trouble import Trouble
from ..scheduler.trace import PreemptionKind, RequeueCause, StartKind, TraceEvent

_TYPES: Mapping[str, type[Any]] = {made.__name__: made for made in get_args(TraceEvent)}
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
        items = document["events"] if isinstance(document, Mapping) else None
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise ValueError("it has no list of events")
        trace = [_event(item) for item in items]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it has no {error.args[0]}, or knows no such event" if isinstance(error, KeyError) else str(error)
        if isinstance(error, RecursionError):
            reason = "it is nested too deeply"
        raise Trouble(
            f"{file} is not a trace that can be read", why=reason, fix="save what /_emulator/trace?queue=NAME answers"
        ) from error
    names: dict[str, str] = {}
    for item in items:
        for member in ("job", "by"):
            if f"{member}_name" in item:
                names[item[member]] = item[f"{member}_name"]
    return trace, names


_TEXTS = frozenset({"job", "by", "share", "by_share"})
_LATEST_MS = 10**14
"""The year 5138: later is no time that anything happened at, and no calendar goes there."""


def _check(name: str, value: object) -> None:
    """Raise ValueError for what an event can't hold: it would only be noticed where it is told."""
    if name in _TEXTS and not isinstance(value, str):
        raise ValueError(f"the {name} of an event is {value!r}, not text")
    if name == "at_ms" and (not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LATEST_MS):
        raise ValueError(f"an event's at_ms is {value!r}, not a time in ms")


def _event(item: Mapping[str, Any]) -> TraceEvent:
    kind = str(item["event"])
    made = _TYPES[kind]
    values: dict[str, Any] = {}
    for name in made.__struct_fields__:
        if name not in item:
            continue
        value = item[name]
        _check(name, value)
        enum = _ENUMS.get((kind, name))
        values[name] = enum(value) if enum else tuple(value) if isinstance(value, list) else value
    event: TraceEvent = made(**values)
    return event
