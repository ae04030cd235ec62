"""ListServiceJobs: its filters, which statuses each looks at, and the order of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...scheduler.status import JobStatus
from ..call import Api, Call
from ..driver import QueueDriver
from ..index import created_between
from ..texts import refuse
from .jobviews import summarise
from .pages import Key, Start, page_from
from .queues import existing_queue

_DEFAULT_STATUS: Final = "RUNNING"
_NAME, _BEFORE, _AFTER = "JOB_NAME", "BEFORE_CREATED_AT", "AFTER_CREATED_AT"
_FAIR_SHARE, _QUOTA_SHARE = "SHARE_IDENTIFIER", "QUOTA_SHARE_NAME"
_FILTERS: Final = (_NAME, _BEFORE, _AFTER, _FAIR_SHARE, _QUOTA_SHARE)
_LAST_MS: Final = (1 << 63) - 1


def list_service_jobs(call: Call, request: Api) -> Api:
    """List a queue's jobs, newest first; with JOB_NAME grouped by name.

    Without a filter the status defaults to RUNNING. The name and time filters ignore the status; a share filter applies
    it when given, and when not, takes all statuses unless the settings name one (assumption A-24).
    """
    if "jobQueue" not in request:
        raise refuse("required", member="jobQueue")
    driver = call.region.drivers[existing_queue(call, request["jobQueue"], "queue-not-found").name]
    driver.advance_to(call.at_ms)
    found, token = page_from(_start(call, driver, request), _key, request, "ListServiceJobs")
    entries = [driver.entries[-int(key[-1])] for key in found]
    jobs = [summarise(entry, driver.state.jobs[entry.job_id], call.region.scope) for entry in entries]
    return {"jobSummaryList": jobs, **token}


def _key(found: Key) -> Key:
    """A job's key is its number negated, so that the newest comes first; with JOB_NAME after both parts of its name."""
    return found


def _start(call: Call, driver: QueueDriver, request: Api) -> Start[Key]:
    """Return where the list begins: what its filter and its status choose, after a key."""
    name, value = _filter(request)
    match name:
        case "JOB_NAME":
            return lambda after: _called(driver, value, after)
        case "BEFORE_CREATED_AT":
            return _between(created_between(driver.created_ms, None, _time(name, value)))
        case "AFTER_CREATED_AT":
            return _between(created_between(driver.created_ms, _time(name, value), None))
        case "SHARE_IDENTIFIER":
            return lambda _after: ()  # no job has one: fair-share queues take none
    share = value if name == _QUOTA_SHARE else None
    status = _status(call, request, name)
    return lambda after: ((-number,) for number in driver.index.newest(share, status, _last_number(after)))


def _between(numbers: range) -> Start[Key]:
    def start(after: Key | None) -> Iterator[Key]:
        last = _last_number(after)
        end = numbers.stop if last is None else min(numbers.stop, last)
        return ((-number,) for number in reversed(range(numbers.start, end)))

    return start


def _last_number(after: Key | None) -> int | None:
    """Return the number of the last job of the page before. Raises Refusal for a forged token."""
    match after:
        case None:
            return None
        case (int(negated),):
            return -negated
    raise refuse("next-token")


def _called(driver: QueueDriver, text: str, after: Key | None) -> Iterator[Key]:
    match after:
        case None:
            seen = None
        case (str(folded), str(name), int(negated)):
            seen = (folded, name, -negated)
        case _:
            raise refuse("next-token")
    return ((*name, -number) for name, number in driver.index.called(text, seen))


def _filter(request: Api) -> tuple[str | None, str]:
    """Return the filter's name and value. Raises Refusal for more than one, or one that is unknown."""
    filters = request.get("filters", [])
    if not filters:
        return None, ""
    name, values = filters[0].get("name"), filters[0].get("values", [])
    if len(filters) > 1 or len(values) != 1:
        raise refuse("one-filter")
    if name not in _FILTERS:
        raise refuse("filter", name=name, known=", ".join(_FILTERS))
    return name, values[0]


def _time(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()) or len(value) > len(str(_LAST_MS)) or int(value) > _LAST_MS:
        raise refuse("filter-time", name=name)
    return int(value)


def _status(call: Call, request: Api, filter_name: str | None) -> JobStatus | None:
    """Return the status jobs must be in, None for any."""
    asked: str | None = request.get("jobStatus")
    chosen = asked or (_DEFAULT_STATUS if filter_name is None else call.settings.share_filter_status)
    return None if chosen is None else JobStatus(chosen)
