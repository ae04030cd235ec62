"""Recorded jobs of a queue, finished and unfinished: the value, and its line of JSON Lines, to write and to read.

docs/history.md describes the line.

Times are the service's, in ms since the epoch. What the service did not say is None, never 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from .service_facts import JOB_STATUSES, LATEST_MS
from .stack import Capacity

VERSION: Final = 1

Times = tuple[tuple[int | None, int | None], ...]
"""(when it began to run, when it stopped) of several attempts; one that never ran has no beginning."""


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """One job as it was when it was listed. `instances` is {unit: count}; `status` is the service's.

    `duration_ms` is how long its last attempt was RUNNING, None until it has ended. What follows it is known only where
    each job was described: `attempts` counts those made so far, `attempt_times` are when each began to run and stopped,
    `preempted_times` the same of the preempted ones that the service still knows; both in order of time.
    """

    queue: str
    job_id: str
    job_name: str
    share: str
    status: str
    instances: Capacity
    created_at_ms: int
    scheduled_at_ms: int | None = None
    started_at_ms: int | None = None
    stopped_at_ms: int | None = None
    duration_ms: int | None = None
    priority: int | None = None
    preempted_count: int | None = None
    attempts: int | None = None
    attempt_times: Times | None = None
    preempted_times: Times | None = None


def to_line(job: RecordedJob) -> str:
    """Return the job as one line, with its line feed."""
    return json.dumps({"version": VERSION, **asdict(job)}, ensure_ascii=False) + "\n"


class LineError(ValueError):
    """A line that holds no recorded job; the text says why."""


def from_line(line: str) -> RecordedJob:
    """Return the job of one line; keys that this version doesn't know are passed over. Raises LineError."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LineError(f"it is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise LineError("it is no JSON object")
    if data.get("version") != VERSION:
        raise LineError(f"its version is {data.get('version')!r}, this one reads version {VERSION}")
    return RecordedJob(**{name: _value(data, name) for name in _NAMES if name in _REQUIRED or name in data})


_NAMES: Final = tuple(item.name for item in fields(RecordedJob))
_REQUIRED: Final = ("queue", "job_id", "job_name", "share", "status", "instances", "created_at_ms")
_TIMES: Final = ("attempt_times", "preempted_times")
_TEXTS: Final = ("queue", "job_id", "job_name", "share")
_COUNTS: Final = ("preempted_count", "attempts")
COUNT_MAX: Final = 100_000
"""Attempts and preemptions of a job that can be meant."""


def _value(data: Mapping[str, Any], name: str) -> Any:
    """Return one member, judged by what the field holds."""
    value: Any = data.get(name)
    if name == "instances":
        if not isinstance(value, dict) or not all(_is_count(count) for count in value.values()):
            raise LineError("its instances are not {unit: count}")
    elif name == "status":
        if value not in JOB_STATUSES:
            raise LineError(f"its status is {value!r}, which is none of a service job")
    elif name in _COUNTS and isinstance(value, int) and value > COUNT_MAX:
        raise LineError(f"its {name} is {value}, more than {COUNT_MAX:,}")
    elif name in _TIMES:
        return None if value is None else _times(name, value)
    elif name in _TEXTS:
        if not isinstance(value, str):
            raise LineError(f"its {name} is no text")
    elif not (_is_count(value) or (value is None and name not in _REQUIRED)):
        raise LineError(f"its {name} is no whole number")
    elif value is not None and value > LATEST_MS:
        raise LineError(f"its {name} is {value}, later than the year 9999")
    return value


def _times(name: str, value: object) -> Times:
    if not isinstance(value, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(one is None or _is_count(one) for one in pair)
        for pair in value
    ):
        raise LineError(f"its {name} are not [[begun, stopped], …] in ms")
    return tuple((begun, stopped) for begun, stopped in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
