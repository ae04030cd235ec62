"""What a scenario refers to: queues, shares, jobs and instance types that must exist, and times that must fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..model.diagnostic import Diagnostic, Positions
from ..model.stack import JobQueue, Path, Stack
from .build_scenario import copy_names, milliseconds
from .expectations import check_expectations
from .findings import finding
from .known import Known, complete, names_of, taken
from .similar import did_you_mean
from .workload_checks import check_workloads

Data = Mapping[str, Any]
JOBS_MAX = 200_000
"""Jobs of one scenario, copies included: more would take long to name, let alone to simulate."""

JOB_EVENTS = ("update_priority", "terminate", "fail", "capacity_error")


def choose_queue(stack: Stack, stated: str | None) -> tuple[JobQueue | None, list[Diagnostic]]:
    """Return the queue that a scenario is about."""
    queues = stack.job_queues
    if stated is not None and stated in queues:
        return queues[stated], []
    if stated is not None:
        message = f"the stack {stack.name} has no job queue '{stated}'"
        return None, [finding("QE503", message, path=("queue",), fix=did_you_mean(stated, queues))]
    if len(queues) == 1:
        return next(iter(queues.values())), []
    problem = f"the stack has the queues {', '.join(sorted(queues))}" if queues else "the stack has no job queue"
    fix = "name one: queue: NAME" if queues else "declare one in the stack"
    return None, [finding("QE503", f"the scenario names no queue, and {problem}", path=("stack",), fix=fix)]


def check_references(data: Data, stack: Stack, queue: JobQueue, where: Positions) -> Iterator[Diagnostic]:
    """Yield every finding about what jobs, workloads, events and expectations refer to."""
    jobs = list(complete(data.get("jobs", ()), "name"))
    count = sum(job.get("count", 1) for _, job in jobs)
    if count > JOBS_MAX:
        message = f"the scenario has {count:,} jobs, {JOBS_MAX:,} at most are allowed"
        yield finding("QE206", message, path=("jobs",), fix="lower the counts")
        return
    yield from _duplicates(jobs, where)
    known = names_of(data, stack, queue)
    for index, job in jobs:
        path: Path = ("jobs", index)
        yield from known.share(job.get("share"), (*path, "share"))
        yield from known.need(job.get("instances", {}), (*path, "instances"))
    yield from check_workloads(data, known, where)
    yield from _events(data, known)
    yield from check_expectations(data, known)


def _duplicates(jobs: Iterable[tuple[int, Data]], where: Positions) -> Iterator[Diagnostic]:
    first: dict[str, int] = {}
    for index, job in jobs:
        for name in copy_names(job):
            if name in first and first[name] != index:
                yield taken("job", name, ("jobs", index, "name"), where.span(("jobs", first[name], "name")))
                break
            first.setdefault(name, index)


def _events(data: Data, known: Known) -> Iterator[Diagnostic]:
    for index, event in complete(data.get("events", ()), "at"):
        path: Path = ("events", index)
        at_ms = milliseconds(event["at"]) or 0
        yield from known.time(event["at"], "this event comes at", (*path, "at"))
        for kind in JOB_EVENTS:
            name = event.get(kind, {}).get("job")
            yield from known.job(name, (*path, kind, "job"))
            if at_ms < known.submitted.get(name, 0):
                message = f"this event comes at {event['at']}, before job '{name}' is submitted"
                yield finding("QE509", message, path=(*path, "at"), fix="move it after the job's submit_at")
        yield from known.need(event.get("set_capacity", {}), (*path, "set_capacity"))
