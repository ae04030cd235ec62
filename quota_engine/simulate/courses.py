"""What became of each job, as a sink that takes in a trace: its wait, how it started, what hit it, how it ended.

What two runs of the same work are compared by, job by job. Each fact carries its cause as the trace states it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..scheduler.status import JobStatus
from ..scheduler.trace import (
    Blocked,
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionStarted,
    Refused,
    Requeued,
    StartKind,
    Submitted,
    Succeeded,
    TraceEvent,
)

ROOM_MADE_BY_MAX = 2
"""Jobs that are named as having made the room for another."""


@dataclass(slots=True)
class Course:
    """One job's course. `refused` is why it could not be submitted, `wait_ms` from submission to the first SCHEDULED.

    `share` is the one it was submitted to; `room_made_by` are jobs that made the room for its first start: its victims
    where it `has_preempted` any, else those that ended in that instant, its own share's if any did. `caused` counts the
    jobs that it preempted.
    """

    job: str
    share: str
    submitted_at_ms: int
    refused: str = ""
    size: int = 0
    wait_ms: int | None = None
    start: StartKind | None = None
    room_made_by: tuple[str, ...] = ()
    has_preempted: bool = False
    preempted: int = 0
    first_preemption: PreemptionStarted | None = None
    caused: int = 0
    lost_instance_ms: int = 0
    ended_at_ms: int | None = None
    end: JobStatus | None = None
    end_reason: str = ""
    blocked: str = ""

    @property
    def is_served(self) -> bool:
        """Whether the job was taken and ever started."""
        return self.wait_ms is not None


@dataclass(slots=True)
class Courses:
    """A trace's sink; `jobs` are the courses by job, in the order in which the jobs come."""

    jobs: dict[str, Course] = field(default_factory=dict)
    _at_ms: int = 0
    _ended: list[str] = field(default_factory=list)
    """Jobs that made room in the instant `_at_ms`."""

    def __call__(self, event: TraceEvent) -> None:
        """Take in the next event."""
        if event.at_ms != self._at_ms:
            self._at_ms, self._ended = event.at_ms, []
        match event:
            case Submitted(at_ms=at_ms, job=job, share=share, need=need):
                self.jobs[job] = Course(job, share, at_ms, size=sum(need.values()))
            case Refused(at_ms=at_ms, job=job, share=share, reason=reason):
                self.jobs[job] = Course(job, share, at_ms, reason)
            case Dispatched(job=job):
                self._start(self.jobs[job], event)
            case PreemptionStarted(job=job, by=by):
                self._preempt(self.jobs[job], event)
                if by in self.jobs:
                    self.jobs[by].caused += 1
            case PreemptionCompleted(job=job, lost_ms=lost_ms):
                self.jobs[job].lost_instance_ms += lost_ms * self.jobs[job].size
            case Requeued(job=job, lost_ms=lost_ms):
                self.jobs[job].lost_instance_ms += lost_ms * self.jobs[job].size
                self._ended.append(job)
            case Succeeded(job=job):
                self._end(self.jobs[job], JobStatus.SUCCEEDED, "")
            case Failed(job=job, reason=reason):
                self._end(self.jobs[job], JobStatus.FAILED, reason)
            case Blocked(job=job, reason=reason):
                self.jobs[job].blocked = reason
            case _:
                pass

    def _start(self, course: Course, event: Dispatched) -> None:
        if course.wait_ms is not None:
            return
        course.wait_ms = event.at_ms - course.submitted_at_ms
        course.start = event.start
        course.blocked = ""
        course.has_preempted = bool(event.victims)
        ended = [job for job in self._ended if job != course.job]
        inside = [job for job in ended if self.jobs[job].share == course.share]
        if event.victims or course.wait_ms:
            course.room_made_by = (event.victims or tuple(inside or ended))[:ROOM_MADE_BY_MAX]

    def _preempt(self, course: Course, event: PreemptionStarted) -> None:
        course.preempted += 1
        if course.first_preemption is None:
            course.first_preemption = event

    def _end(self, course: Course, end: JobStatus, reason: str) -> None:
        course.ended_at_ms, course.end, course.end_reason = self._at_ms, end, reason
        if course.is_served:
            self._ended.append(course.job)
