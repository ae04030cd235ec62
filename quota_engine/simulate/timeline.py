"""Each job's life as segments of time, for drawing: waiting, running as own, borrowed or in-share, preempted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ..model.stack import Capacity
from ..scheduler.status import JobStatus
from ..scheduler.trace import Dispatched, Failed, RequeueCause, Requeued, StartKind, Submitted, Succeeded, TraceEvent


class SegmentKind(StrEnum):
    """What a job does for a while. PREEMPTED: it waits again after a preemption; WAITING: for any other reason."""

    WAITING = "waiting"
    OWN = "own"
    BORROWED = "borrowed"
    IN_SHARE = "in-share"
    PREEMPTED = "preempted"


_OF_START = {
    StartKind.OWN: SegmentKind.OWN,
    StartKind.BORROWED: SegmentKind.BORROWED,
    StartKind.IN_SHARE: SegmentKind.IN_SHARE,
}


@dataclass(frozen=True, slots=True)
class Segment:
    """From `from_ms` to `to_ms`; a victim's segment lasts until it has stopped. Segments of no length are left out."""

    kind: SegmentKind
    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True)
class JobTimeline:
    """One job's segments, gapless from submission on. `end` is how it ended, else RUNNABLE or (dispatched) RUNNING."""

    job: str
    share: str
    need: Capacity
    segments: tuple[Segment, ...]
    end: JobStatus


@dataclass(slots=True)
class _Open:
    """A timeline in the making."""

    event: Submitted
    kind: SegmentKind
    since_ms: int
    segments: list[Segment]
    end: JobStatus = JobStatus.RUNNABLE

    def turn(self, kind: SegmentKind, at_ms: int) -> None:
        if at_ms > self.since_ms:
            self.segments.append(Segment(self.kind, self.since_ms, at_ms))
        self.kind, self.since_ms = kind, at_ms


def timelines(trace: Iterable[TraceEvent], end_ms: int) -> list[JobTimeline]:
    """Return the timelines in order of arrival; what is still going on ends at `end_ms`."""
    jobs: dict[str, _Open] = {}
    for event in trace:
        match event:
            case Submitted(at_ms=at_ms, job=name):
                jobs[name] = _Open(event, SegmentKind.WAITING, at_ms, [])
            case Dispatched(at_ms=at_ms, job=name, start=start):
                jobs[name].turn(_OF_START[start], at_ms)
                jobs[name].end = JobStatus.RUNNING
            case Requeued(at_ms=at_ms, job=name, cause=cause):
                kind = SegmentKind.PREEMPTED if cause is RequeueCause.PREEMPTED else SegmentKind.WAITING
                jobs[name].turn(kind, at_ms)
                jobs[name].end = JobStatus.RUNNABLE
            case Succeeded(at_ms=at_ms, job=name):
                _close(jobs[name], at_ms, JobStatus.SUCCEEDED)
            case Failed(at_ms=at_ms, job=name):
                _close(jobs[name], at_ms, JobStatus.FAILED)
            case _:
                pass
    return [_timeline(job, end_ms) for job in jobs.values()]


def _close(job: _Open, at_ms: int, end: JobStatus) -> None:
    job.turn(job.kind, at_ms)
    job.end = end


def _timeline(job: _Open, end_ms: int) -> JobTimeline:
    if job.end not in (JobStatus.SUCCEEDED, JobStatus.FAILED):
        job.turn(job.kind, end_ms)
    return JobTimeline(job.event.job, job.event.share, job.event.need, tuple(job.segments), job.end)
