"""What an event of a job must look like to be used: checked once, as a line is read, so that nothing after has to.
A time that is null or 0 is one that is not told.

An event comes from outside, of a service that may change; one that is not as expected is a bad line with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from ..model.service_facts import LATEST_MS
from ..scheduler.status import JobStatus

_TEXTS: Final = ("jobId", "jobName", "jobQueue", "quotaShareName")
_TIMES: Final = ("scheduledAt", "startedAt", "stoppedAt")
_RETRIES: Final = "preemptionRetriesBeforeTermination"
_EARLIEST_MS: Final = 946_684_800_000
"""The year 2000: an earlier time is in seconds, or no time at all."""


def check_detail(detail: Mapping[str, Any]) -> None:
    """Raise KeyError, TypeError or ValueError where the detail of a state change is not as it must be."""
    if detail["status"] not in JobStatus.__members__:
        raise ValueError(f"its status is {detail['status']!r}, which is none of a service job")
    for name in _TEXTS:
        if not isinstance(detail[name], str):
            raise TypeError(f"its {name} is no text")
    _check_usage(detail.get("capacityUsage") or [])
    _check_time(detail["createdAt"], "createdAt")
    for name in _TIMES:
        if detail.get(name):
            _check_time(detail[name], name)
    for name, value in (
        ("schedulingPriority", detail.get("schedulingPriority")),
        (_RETRIES, _part(detail, "preemptionConfiguration").get(_RETRIES)),
    ):
        if value is not None and not _is_whole(value):
            raise ValueError(f"its {name} is {value!r}, no whole number")
    check_summary(detail)


def check_summary(detail: Mapping[str, Any]) -> None:
    """Raise TypeError or ValueError where the preemptions that a detail tells of are not as they must be."""
    summary = _part(detail, "preemptionSummary")
    count = summary.get("preemptedAttemptCount", 0)
    if not _is_whole(count):
        raise ValueError(f"its preemptedAttemptCount is {count!r}, no whole number")
    recent = summary.get("recentPreemptedAttempts") or []
    if not isinstance(recent, list) or not all(isinstance(one, dict) for one in recent):
        raise TypeError("its recentPreemptedAttempts are no list of objects")
    for one in recent:
        if one.get("stoppedAt"):
            _check_time(one["stoppedAt"], "stoppedAt")


def _check_usage(usage: object) -> None:
    if not isinstance(usage, list) or not all(isinstance(one, dict) for one in usage):
        raise TypeError("its capacityUsage is no list of objects")
    if not usage:
        raise ValueError("its capacityUsage is empty")
    for one in usage:
        if not isinstance(one["capacityUnit"], str):
            raise TypeError("its capacityUnit is no text")
        if not _is_whole(one["quantity"]) or one["quantity"] < 1:
            raise ValueError(f"its quantity is {one['quantity']!r}, no whole number from 1")


def _check_time(value: object, name: str) -> None:
    if not _is_number(value) or not _EARLIEST_MS <= value < LATEST_MS + 1:
        raise ValueError(f"its {name} is {value!r}, no time in ms since 1970")


def _part(detail: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object within the detail, empty where there is none."""
    found = detail.get(name) or {}
    if not isinstance(found, dict):
        raise TypeError(f"its {name} is no object")
    return found


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> TypeGuard[int | float]:
    """Whether it is a whole number from 0; the service writes some of them as 1.0."""
    return _is_number(value) and 0 <= value < LATEST_MS + 1 and value == int(value)
