"""The trace folded back into the state it tells of: every job's status, and what each share uses.

Whoever needs to know what was the case at some time reads it from here; nothing is computed anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..model.stack import Capacity
from ..scheduler.status import DISPATCHED, JobStatus
from ..scheduler.trace import (
    Blocked,
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionStarted,
    PriorityUpdated,
    Requeued,
    Running,
    Starting,
    StartKind,
    Submitted,
    Succeeded,
    TraceEvent,
)


@dataclass(slots=True)
class ReplayedJob:
    """One job as the trace tells it so far."""

    job: str
    share: str
    need: Capacity
    priority: int
    status: JobStatus = JobStatus.RUNNABLE
    start: StartKind | None = None
    is_stopping: bool = False
    preempted_count: int = 0
    blocked: str = ""

    @property
    def is_dispatched(self) -> bool:
        return self.status in DISPATCHED


@dataclass(slots=True)
class Replay:
    """All jobs at one point of the trace, by name in order of arrival; `apply` moves on by one event."""

    jobs: dict[str, ReplayedJob] = field(default_factory=dict)

    def apply(self, event: TraceEvent) -> ReplayedJob | None:
        """Take in one event and return the job it changed, None for events that change none."""
        if isinstance(event, Submitted):
            job = self.jobs[event.job] = ReplayedJob(event.job, event.share, event.need, event.priority)
            return job
        name = getattr(event, "job", None)
        job_or_none = self.jobs.get(name) if isinstance(name, str) else None
        return None if job_or_none is None else _change(job_or_none, event)

    def usage(self) -> dict[str, dict[str, int]]:
        """Return {share: {unit: instances}} of the dispatched jobs that are not being stopped."""
        usage: dict[str, dict[str, int]] = {}
        for job in self.jobs.values():
            if job.is_dispatched and not job.is_stopping:
                amounts = usage.setdefault(job.share, {})
                for unit, count in job.need.items():
                    amounts[unit] = amounts.get(unit, 0) + count
        return usage


def _change(job: ReplayedJob, event: TraceEvent) -> ReplayedJob | None:
    match event:
        case Dispatched(start=start):
            job.status, job.start, job.blocked = JobStatus.SCHEDULED, start, ""
        case Starting():
            job.status = JobStatus.STARTING
        case Running():
            job.status = JobStatus.RUNNING
        case PreemptionStarted():
            job.is_stopping = True
        case PreemptionCompleted(preempted_count=count):
            job.preempted_count = count
        case Requeued():
            job.status, job.is_stopping = JobStatus.RUNNABLE, False
        case Succeeded():
            job.status, job.is_stopping = JobStatus.SUCCEEDED, False
        case Failed():
            job.status, job.is_stopping, job.blocked = JobStatus.FAILED, False, ""
        case PriorityUpdated(priority=priority):
            job.priority = priority
        case Blocked(reason=reason):
            job.blocked = reason
        case _:
            return None
    return job


def replay(trace: Iterable[TraceEvent], until_ms: int | None = None) -> Replay:
    """Fold a trace, up to and with the events of `until_ms`."""
    state = Replay()
    for event in trace:
        if until_ms is not None and event.at_ms > until_ms:
            break
        state.apply(event)
    return state
