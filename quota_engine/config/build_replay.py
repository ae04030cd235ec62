"""Checked data → `Replay`. What can't be checked key by key was judged in `replay_checks`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..model.replay import (
    Between,
    Clock,
    Columns,
    Counted,
    Each,
    Format,
    Lasting,
    Mapped,
    MaxBad,
    Needed,
    Replay,
    Unit,
    format_of,
    parse_max_bad,
)
from .build_scenario import CONTINUOUS, milliseconds

Data = Mapping[str, Any]

KEPT: Final = "kept"
"""The value of `times` that leaves times as they stand in the history."""

_ZONE: Final = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})")


def parse_zone(text: str) -> int | None:
    """Return the offset in ms that `+01:00`, `Z` or `UTC` means, None for what is none of them."""
    if text.upper() in ("Z", "UTC"):
        return 0
    match = _ZONE.fullmatch(text)
    if match is None or int(match[2]) > 14 or int(match[3]) > 59:
        return None
    minutes = int(match[2]) * 60 + int(match[3])
    return (-minutes if match[1] == "-" else minutes) * 60_000


def parse_bad(data: Data) -> MaxBad | None:
    """Return how many bad lines a replay allows, None where what it says is no such limit."""
    return parse_max_bad(str(data["max_bad"])) if "max_bad" in data else MaxBad()


def format_stated(data: Data) -> Format | None:
    """Return the format that is stated, or that the file's name tells."""
    return Format(data["format"]) if "format" in data else format_of(data.get("file", ""))


def build_replay(data: Data, file: str, units: tuple[str, ...]) -> Replay:
    """Build a replay of the history at `file`. `units` are the instance types of the queue's environment."""
    checkpoint = data.get("checkpoint")
    return Replay(
        file=file,
        format=format_stated(data) or Format.JSONL,
        shown=data["file"],
        delimiter=data.get("delimiter"),
        header=tuple(data.get("header", ())),
        share=_mapped(data["share"]) if "share" in data else None,
        instances=_needed(data["instances"], units) if "instances" in data else None,
        submit=_clock(data["submit"]) if "submit" in data else None,
        duration=_duration(data["duration"]) if "duration" in data else None,
        priority=_mapped(data["priority"]) if "priority" in data else None,
        name=data.get("name"),
        only={column: tuple(globs) for column, globs in data.get("only", {}).items()},
        limit=data.get("limit"),
        from_ms=milliseconds(data.get("from")),
        until_ms=milliseconds(data.get("until")),
        is_shifted=data.get("times") != KEPT,
        checkpoint_ms=None if checkpoint == CONTINUOUS else milliseconds(checkpoint),
        checkpoint_continuous=checkpoint == CONTINUOUS,
        preemption_retries=data.get("preemption_retries"),
        max_bad=parse_bad(data) or MaxBad(),
    )


def _mapped(data: Any) -> Mapped[Any]:
    """Build what a value is taken from; what is no map is the value of every line."""
    if not isinstance(data, Mapping):
        return Mapped(default=data)
    return Mapped(data["column"], data.get("map"), data.get("default"))


def _needed(data: Data, units: tuple[str, ...]) -> Needed:
    match data:
        case {"each": need}:
            return Each(need)
        case {"columns": columns}:
            return Columns(columns)
        case _:
            return Counted(
                column=data["column"],
                unit=_mapped(data["type"] if "type" in data else units[0]),
                per_instance=data.get("per_instance", 1),
                key=data.get("key"),
                times=data.get("times"),
            )


def _unit(data: Data) -> Unit | None:
    return Unit(data["unit"]) if "unit" in data else None


def _clock(data: str | Data, key: str = "column") -> Clock:
    if isinstance(data, str):
        return Clock(data)
    return Clock(data[key], _unit(data), parse_zone(data.get("zone", "Z")) or 0)


def _duration(data: str | Data) -> Lasting | Between:
    if isinstance(data, str):
        return Lasting(data)
    if "from" in data:
        return Between(_clock(data, "from"), _clock(data, "to"))
    return Lasting(data["column"], _unit(data))
