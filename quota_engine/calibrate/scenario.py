"""A record → the scenario with the same work: what is left to the model is who is dispatched and preempted, and when.

A job arrives when it was created, is RUNNING for as long as its last stint was, and ends as it did. Requests to end it,
attempts that failed and capacity errors are events at their time. Time in SCHEDULED, in STARTING and to stop are the
record's medians. Jobs are named by their rank, so that those of one instant rank in the record's order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import median_low

from ..model.stack import Stack
from ..model.work import CapacityError, Event, Exit, Fail, Job, Scenario, Terminate, Timing, UpdatePriority
from .record import Course, Record, Stint, StintEnd


def scenario_of(record: Record, stack: Stack, assumptions: Mapping[str, object]) -> Scenario:
    """Return the record's work on a queue of that name. Raises ValueError where the declaration can't have had it."""
    if not record.courses:
        raise ValueError(f"the record holds no job{f' of job queue {record.queue}' if record.queue else ''}")
    queue = stack.job_queues.get(record.queue)
    if queue is None:
        raise ValueError(f"the record is of job queue {record.queue!r}, which {stack.name!r} does not declare")
    strangers = sorted({course.share for course in record.courses} - set(queue.quota_shares))
    if strangers:
        raise ValueError(f"job queue {record.queue!r} of {stack.name!r} has no quota share {', '.join(strangers)}")
    start_ms = record.courses[0].created_ms
    jobs: list[Job] = []
    events: list[Event] = []
    for rank, course in enumerate(record.courses):
        jobs.append(_job(course, job_name(rank), start_ms))
        events += _events(course, job_name(rank), start_ms)
    timing = timing_of(record)
    until_ms = _last_ms(record) - start_ms
    return Scenario("", stack, record.queue, tuple(jobs), tuple(events), (), timing, dict(assumptions), until_ms)


def job_name(rank: int) -> str:
    """Return what the job of a rank is called in the scenario; names order as ranks do."""
    return f"{rank:09d}"


def _job(course: Course, name: str, start_ms: int) -> Job:
    last = course.stints[-1] if course.stints else None
    failed = course.end is StintEnd.FAILED and last is not None and last.end is StintEnd.FAILED
    running_ms = last.running_ms if last is not None else None
    return Job(
        name=name,
        share=course.share,
        need=course.need,
        submit_at_ms=course.created_ms - start_ms,
        duration_ms=running_ms if course.end is StintEnd.SUCCEEDED else None,
        priority=course.priorities[0][1],
        attempts=1 + sum(map(_is_retried, course.stints)),
        preemption_retries=course.preemption_retries,
        exit=Exit(running_ms or 0, course.end_reason) if failed else None,
    )


def _is_retried(stint: Stint) -> bool:
    """Whether a stint was an attempt that failed; one that never ran found no capacity, and counts as none."""
    return stint.end is StintEnd.REQUEUED and stint.started_ms is not None


def _events(course: Course, name: str, start_ms: int) -> Iterator[Event]:
    """Yield what befell a job from outside. Never before it was created: some times are told in whole seconds only."""
    for changed_ms, priority in course.priorities[1:]:
        yield UpdatePriority(max(changed_ms, course.created_ms) - start_ms, name, priority)
    for stint in course.stints:
        if stint.end is StintEnd.REQUEUED and stint.stopped_ms is not None:
            at_ms = max(stint.stopped_ms, course.created_ms) - start_ms
            yield Fail(at_ms, name, "as recorded") if _is_retried(stint) else CapacityError(at_ms, name)
    if course.end is StintEnd.TERMINATED and course.ended_ms is not None:
        yield Terminate(max(course.ended_ms, course.created_ms) - start_ms, name, course.end_reason)


def timing_of(record: Record) -> Timing:
    """Return the medians of the time in SCHEDULED, in STARTING and to stop; 0 where the record tells none."""
    stints = [stint for course in record.courses for stint in course.stints]
    before_starting = _median(_between(stints, "scheduled_ms", "starting_ms"))
    until_running = _median(_between(stints, "scheduled_ms", "started_ms"))
    scheduled_ms = min(before_starting, until_running)
    return Timing(scheduled_ms, until_running - scheduled_ms, _median(_stops(stints)))


def _between(stints: Iterable[Stint], first: str, second: str) -> Iterator[int]:
    for stint in stints:
        one, other = getattr(stint, first), getattr(stint, second)
        if one is not None and other is not None:
            yield max(0, other - one)


def _stops(stints: Iterable[Stint]) -> Iterator[int]:
    """Yield how long victims took to stop; what lies within the second to which the choice is told counts as none."""
    for stint in stints:
        if stint.end is StintEnd.PREEMPTED and stint.preempted_ms is not None and stint.stopped_ms is not None:
            took_ms = stint.stopped_ms - stint.preempted_ms
            yield took_ms if took_ms >= 1000 else 0


def _median(values: Iterable[int]) -> int:
    found = sorted(values)
    return median_low(found) if found else 0


def _last_ms(record: Record) -> int:
    """Return the last time that the record tells of."""
    times = [course.created_ms for course in record.courses]
    times += [course.ended_ms for course in record.courses if course.ended_ms is not None]
    for course in record.courses:
        for stint in course.stints:
            known = (stint.scheduled_ms, stint.started_ms, stint.preempted_ms, stint.stopped_ms)
            times += [at_ms for at_ms in known if at_ms is not None]
    return max(times)
