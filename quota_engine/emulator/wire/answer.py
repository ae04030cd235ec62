"""An HTTP answer as a value, and the JSON in and out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import orjson

from ..texts import refuse

DEPTH_MAX: Final = 64
"""No request of these services nests deeper than a handful of levels."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (lower-case, latin-1) and body."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


def parse_json(body: bytes | str) -> Any:
    """Parse JSON text. Raises Refusal when it is none or nests too deeply."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise refuse("not-json") from None
    if depth_of(value, DEPTH_MAX) > DEPTH_MAX:
        raise refuse("too-deep")
    return value


def depth_of(value: Any, stop_at: int) -> int:
    """Return how deep a JSON value nests, looking no deeper than one level below `stop_at`."""
    level, depth = [value], 0
    while depth <= stop_at:
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return depth
        depth += 1
    return depth


def dump_json(value: Any) -> bytes:
    """Serialise to compact JSON."""
    return orjson.dumps(value)
