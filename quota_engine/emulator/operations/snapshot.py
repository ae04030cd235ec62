"""GetJobQueueSnapshot: who is at the front, and who uses how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...scheduler.snapshot import FrontJob, front_of_queue, front_of_shares, total_usage, utilisation
from ..call import Api, Call, Operations
from .queues import existing_queue


def get_job_queue_snapshot(call: Call, request: Api) -> Api:
    """Return the fronts of the queue and of its shares, and its use; a FIFO queue has no part about shares."""
    queue = existing_queue(call, request["jobQueue"], "queue-not-found")
    driver = call.region.drivers[queue.name]
    driver.advance_to(call.at_ms)
    state = driver.state
    utilization: dict[str, Any] = {
        "totalCapacityUsage": _usage(total_usage(state)),
        "lastUpdatedAt": call.at_ms,
    }
    snapshot: dict[str, Any] = {
        "frontOfQueue": {
            "jobs": [_front(call, job) for job in front_of_queue(state)],
            "lastUpdatedAt": call.at_ms,
        },
        "queueUtilization": utilization,
    }
    if driver.is_quota_managed:
        fronts = front_of_shares(state).items()
        snapshot["frontOfQuotaShares"] = {
            "quotaShares": {name: [_front(call, job)] if job else [] for name, job in fronts},
            "lastUpdatedAt": call.at_ms,
        }
        utilization["quotaShareUtilization"] = {
            "topCapacityUtilization": [
                {"quotaShareName": name, "capacityUsage": _usage(usage)} for name, usage in utilisation(state)
            ]
        }
    return snapshot


def _front(call: Call, job: FrontJob) -> Api:
    return {"jobArn": call.region.jobs[job.job].arn, "earliestTimeAtPosition": job.since_ms}


def _usage(usage: Mapping[str, int]) -> list[Api]:
    return [{"capacityUnit": unit, "quantity": float(count)} for unit, count in usage.items()]


OPERATIONS: Operations = {"GetJobQueueSnapshot": get_job_queue_snapshot}
