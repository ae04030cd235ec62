"""Lines of `quota-engine history` → courses: what one reading of the queue's jobs can tell.

It tells the last time that a job was dispatched, and how often it was preempted before, but not when.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model.job_history import RecordedJob
from .record import Course, Record, Stint, StintEnd

_ENDS = {"SUCCEEDED": StintEnd.SUCCEEDED, "FAILED": StintEnd.FAILED}


def record_of_history(jobs: Iterable[RecordedJob], queue: str | None = None) -> Record:
    """Take over the jobs of one queue, the only one where none is named. Raises ValueError for several."""
    listed = [job for job in jobs if queue in (None, job.queue)]
    names = sorted({job.queue for job in listed})
    if len(names) > 1:
        raise ValueError(f"the history is of several queues: {', '.join(names)}")
    courses = sorted(map(_course, listed), key=lambda course: course.created_ms)
    return Record(names[0] if names else queue or "", tuple(courses))


def _course(job: RecordedJob) -> Course:
    end = _ENDS.get(job.status, StintEnd.OPEN)
    earlier = tuple(Stint(None, end=StintEnd.PREEMPTED) for _ in range(job.preempted_count or 0))
    stints = (*earlier, *((_last(job, end),) if job.scheduled_at_ms is not None and job.status != "RUNNABLE" else ()))
    return Course(
        job_id=job.job_id,
        job_name=job.job_name,
        share=job.share,
        need=job.instances,
        created_ms=job.created_at_ms,
        priorities=((job.created_at_ms, job.priority or 0),),
        stints=stints,
        ended_ms=job.stopped_at_ms if end is not StintEnd.OPEN else None,
        end=end,
    )


def _last(job: RecordedJob, end: StintEnd) -> Stint:
    stopped_ms = job.stopped_at_ms if end is not StintEnd.OPEN else None
    return Stint(job.scheduled_at_ms, None, job.started_at_ms, None, stopped_ms, end)
