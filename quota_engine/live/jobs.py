"""Reads the unfinished jobs of queues: a list per status, a description per job, and the queue's snapshot.

Lists carry neither priorities nor preemptions, so every job is described, side by side. The description is what
counts; a job that has ended by then is no longer of interest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import boto3

from ..model.arns import Scope, name_of
from ..model.live_jobs import LiveJob, LiveQueue
from ..model.observation import Problem
from ..model.service_facts import UNFINISHED_STATUSES
from ..model.stack import Stack
from ..model.work import RetryRule
from .account import Clients, identify, make_clients, open_session
from .answers import converted
from .calls import CallFailed, call, pages, unexpected
from .observe import MAX_WORKERS, Progress
from .workers import side_by_side

T = TypeVar("T")
Detail = Mapping[str, Any]

UNFINISHED: Final = (*UNFINISHED_STATUSES, "RUNNABLE")
"""Every status in which a job holds capacity or waits for it, in the order in which they are listed.

That is the order of a job's life, so that one that moves on meanwhile is seen twice, not never. A preempted job goes
back from RUNNING to RUNNABLE, which is therefore listed again: between the two lists it would be in neither.
"""


def observe_jobs(
    stack: Stack,
    queues: Iterable[str],
    session: boto3.Session | None = None,
    *,
    max_workers: int = MAX_WORKERS,
    max_attempts: int | None = None,
    progress: Progress | None = None,
) -> dict[str, LiveQueue]:
    """Return {queue: its unfinished jobs} for queues that live; raises LiveTrouble when nothing can be told.

    A failed call makes its queue's reading incomplete, and is named in it.
    """
    clients = make_clients(session or open_session(), stack.region, connections=max_workers, max_attempts=max_attempts)
    scope = identify(clients, stack)
    reading = _Reading(clients, scope, max_workers, progress)
    names = list(dict.fromkeys(queues))
    listed = reading.all([partial(listed_jobs, clients.batch, scope.job_queue(name), UNFINISHED) for name in names])
    return {name: _queue(reading, name, found) for name, found in zip(names, listed, strict=True)}


class _Reading:
    """Calls side by side, with a count of them; a failed one gives its CallFailed in its place."""

    def __init__(self, clients: Clients, scope: Scope, workers: int, progress: Progress | None) -> None:
        self.batch = clients.batch
        self.scope = scope
        self.workers = workers
        self.progress = progress
        self.answered = self.needed = 0

    def all(self, calls: Sequence[Callable[[], T]]) -> list[T | CallFailed]:
        self.needed += len(calls)
        results: dict[int, T | CallFailed] = {}
        for place, result in side_by_side([partial(_attempt, made) for made in calls], self.workers):
            results[place] = result
            self.answered += 1
            if self.progress is not None:
                self.progress(self.answered, self.needed)
        return [results[place] for place in range(len(calls))]


def _attempt(made: Callable[[], T]) -> T | CallFailed:
    try:
        return made()
    except CallFailed as failure:
        return failure


def listed_jobs(batch: Any, queue_arn: str, statuses: Sequence[str]) -> dict[str, Detail]:
    """Return {job id: how the last list that held it shows it}, one list a status, in their order."""
    found: dict[str, Detail] = {}
    for status in statuses:
        items = pages(batch, "list_service_jobs", "jobSummaryList", jobQueue=queue_arn, jobStatus=status)
        found.update((item["jobId"], item) for item in items)
    return found


def _queue(reading: _Reading, queue: str, listed: Mapping[str, Detail] | CallFailed) -> LiveQueue:
    if isinstance(listed, CallFailed):
        return LiveQueue(queue, unreadable=(listed.problem,))
    batch, arn = reading.batch, reading.scope.job_queue(queue)
    calls: list[Callable[[], Detail]] = [partial(call, batch, "describe_service_job", jobId=job) for job in listed]
    calls.append(partial(call, batch, "get_job_queue_snapshot", jobQueue=arn))
    *described, snapshot = reading.all(calls)
    jobs: list[LiveJob] = []
    problems: list[Problem] = []
    for answer in described:
        if isinstance(answer, CallFailed):
            problems += [] if answer.is_absence else [answer.problem]
        elif answer["status"] in UNFINISHED:
            job = converted(_job, answer, "batch:DescribeServiceJob")
            if isinstance(job, Problem):
                problems.append(job)
            else:
                jobs.append(job)
    if isinstance(snapshot, CallFailed):
        return LiveQueue(queue, unreadable=(*problems, snapshot.problem))
    now_ms = _now_ms(snapshot)
    if now_ms is None:
        problems.append(unexpected("batch:GetJobQueueSnapshot", "the answer does not say when it was made").problem)
    ordered = sorted(jobs, key=lambda job: (job.created_ms, job.job_id))
    return LiveQueue(queue, now_ms or 0, tuple(ordered), _fronts(snapshot), _used(snapshot), tuple(problems))


def _job(detail: Detail) -> LiveJob:
    retry = detail.get("retryStrategy") or {}
    timeout_seconds = (detail.get("timeoutConfig") or {}).get("attemptDurationSeconds")
    return LiveJob(
        job_id=detail["jobId"],
        name=detail["jobName"],
        share=detail["quotaShareName"],
        status=detail["status"],
        need={usage["capacityUnit"]: int(usage["quantity"]) for usage in detail.get("capacityUsage") or ()},
        priority=detail.get("schedulingPriority", 0),
        created_ms=detail["createdAt"],
        scheduled_ms=detail.get("scheduledAt"),
        started_ms=detail.get("startedAt"),
        attempts=retry.get("attempts", 1),
        attempts_used=len(detail.get("attempts") or ()),
        evaluate_on_exit=tuple(
            RetryRule(rule.get("action", "RETRY"), rule.get("onStatusReason", "*"))
            for rule in retry.get("evaluateOnExit") or ()
        ),
        timeout_ms=None if timeout_seconds is None else timeout_seconds * 1000,
        preemption_retries=(detail.get("preemptionConfiguration") or {}).get("preemptionRetriesBeforeTermination"),
        preempted_count=(detail.get("preemptionSummary") or {}).get("preemptedAttemptCount", 0),
        status_reason=detail.get("statusReason", ""),
    )


def _now_ms(snapshot: Detail) -> int | None:
    """Return when the service made the snapshot, by its own clock."""
    parts = (snapshot.get(name) or {} for name in ("queueUtilization", "frontOfQuotaShares", "frontOfQueue"))
    times = [part["lastUpdatedAt"] for part in parts if "lastUpdatedAt" in part]
    return max(times, default=None)


def _fronts(snapshot: Detail) -> dict[str, str]:
    shares = (snapshot.get("frontOfQuotaShares") or {}).get("quotaShares") or {}
    return {share: name_of(jobs[0]["jobArn"]) for share, jobs in sorted(shares.items()) if jobs}


def _used(snapshot: Detail) -> dict[str, dict[str, int]]:
    utilisation = (snapshot.get("queueUtilization") or {}).get("quotaShareUtilization") or {}
    return {
        item["quotaShareName"]: {use["capacityUnit"]: int(use["quantity"]) for use in item.get("capacityUsage") or ()}
        for item in utilisation.get("topCapacityUtilization") or ()
    }
