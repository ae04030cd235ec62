"""ListServiceJobs: its filters, which statuses each looks at, and the order of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ...scheduler.state import JobRecord
from ..call import Api, Call
from ..driver import QueueDriver
from ..store import JobEntry
from ..texts import refuse
from .jobviews import has_status, summarise
from .pages import Key, page
from .queues import existing_queue

_DEFAULT_STATUS: Final = "RUNNING"
_NAME, _BEFORE, _AFTER = "JOB_NAME", "BEFORE_CREATED_AT", "AFTER_CREATED_AT"
_FAIR_SHARE, _QUOTA_SHARE = "SHARE_IDENTIFIER", "QUOTA_SHARE_NAME"
_FILTERS: Final = (_NAME, _BEFORE, _AFTER, _FAIR_SHARE, _QUOTA_SHARE)
_LAST_MS: Final = (1 << 63) - 1

Wanted = Callable[[JobEntry], bool]


def list_service_jobs(call: Call, request: Api) -> Api:
    """List a queue's jobs, newest first; with JOB_NAME grouped by name.

    Without a filter the status defaults to RUNNING. The name and time filters ignore the status; a share filter applies
    it when given, and when not, takes all statuses unless the settings name one (assumption A-24).
    """
    if "jobQueue" not in request:
        raise refuse("required", member="jobQueue")
    driver = call.region.drivers[existing_queue(call, request["jobQueue"], "queue-not-found").name]
    driver.advance_to(call.at_ms)
    name, wanted = _filter(request)
    status = _status(call, request, name)
    chosen = _chosen(driver, wanted, status)
    by_key: Callable[[tuple[JobEntry, JobRecord]], Key] = _newest_first
    if name == _NAME:
        chosen, by_key = iter(sorted(chosen, key=_grouped_by_name)), _grouped_by_name
    found, token = page(chosen, by_key, request, "ListServiceJobs")
    return {"jobSummaryList": [summarise(*job, call.region.scope) for job in found], **token}


def _chosen(driver: QueueDriver, wanted: Wanted, status: str | None) -> Iterator[tuple[JobEntry, JobRecord]]:
    jobs = driver.state.jobs
    for entry in reversed(driver.entries):
        record = jobs[entry.job_id]
        if has_status(record, status) and wanted(entry):
            yield entry, record


def _newest_first(job: tuple[JobEntry, JobRecord]) -> Key:
    return (-job[0].seq,)


def _grouped_by_name(job: tuple[JobEntry, JobRecord]) -> Key:
    return (job[0].request["jobName"], -job[0].seq)


def _filter(request: Api) -> tuple[str | None, Wanted]:
    """Return the filter's name and its predicate. Raises Refusal for more than one, or one that is unknown."""
    filters = request.get("filters", [])
    if not filters:
        return None, lambda _entry: True
    name, values = filters[0].get("name"), filters[0].get("values", [])
    if len(filters) > 1 or len(values) != 1:
        raise refuse("one-filter")
    if name not in _FILTERS:
        raise refuse("filter", name=name, known=", ".join(_FILTERS))
    return name, _predicate(name, values[0])


def _predicate(name: str, value: str) -> Wanted:
    match name:
        case "JOB_NAME":
            text = value.lower()
            if text.endswith("*"):
                return lambda entry: entry.request["jobName"].lower().startswith(text[:-1])
            return lambda entry: entry.request["jobName"].lower() == text
        case "QUOTA_SHARE_NAME":
            return lambda entry: entry.request.get("quotaShareName") == value
        case "SHARE_IDENTIFIER":
            return lambda entry: entry.request.get("shareIdentifier") == value
    at_ms = _time(name, value)
    if name == _BEFORE:
        return lambda entry: entry.created_at_ms < at_ms
    return lambda entry: entry.created_at_ms > at_ms


def _time(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()) or len(value) > len(str(_LAST_MS)) or int(value) > _LAST_MS:
        raise refuse("filter-time", name=name)
    return int(value)


def _status(call: Call, request: Api, filter_name: str | None) -> str | None:
    """Return the status jobs must be in, None for any."""
    asked: str | None = request.get("jobStatus")
    if filter_name is None:
        return asked or _DEFAULT_STATUS
    if filter_name in (_FAIR_SHARE, _QUOTA_SHARE):
        return asked or call.settings.share_filter_status
    return None
