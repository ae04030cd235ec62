"""What is asked of a queue: jobs, and the changes that happen while they run.

A `Job` says what SubmitServiceJob carries and, for the model only, what the job will do (`duration_ms`, `exit`). Times
are integer milliseconds from the start of the scenario. The scheduler takes these as they are; it never sees text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from .capacity import CapacityPlan, changes
from .replay import Replay
from .sampling import Arrivals, Choice, Durations, Priorities, Start
from .stack import Capacity, Stack


@dataclass(frozen=True, slots=True)
class RetryRule:
    """One entry of evaluateOnExit: `action` RETRY or EXIT for a status reason that matches the glob."""

    action: str
    on_status_reason: str


@dataclass(frozen=True, slots=True)
class Exit:
    """A job's own failure: after `after_ms` of RUNNING with `status_reason`, on each attempt."""

    after_ms: int
    status_reason: str


@dataclass(frozen=True, slots=True)
class Job:
    """One service job. `need` is {unit: instances}, all at once; several units make it heterogeneous.

    `duration_ms` None: it runs until something ends it. `preemption_retries` None: requeued without limit.
    `line` is its line in the history that it is replayed from, 0 for any other job.
    """

    name: str
    share: str
    need: Capacity
    submit_at_ms: int = 0
    duration_ms: int | None = None
    priority: int = 0
    attempts: int = 1
    evaluate_on_exit: tuple[RetryRule, ...] = ()
    timeout_ms: int | None = None
    preemption_retries: int | None = None
    checkpoint_ms: int | None = None
    checkpoint_continuous: bool = False
    exit: Exit | None = None
    line: int = 0


def arrival_key(job: Job) -> tuple[int, int, str]:
    """Order the jobs of a scenario: 1. time of submission; 2. a history's after all others, by line; 3. name."""
    return (job.submit_at_ms, job.line, job.name)


NUMBER_WIDTH: Final = 4
"""Digits of the number in a generated job's name, at the least: research-0001."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Jobs that are generated from a seed, named `<name>-0001`, `<name>-0002`, … in the order of their arrival.

    `template` holds what they have in common; its own name is the workload's. Without `duration` they run until
    something ends them. `exit_probability` is the share of jobs that meet the template's `exit`.
    """

    template: Job
    arrivals: Arrivals
    needs: Choice[Capacity]
    duration: Durations | None
    priority: Priorities
    exit_probability: float = 1.0

    @property
    def name(self) -> str:
        return self.template.name

    @property
    def share(self) -> str:
        return self.template.share


@dataclass(frozen=True, slots=True)
class Timing:
    """Time spent in SCHEDULED and STARTING, and for a preempted job to stop; all zero by default."""

    scheduled_ms: int = 0
    starting_ms: int = 0
    stopping_ms: int = 0


@dataclass(frozen=True, slots=True)
class UpdatePriority:
    at_ms: int
    job: str
    priority: int


@dataclass(frozen=True, slots=True)
class Terminate:
    at_ms: int
    job: str
    reason: str = "terminated by the scenario"


@dataclass(frozen=True, slots=True)
class Fail:
    """The job's training fails now with `reason` (the text SageMaker would report)."""

    at_ms: int
    job: str
    reason: str


@dataclass(frozen=True, slots=True)
class CapacityError:
    """SageMaker can't place the job now: it goes back to RUNNABLE, the attempt is not counted."""

    at_ms: int
    job: str


@dataclass(frozen=True, slots=True)
class ApplyStack:
    """A quota edit while jobs run: from now on the queue is as `stack` declares it. `source` is shown in reports."""

    at_ms: int
    stack: Stack
    source: str


@dataclass(frozen=True, slots=True)
class SetCapacity:
    """Instances lost or won in the service environment: {unit: instances} replaces the limits of those units."""

    at_ms: int
    capacity: Capacity


Event = UpdatePriority | Terminate | Fail | CapacityError | ApplyStack | SetCapacity


@dataclass(frozen=True, slots=True)
class Expectation:
    """One `expect` entry as the scenario states it: `kind` names it, `arguments` are checked and typed by config.

    Kinds and arguments, where a|b means one of them and ? that it may be absent:
    state_at {at_ms, running|runnable|…: (job, …)}; preempted {job|share|workload, kind?, by?};
    never_preempted {job|share|workload}; finished {job|share|workload, by_ms}; no_blocked_jobs {};
    blocked {job, reason?}; wait {share|workload, mean?, p50?, p95?, max?: {at_most_ms?, at_least_ms?}};
    borrowed, lent {share, instance_type?, at_most?, at_least?}: instances at once, of the type with most by default;
    utilisation {instance_type, at_most?, at_least?}: 0.0 to 1.0.
    """

    kind: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    index: int = 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """Work on one queue of a stack, and what is expected of it.

    As declared, `jobs` are those that are spelled out, `replay` is still to be read, and `workloads` are still to be
    generated from `seed`: `history.with_history` and `workloads.prepare` return the scenario with these jobs too, and
    none left to come. Jobs are in the order of `arrival_key`. `capacity` sets the environment's limits of its types,
    whatever the stack declares for them: `events_of` returns these changes with the events.
    """

    description: str
    stack: Stack
    queue: str
    jobs: tuple[Job, ...]
    events: tuple[Event, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    timing: Timing = field(default_factory=Timing)
    assumptions: Mapping[str, object] = field(default_factory=dict)
    until_ms: int | None = None
    seed: int = 0
    start: Start | None = None
    workloads: tuple[Workload, ...] = ()
    replay: Replay | None = None
    capacity: tuple[CapacityPlan, ...] = ()


def events_of(scenario: Scenario) -> tuple[Event, ...]:
    """Return the events of a scenario, those that its capacity over time brings included, in no particular order."""
    applied = [event.at_ms for event in scenario.events if isinstance(event, ApplyStack)]
    planned = (SetCapacity(at_ms, capacity) for at_ms, capacity in changes(scenario.capacity, applied))
    return (*scenario.events, *planned)
