"""JSON Lines: an object a line, of any keys, or what `quota-engine history` or EventBridge write, by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import Any, Final

from ..model.job_history import RecordedJob, from_line
from ..model.replay import Format
from ..model.service_facts import ENDED_STATUSES, STATE_CHANGE
from .table import Getter, Numbered, Table, UnknownColumn, too_long
from .values import BadValue, LeftOut

_FIELDS: Final = tuple(RecordedJob.__dataclass_fields__)

Row = RecordedJob | Mapping[str, Any]


def recognise(lines: Numbered, stated: Format) -> tuple[Format, Numbered]:
    """Return how JSON Lines are to be taken, by the first of them, and all the lines. There must be one."""
    source = iter(lines)
    first = next(source)
    found = _recognised(first[1]) if stated is Format.JSONL and first[1] is not None else stated
    return found, chain([first], source)


def _recognised(line: str) -> Format:
    try:
        first = _object(line)
    except BadValue:
        return Format.JSONL
    if "detail-type" in first and "detail" in first:
        return Format.EVENTS
    return Format.HISTORY if {"version", "job_id", "share", "created_at_ms"} <= first.keys() else Format.JSONL


def read_json_lines(lines: Numbered, kind: Format) -> Table:
    """Read lines of one kind. Rows of HISTORY and EVENTS are `RecordedJob`s."""
    match kind:
        case Format.HISTORY:
            return Table(_rows(lines, _recorded), _recorded_getter, attrgetter("instances"))
        case Format.EVENTS:
            return Table(_rows(lines, _ends()), _recorded_getter, attrgetter("instances"))
        case _:
            return Table(_rows(lines, _object), _member)


def _rows(lines: Numbered, parse: Callable[[str], Row]) -> Iterator[tuple[int, Row | BadValue | LeftOut]]:
    for line_number, line in lines:
        if line is None:
            yield line_number, too_long()
        elif line and not line.isspace():
            try:
                yield line_number, parse(line)
            except (BadValue, LeftOut) as reason:
                yield line_number, reason


def _object(line: str) -> Mapping[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadValue("the line is not JSON") from error
    if not isinstance(data, dict):
        raise BadValue("the line is no JSON object")
    return data


def _member(column: str) -> Getter:
    """Return what reads a member by its key, or by a path such as `detail.jobName` where there is no such key."""
    steps = column.split(".")

    def read(row: Mapping[str, Any]) -> object:
        if column in row:
            return row[column]
        here: object = row
        for step in steps:
            here = here.get(step) if isinstance(here, dict) else None
        return here

    return read


def _recorded(line: str) -> RecordedJob:
    try:
        return from_line(line)
    except ValueError as error:
        raise BadValue(str(error)) from error


def _recorded_getter(column: str) -> Getter:
    if column not in _FIELDS:
        raise UnknownColumn(column, _FIELDS)
    return attrgetter(column)


def _ends() -> Callable[[str], RecordedJob]:
    """Return what takes the event of each job's end, once: events are delivered at least once."""
    ended: set[str] = set()

    def parse(line: str) -> RecordedJob:
        event = _object(line)
        detail = event.get("detail")
        if event.get("detail-type") != STATE_CHANGE or not isinstance(detail, dict):
            raise LeftOut("an event about something else")
        if detail.get("status") not in ENDED_STATUSES:
            raise LeftOut("an event before the job's end")
        job = _of_detail(detail)
        if job.job_id in ended:
            raise LeftOut("an event that came twice")
        ended.add(job.job_id)
        return job

    return parse


def _of_detail(detail: Mapping[str, Any]) -> RecordedJob:
    """Return the job that a state change event tells of."""
    created, begun, stopped = (_whole(detail.get(key)) for key in ("createdAt", "startedAt", "stoppedAt"))
    if created is None:
        raise BadValue("the event has no createdAt")
    return RecordedJob(
        queue=_text(detail, "jobQueue"),
        job_id=_text(detail, "jobId"),
        job_name=_text(detail, "jobName"),
        share=_text(detail, "quotaShareName"),
        status=_text(detail, "status"),
        instances=_usage(detail.get("capacityUsage")),
        created_at_ms=created,
        started_at_ms=begun,
        stopped_at_ms=stopped,
        duration_ms=None if begun is None or stopped is None else stopped - begun,
        priority=_whole(detail.get("schedulingPriority")),
    )


def _usage(usage: object) -> dict[str, int]:
    need: dict[str, int] = {}
    for one in usage if isinstance(usage, list) else ():
        unit, count = (one.get("capacityUnit"), one.get("quantity")) if isinstance(one, dict) else (None, None)
        if not isinstance(unit, str) or not isinstance(count, int | float) or count != count or count in _INFINITE:
            raise BadValue("the event's capacityUsage is not of units and quantities")
        need[unit] = int(count)
    return need


_INFINITE: Final = (float("inf"), float("-inf"))


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(detail: Mapping[str, Any], key: str) -> str:
    value = detail.get(key)
    if not isinstance(value, str):
        raise BadValue(f"the event has no {key}")
    return value
