"""What the live page shows of every queue, as JSON: amounts per share, fronts, running jobs, the latest preemptions.

Read-only; all amounts come from the scheduler's ledger and records.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from ..scheduler.snapshot import total_usage
from ..scheduler.state import JobRecord, SchedulerState, ShareState
from ..scheduler.trace import Dispatched, PreemptionStarted
from .driver import QueueDriver
from .store import Kind, Region, World

_PREEMPTIONS_SHOWN: Final = 50
_RUNNING_SHOWN: Final = 200
WAITS_FOR_ROOM: Final = "waits for room"


def view(world: World) -> dict[str, Any]:
    """Return everything the page shows, now."""
    now_ms = world.settle()
    return {
        "now_ms": now_ms,
        "clock": world.clock.kind,
        "queues": [
            {
                "account": scope.account,
                "region": scope.region,
                "name": queue.name,
                "state": queue.detail["state"],
                **_queue(region, region.drivers[queue.name], now_ms),
            }
            for scope, region in world.regions.items()
            for queue in region.all_of(Kind.QUEUE)
            if queue.name in region.drivers
        ],
    }


def _queue(region: Region, driver: QueueDriver, now_ms: int) -> dict[str, Any]:
    state = driver.state
    used = total_usage(state)
    return {
        "environment": state.environment.state,
        "units": [
            {
                "unit": unit,
                "limit": limit,
                "used": used.get(unit, 0),
                "shares": _shares(state, unit),
                "last_hour": [
                    {"share": share, "use": driver.history.averages(unit, share, now_ms)} for share in state.shares
                ],
            }
            for unit, limit in state.environment.capacity_limits.items()
        ],
        "fronts": [_front(region, share, share.head) for share in state.shares.values() if share.head is not None],
        "running": _running(region, driver),
        "preemptions": [
            {"at_ms": event.at_ms, "job": _name(region, event.job), "share": event.share, "kind": event.kind}
            | {"by": _name(region, event.by), "by_share": event.by_share}
            for event in islice(
                (event for event in reversed(driver.trace) if isinstance(event, PreemptionStarted)), _PREEMPTIONS_SHOWN
            )
        ],
    }


def _shares(state: SchedulerState, unit: str) -> list[dict[str, Any]]:
    """Return each share's part of one unit; what lies above its own limit is borrowed."""
    number = state.ledger.unit_number(unit)
    return [
        {
            "name": share.name,
            "strategy": share.settings.strategy,
            "limit": share.cap[number],
            "own": share.use[number] - share.over(number),
            "borrowed": share.over(number),
            "idle": share.idle(number),
            "lends": share.lends,
            "waiting": share.waiting_count,
        }
        for share in state.shares.values()
    ]


def _front(region: Region, share: ShareState, head: JobRecord) -> dict[str, Any]:
    return {
        "share": share.name,
        "job": _name(region, head.key),
        "need": dict(head.need.by_unit),
        "since_ms": share.head_since_ms,
        "why": head.status_reason if share.blocked_record is head or head.capacity_blocked else WAITS_FOR_ROOM,
        "waiting": share.waiting_count,
    }


def _running(region: Region, driver: QueueDriver) -> list[dict[str, Any]]:
    """Return the dispatched jobs, those dispatched last first, with how they were dispatched."""
    records = [record for share in driver.state.shares.values() for record in share.running.values()]
    records.sort(key=lambda record: (-(record.scheduled_ms or 0), -record.seq))
    starts = _starts(driver, {record.key for record in records[:_RUNNING_SHOWN]})
    return [_running_job(region, record, starts.get(record.key, "")) for record in records[:_RUNNING_SHOWN]]


def _running_job(region: Region, record: JobRecord, start: str) -> dict[str, Any]:
    return {
        "job": _name(region, record.key),
        "share": record.share_name,
        "status": record.status,
        "priority": record.priority,
        "need": dict(record.need.by_unit),
        "start": start,
        "since_ms": record.scheduled_ms,
    }


def _starts(driver: QueueDriver, jobs: set[str]) -> dict[str, str]:
    """Return how each job was dispatched last, looking back no further than needed."""
    found: dict[str, str] = {}
    for event in reversed(driver.trace):
        if len(found) == len(jobs):
            break
        if isinstance(event, Dispatched) and event.job in jobs:
            found.setdefault(event.job, event.start)
    return found


def _name(region: Region, job_id: str) -> str:
    entry = region.jobs.get(job_id)
    return entry.request["jobName"] if entry else job_id
