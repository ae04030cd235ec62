"""Lists the jobs of queues in every status, ended ones included as long as the service keeps them.

The status seen last counts. Any failed call fails the whole reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import boto3

from ..model.arns import Scope, name_of
from ..model.job_history import RecordedJob, Times
from ..model.observation import Problem
from ..model.service_facts import ENDED_STATUSES
from ..model.stack import Stack
from .account import Clients, identify, make_clients, refuse_foreign
from .answers import converted
from .calls import CallFailed, call
from .jobs import UNFINISHED, listed_jobs
from .observe import MAX_WORKERS, Progress
from .trouble import LiveTrouble
from .workers import side_by_side

Detail = Mapping[str, Any]


def read_history(
    queues: Sequence[str],
    region: str,
    session: boto3.Session,
    *,
    account: str | None = None,
    with_details: bool = False,
    max_workers: int = MAX_WORKERS,
    max_attempts: int | None = None,
    progress: Progress | None = None,
) -> tuple[RecordedJob, ...]:
    """Return the jobs of the queues (names or ARNs), ordered by (created_at_ms, job_id); raises LiveTrouble.

    With `account` the credentials must belong to it. `with_details` describes each job too: priority, preemptions and
    attempts are in no list.
    """
    clients = make_clients(session, region, connections=max_workers, max_attempts=max_attempts)
    scope = identify(clients, Stack("", region, account))
    names = list(dict.fromkeys(name_of(queue) for queue in queues))
    try:
        return _read(clients, scope, names, with_details, max_workers, progress)
    except CallFailed as failure:
        problem = failure.problem
        why = f"{problem.operation}: {problem.code}: {problem.message}"
        raise LiveTrouble(
            "could not read the whole history, so nothing is written",
            why=why,
            fix="check the queue's name and region, allow the call, or try again",
            problem=problem,
        ) from failure


def _read(
    clients: Clients, scope: Scope, names: list[str], with_details: bool, workers: int, progress: Progress | None
) -> tuple[RecordedJob, ...]:
    listed: list[tuple[str, Detail]] = []
    lists = [partial(_listed, clients.batch, scope, name) for name in names]
    for place, found in side_by_side(lists, workers):
        listed += [(names[place], item) for item in found]
    if with_details:
        described: list[tuple[str, Detail]] = []
        calls = [partial(_described, clients.batch, item) for _, item in listed]
        for place, detail in side_by_side(calls, workers):
            described.append((listed[place][0], detail))
            if progress is not None:
                progress(len(described), len(calls))
        listed = described
    jobs = [_recorded(queue, item) for queue, item in listed]
    return tuple(sorted(jobs, key=lambda job: (job.created_at_ms, job.job_id)))


def _listed(batch: Any, scope: Scope, queue: str) -> list[Detail]:
    """Return a queue's jobs as the lists show them, each once."""
    found = listed_jobs(batch, scope.job_queue(queue), (*UNFINISHED, *ENDED_STATUSES))
    refuse_foreign(scope, [item["jobArn"] for item in found.values() if "jobArn" in item])
    return list(found.values())


def _described(batch: Any, item: Detail) -> Detail:
    """Return a job's description; what was listed where the service has forgotten the job since."""
    try:
        return call(batch, "describe_service_job", jobId=item["jobId"])
    except CallFailed as failure:
        if failure.is_absence:
            return item
        raise


def _is_described(item: Detail) -> bool:
    """Whether it is a job's own description, and not what a list shows of it."""
    return "jobQueue" in item


def _recorded(queue: str, item: Detail) -> RecordedJob:
    job = converted(
        partial(_job, queue), item, f"batch:{'DescribeServiceJob' if _is_described(item) else 'ListServiceJobs'}"
    )
    if isinstance(job, Problem):
        raise CallFailed(job)
    return job


def _job(queue: str, item: Detail) -> RecordedJob:
    started_ms, stopped_ms = item.get("startedAt"), item.get("stoppedAt")
    has_details = _is_described(item)
    preemptions = item.get("preemptionSummary") or {}
    return RecordedJob(
        queue=queue,
        job_id=item["jobId"],
        job_name=item["jobName"],
        share=item.get("quotaShareName", ""),
        status=item["status"],
        instances={usage["capacityUnit"]: int(usage["quantity"]) for usage in item.get("capacityUsage") or ()},
        created_at_ms=item["createdAt"],
        scheduled_at_ms=item.get("scheduledAt"),
        started_at_ms=started_ms,
        stopped_at_ms=stopped_ms,
        duration_ms=_duration_ms(item["status"], started_ms, stopped_ms),
        priority=item.get("schedulingPriority"),
        preempted_count=preemptions.get("preemptedAttemptCount", 0) if has_details else None,
        attempts=len(item.get("attempts") or ()) if has_details else None,
        attempt_times=_times(item.get("attempts")) if has_details else None,
        preempted_times=_times(preemptions.get("recentPreemptedAttempts")) if has_details else None,
    )


def _times(attempts: Sequence[Detail] | None) -> Times:
    """Return when attempts began to run and stopped, in order of time."""
    times = ((one.get("startedAt"), one.get("stoppedAt")) for one in attempts or ())
    return tuple(sorted(times, key=lambda pair: (pair[1] or 0, pair[0] or 0)))


def _duration_ms(status: str, started_ms: int | None, stopped_ms: int | None) -> int | None:
    """Return how long an ended job's last attempt was RUNNING; None for others, and where the times don't say."""
    if status not in ENDED_STATUSES or started_ms is None or stopped_ms is None or stopped_ms < started_ms:
        return None
    return stopped_ms - started_ms
