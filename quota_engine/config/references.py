"""What a scenario refers to: queues, shares, jobs and instance types that must exist, and times that must fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..model.diagnostic import Diagnostic
from ..model.stack import JobQueue, Path, Stack
from .build_scenario import STATUSES, copy_names, milliseconds
from .findings import did_you_mean, finding, nearest

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


def check_references(data: Data, stack: Stack, queue: JobQueue) -> Iterator[Diagnostic]:
    """Yield every finding about what jobs, events and expectations refer to."""
    jobs = list(_complete(data.get("jobs", ()), "name"))
    count = sum(job.get("count", 1) for _, job in jobs)
    if count > JOBS_MAX:
        message = f"the scenario has {count:,} jobs, {JOBS_MAX:,} at most are allowed"
        yield finding("QE206", message, path=("jobs",), fix="lower the counts")
        return
    yield from _duplicates(jobs)
    environment = stack.service_environments.get(queue.service_environment or "")
    units = environment.capacity_limits if environment else {}
    for index, job in jobs:
        path: Path = ("jobs", index)
        yield from _share(job.get("share"), queue, (*path, "share"))
        yield from _units(job.get("instances", {}), units, (*path, "instances"))
    submitted = {name: milliseconds(job.get("submit_at")) or 0 for _, job in jobs for name in copy_names(job)}
    yield from _events(data, submitted, units)
    yield from _expectations(data, submitted, queue)


def _complete(entries: Sequence[Any], key: str) -> Iterator[tuple[int, Data]]:
    """Yield the entries that are maps with `key`; faulty ones were reported before."""
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and key in entry:
            yield index, entry


def _duplicates(jobs: Iterable[tuple[int, Data]]) -> Iterator[Diagnostic]:
    first: dict[str, int] = {}
    for index, job in jobs:
        for name in copy_names(job):
            if name in first and first[name] != index:
                message = f"the job name '{name}' is taken by entry {first[name] + 1} of jobs"
                yield finding("QE505", message, path=("jobs", index, "name"), fix="give each job its own name")
                break
            first.setdefault(name, index)


def _share(name: object, queue: JobQueue, path: Path) -> Iterator[Diagnostic]:
    if isinstance(name, str) and name not in queue.quota_shares:
        message = f"job queue '{queue.name}' has no quota share '{name}'"
        yield finding("QE504", message, path=path, fix=did_you_mean(name, queue.quota_shares))


def _units(need: Iterable[str], units: Iterable[str], path: Path) -> Iterator[Diagnostic]:
    known = list(units)
    for unit in need:
        if unit not in known:
            message = f"the queue's service environment has no {unit}"
            why = "a job that needs it never runs"
            near = nearest(unit, known)
            fix = f"did you mean '{near}'?" if near else f"it has {', '.join(sorted(known)) or 'nothing'}"
            yield finding("QE508", message, path=(*path, unit, "@key"), why=why, fix=fix)


def _job(name: object, known: Mapping[str, int], path: Path) -> Iterator[Diagnostic]:
    if isinstance(name, str) and name not in known:
        yield finding("QE506", f"the scenario has no job '{name}'", path=path, fix=did_you_mean(name, known))


def _events(data: Data, submitted: Mapping[str, int], units: Iterable[str]) -> Iterator[Diagnostic]:
    until_ms = milliseconds(data.get("until"))
    for index, event in _complete(data.get("events", ()), "at"):
        path: Path = ("events", index)
        at_ms = milliseconds(event["at"]) or 0
        if until_ms is not None and at_ms > until_ms:
            message = f"this event comes at {event['at']}, after the scenario's end at {data['until']}"
            yield finding("QE509", message, path=(*path, "at"), fix="move it, or raise until")
        for kind in JOB_EVENTS:
            name = event.get(kind, {}).get("job")
            yield from _job(name, submitted, (*path, kind, "job"))
            if at_ms < submitted.get(name, 0):
                message = f"this event comes at {event['at']}, before job '{name}' is submitted"
                yield finding("QE509", message, path=(*path, "at"), fix="move it after the job's submit_at")
        yield from _units(event.get("set_capacity", {}), units, (*path, "set_capacity"))


def _expectations(data: Data, submitted: Mapping[str, int], queue: JobQueue) -> Iterator[Diagnostic]:
    for index, expectation in enumerate(data.get("expect", ())):
        path: Path = ("expect", index)
        for kind, stated in (expectation or {}).items():
            if kind in STATUSES:
                for position, name in enumerate(stated):
                    yield from _job(name, submitted, (*path, kind, position))
            elif isinstance(stated, dict):
                yield from _job(stated.get("job"), submitted, (*path, kind, "job"))
                yield from _share(stated.get("share"), queue, (*path, kind, "share"))
                if kind == "preempted":
                    yield from _job(stated.get("by"), submitted, (*path, kind, "by"))
