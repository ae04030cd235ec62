"""From what was observed to what the scheduling model can start from. What can't be taken over is said, not guessed."""

from __future__ import annotations

from ..model.live_jobs import LiveJob, LiveQueue
from ..model.stack import Capacity, JobQueue, ServiceEnvironment
from ..model.work import Job
from ..scheduler.assumptions import Assumptions
from ..scheduler.restore import Situation, Standing
from ..scheduler.status import DISPATCHED, JobStatus


def live_situation(
    queue: JobQueue,
    environment: ServiceEnvironment,
    live: LiveQueue,
    assumptions: Assumptions,
) -> tuple[Situation, tuple[str, ...]]:
    """Return the queue as it stands and what had to be left out. No job ends by itself, see `durations`."""
    doubts: list[str] = []
    jobs: list[Standing] = []
    for job in live.jobs:
        doubt = _doubt(job, queue)
        if doubt:
            doubts.append(f"job {job.name} ({job.job_id}) is left out: {doubt}")
        else:
            jobs.append(_standing(job))
    doubts += _disagreements(queue, live, jobs)
    return Situation(queue, environment, tuple(jobs), live.now_ms, assumptions=assumptions), tuple(doubts)


def _doubt(job: LiveJob, queue: JobQueue) -> str:
    if job.share not in queue.quota_shares:
        return f"its quota share {job.share} was not found"
    if not job.need or any(count < 1 for count in job.need.values()):
        return "the service does not say what it needs"
    if JobStatus(job.status) in DISPATCHED and job.scheduled_ms is None:
        return f"it is {job.status}, but the service does not say since when"
    return ""


def _standing(job: LiveJob) -> Standing:
    status = JobStatus(job.status)
    return Standing(
        job=Job(
            name=job.job_id,
            share=job.share,
            need=job.need,
            submit_at_ms=job.created_ms,
            priority=job.priority,
            attempts=job.attempts,
            evaluate_on_exit=job.evaluate_on_exit,
            timeout_ms=job.timeout_ms,
            preemption_retries=job.preemption_retries,
        ),
        status=status,
        created_ms=job.created_ms,
        scheduled_ms=job.scheduled_ms if status in DISPATCHED else None,
        started_ms=job.started_ms if status is JobStatus.RUNNING else None,
        preempted_count=job.preempted_count,
        attempts_used=job.attempts_used,
    )


def _disagreements(queue: JobQueue, live: LiveQueue, jobs: list[Standing]) -> list[str]:
    """Say where the service's own snapshot counts otherwise: the queue moved while it was read."""
    counted: dict[str, dict[str, int]] = {name: {} for name in queue.quota_shares}
    for one in jobs:
        if one.status in DISPATCHED:
            used = counted[one.job.share]
            for unit, count in one.job.need.items():
                used[unit] = used.get(unit, 0) + count
    return [
        f"quota share {name} uses {_amounts(live.used[name])} by the queue's snapshot, "
        f"{_amounts(counted[name])} by its jobs: the queue moved while it was read"
        for name in sorted(counted)
        if name in live.used and dict(live.used[name]) != counted[name]
    ]


def _amounts(amounts: Capacity) -> str:
    return ", ".join(f"{count} {unit}" for unit, count in sorted(amounts.items())) or "nothing"
