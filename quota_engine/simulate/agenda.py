"""A scenario's jobs and events as the scheduler's inputs, instant by instant, in an order that is not the file's.

Jobs arrive by `model.work.arrival_key`. Events of one instant apply as: edits of the whole stack, by their source;
capacity of single units, by content; then the jobs' events, in the scheduler's own canonical order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from ..model.stack import JobQueue, ServiceEnvironment, Stack
from ..model.work import ApplyStack, Event, Job, Scenario, SetCapacity, arrival_key, events_of
from ..scheduler.inputs import Input, PutEnvironment, PutQueue, PutShare, RemoveShare, Submit


class ScenarioError(ValueError):
    """A scenario that can't be run: its queue or the queue's environment is missing, or an event names no job."""


class Instant(NamedTuple):
    """What the scenario brings at one time."""

    at_ms: int
    jobs: tuple[Job, ...]
    events: tuple[Event, ...]


def agenda(scenario: Scenario) -> Iterator[Instant]:
    """Yield the instants in order of time. Raises ScenarioError for work that is still to come: it would be lost."""
    if scenario.workloads:
        raise ScenarioError(f"the jobs of workload {scenario.workloads[0].name!r} are still to be generated")
    if scenario.replay is not None:
        raise ScenarioError(f"the history {scenario.replay.shown} is still to be read")
    events: dict[int, list[Event]] = {}
    for event in events_of(scenario):
        events.setdefault(event.at_ms, []).append(event)
    times = sorted(events, reverse=True)
    for at_ms, arriving in groupby(_in_order(scenario.jobs), key=attrgetter("submit_at_ms")):
        while times and times[-1] < at_ms:
            yield _instant(times.pop(), (), events)
        if times and times[-1] == at_ms:
            times.pop()
        yield _instant(at_ms, tuple(arriving), events)
    for at_ms in reversed(times):
        yield _instant(at_ms, (), events)


def _in_order(jobs: Sequence[Job]) -> Sequence[Job]:
    """Return the jobs in the order in which they arrive: as they are where they are in it, as a prepared scenario's."""
    is_ordered = all(
        one.submit_at_ms < other.submit_at_ms
        or (one.submit_at_ms == other.submit_at_ms and arrival_key(one) <= arrival_key(other))
        for one, other in pairwise(jobs)
    )
    return jobs if is_ordered else sorted(jobs, key=arrival_key)


def _instant(at_ms: int, jobs: tuple[Job, ...], events: Mapping[int, list[Event]]) -> Instant:
    found = events.get(at_ms)
    return Instant(at_ms, jobs, tuple(sorted(found, key=_event_key)) if found else ())


def _event_key(event: Event) -> tuple[int, str]:
    match event:
        case ApplyStack(source=source):
            return (0, source)
        case SetCapacity(capacity=capacity):
            return (1, repr(sorted(capacity.items())))
        case _:
            return (2, event.job)


def queue_of(stack: Stack, name: str) -> tuple[JobQueue, ServiceEnvironment]:
    """Return the queue and its environment; raises ScenarioError where the stack lacks either."""
    queue = stack.job_queues.get(name)
    if queue is None:
        raise ScenarioError(f"stack {stack.name!r} has no job queue {name!r}")
    environment = stack.service_environments.get(queue.service_environment or "")
    if environment is None:
        raise ScenarioError(f"job queue {name!r} of stack {stack.name!r} has no service environment of that stack")
    return queue, environment


def queue_after(event: Event, queue: JobQueue, environment: ServiceEnvironment) -> tuple[JobQueue, ServiceEnvironment]:
    """Return the queue and its environment as an event leaves them; a job's event leaves them as they are."""
    match event:
        case ApplyStack(stack=stack):
            return queue_of(stack, queue.name)
        case SetCapacity(capacity=capacity):
            limits = {**environment.capacity_limits, **capacity}
            return queue, replace(environment, capacity_limits=limits)
        case _:
            return queue, environment


def inputs_of(
    instant: Instant, before: JobQueue, environment_before: ServiceEnvironment
) -> tuple[list[Input], JobQueue, ServiceEnvironment]:
    """Return the inputs of an instant, with the queue and the environment as they are from then on."""
    if not instant.events:
        return [Submit(job) for job in instant.jobs], before, environment_before
    queue, environment = before, environment_before
    for event in instant.events:
        queue, environment = queue_after(event, queue, environment)
    inputs = _edits(before, queue)
    if environment != environment_before:
        inputs.append(PutEnvironment(environment))
    inputs.extend(event for event in instant.events if not isinstance(event, ApplyStack | SetCapacity))
    inputs.extend(Submit(job) for job in instant.jobs)
    return inputs, queue, environment


def _edits(before: JobQueue, after: JobQueue) -> list[Input]:
    """Return what turns one queue into the other; shares in the declared order, only those that differ."""
    if after is before:
        return []
    inputs: list[Input] = [PutQueue(after.state, after.time_limit_actions)]
    inputs.extend(RemoveShare(name) for name in before.quota_shares if name not in after.quota_shares)
    inputs.extend(
        PutShare(share) for name, share in after.quota_shares.items() if before.quota_shares.get(name) != share
    )
    return inputs
