"""Hypothesis strategies for stacks and histories: small numbers, so that things collide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from hypothesis import strategies as st

from quota_engine.model import service_facts
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, State, Strategy, TimeLimitAction
from quota_engine.model.work import (
    ApplyStack,
    CapacityError,
    Event,
    Exit,
    Fail,
    Job,
    RetryRule,
    Scenario,
    SetCapacity,
    Terminate,
    Timing,
    UpdatePriority,
)

T = TypeVar("T")
TICK_MS = 500
"""All times are multiples of it, so that many fall together."""
BACKOFF_MS = 4 * TICK_MS
UNITS = ("ml.a.large", "ml.b.large", "ml.c.large", "ml.d.large", "ml.e.large")


@dataclass(frozen=True)
class Size:
    """How large a history may be."""

    shares: int = 4
    units: int = 2
    jobs: int = 14
    events: int = 6


SMALL = Size()


def ticks(most: int, least: int = 0) -> st.SearchStrategy[int]:
    return st.integers(least, most).map(lambda count: count * TICK_MS)


def rarely(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    """Draw from the strategy once in four times, else None."""
    return st.integers(0, 3).flatmap(lambda number: strategy if number == 3 else st.none())


enabled = st.integers(0, 11).map(lambda number: State.DISABLED if number == 11 else State.ENABLED)
strategies = st.sampled_from([Strategy.LEND_AND_BORROW, Strategy.LEND_AND_BORROW, Strategy.LEND, Strategy.RESERVE])


@st.composite
def shares(draw: st.DrawFn, name: str, units: tuple[str, ...], always_enabled: bool) -> QuotaShare:
    listed = units if draw(st.booleans()) else draw(st.lists(st.sampled_from(units), min_size=1, unique=True))
    strategy = draw(strategies)
    percent = draw(st.sampled_from([None, -1, 200, 100, 50, 0])) if strategy.can_borrow else None
    return QuotaShare(
        name,
        {unit: draw(st.integers(1, 4)) for unit in sorted(listed)},
        strategy,
        percent,
        draw(st.sampled_from(State)),
        State.ENABLED if always_enabled else draw(enabled),
    )


@st.composite
def stacks(draw: st.DrawFn, size: Size, *, names: tuple[str, ...] | None = None, calm: bool = False) -> Stack:
    """A stack with one queue. `calm`: everything enabled and the environment no smaller than the sum of the shares."""
    units = UNITS[: draw(st.integers(1, size.units))]
    if names is None:
        names = tuple(f"s{number:02}" for number in range(draw(st.integers(min(2, size.shares), size.shares))))
    quota_shares = {name: draw(shares(name, units, calm)) for name in names}
    limits: dict[str, int] = {}
    for unit in units:
        total = sum(share.capacity_limits.get(unit, 0) for share in quota_shares.values())
        low = total if calm else max(1, total - 3)
        limits[unit] = draw(st.integers(max(1, low), total + 2))
    actions = tuple(
        TimeLimitAction(reason, draw(st.integers(1, 4)))
        for reason in service_facts.TIME_LIMIT_REASONS
        if draw(st.booleans())
    )
    queue = JobQueue(
        "q", ("e",), "p", state=State.ENABLED if calm else draw(enabled), time_limit_actions=actions,
        quota_shares=quota_shares,
    )  # fmt: skip
    environment = ServiceEnvironment("e", limits, State.ENABLED if calm else draw(enabled))
    return Stack("s", "us-west-2", service_environments={"e": environment}, job_queues={"q": queue})


RULES = (
    RetryRule("RETRY", "Received status from SageMaker: Internal*"),
    RetryRule("EXIT", "*Validation*"),
    RetryRule("exit", "*"),
)
REASONS = ("InternalServerError", "ValidationException", "AlgorithmError")


@st.composite
def jobs(draw: st.DrawFn, name: str, names: tuple[str, ...], units: tuple[str, ...]) -> Job:
    need = draw(st.dictionaries(st.sampled_from(units), st.sampled_from([1, 1, 1, 2, 2, 3, 5]), min_size=1, max_size=2))
    checkpoint = draw(st.sampled_from([None, None, 0, 2 * TICK_MS, 3 * TICK_MS]))
    return Job(
        name,
        draw(st.sampled_from(names)),
        {unit: need[unit] for unit in sorted(need)},
        draw(ticks(12)),
        draw(st.none() | ticks(20, 4) | ticks(6)),
        draw(st.integers(0, 3)),
        draw(st.integers(1, 3)),
        tuple(draw(st.lists(st.sampled_from(RULES), max_size=3, unique=True))),
        draw(rarely(ticks(6, 1))),
        draw(rarely(st.integers(0, 2))),
        checkpoint or None,
        checkpoint == 0,
        draw(rarely(st.builds(Exit, ticks(5), st.sampled_from(REASONS)))),
    )


@st.composite
def job_events(draw: st.DrawFn, job_names: tuple[str, ...]) -> Event:
    at_ms, job = draw(ticks(20)), draw(st.sampled_from(job_names))
    kind = draw(st.sampled_from(["priority", "priority", "terminate", "fail", "capacity"]))
    if kind == "priority":
        return UpdatePriority(at_ms, job, draw(st.integers(0, 5)))
    if kind == "terminate":
        return Terminate(at_ms, job, draw(st.sampled_from(["no more", "wrong"])))
    if kind == "fail":
        return Fail(at_ms, job, draw(st.sampled_from(REASONS)))
    return CapacityError(at_ms, job)


@st.composite
def edits(draw: st.DrawFn, size: Size, number: int, names: tuple[str, ...], limits: Mapping[str, int]) -> Event:
    at_ms = draw(ticks(18, 1))
    if draw(st.booleans()):
        changed = draw(st.dictionaries(st.sampled_from(sorted(limits)), st.integers(0, 9), min_size=1, max_size=2))
        return SetCapacity(at_ms, changed)
    kept = draw(st.lists(st.sampled_from((*names, "t00")), min_size=1, unique=True))
    return ApplyStack(at_ms, draw(stacks(size, names=tuple(kept))), f"edit-{number}.yaml")


@st.composite
def scenarios(draw: st.DrawFn, size: Size = SMALL, *, calm: bool = False) -> Scenario:
    """A history. `calm`: no setting ever changes and everything is enabled, as the laws P1 to P5 ask for."""
    stack = draw(stacks(size, calm=calm))
    queue, environment = stack.job_queues["q"], stack.service_environments["e"]
    names = tuple(queue.quota_shares)
    units = tuple(environment.capacity_limits)
    count = draw(st.integers(1, size.jobs) | st.just(size.jobs))
    found = tuple(draw(jobs(f"j{number:03}", names, units)) for number in range(count))
    job_names = tuple(job.name for job in found)
    events: list[Event] = draw(st.lists(job_events(job_names), max_size=size.events))
    if not calm:
        changes = draw(st.sampled_from([0, 0, 1, 2, 3]))
        events += [draw(edits(size, number, names, environment.capacity_limits)) for number in range(changes)]
    timing = Timing(draw(ticks(3)), draw(ticks(2)), draw(st.just(0) | ticks(3)))
    return Scenario("", stack, "q", found, tuple(events), timing=timing, assumptions={"capacity_backoff": BACKOFF_MS})


def scaled(scenario: Scenario, factor: int) -> Scenario:
    """Return the history with every time and every time limit multiplied."""

    def slow_stack(stack: Stack) -> Stack:
        queue = stack.job_queues["q"]
        actions = tuple(
            replace(action, max_time_seconds=factor * action.max_time_seconds) for action in queue.time_limit_actions
        )
        return replace(stack, job_queues={"q": replace(queue, time_limit_actions=actions)})

    def slow_job(job: Job) -> Job:
        def times(value: int | None) -> int | None:
            return None if value is None else factor * value

        return replace(
            job,
            submit_at_ms=factor * job.submit_at_ms,
            duration_ms=times(job.duration_ms),
            timeout_ms=times(job.timeout_ms),
            checkpoint_ms=times(job.checkpoint_ms),
            exit=None if job.exit is None else replace(job.exit, after_ms=factor * job.exit.after_ms),
        )

    def slow_event(event: Event) -> Event:
        event = replace(event, at_ms=factor * event.at_ms)
        return replace(event, stack=slow_stack(event.stack)) if isinstance(event, ApplyStack) else event

    timing = scenario.timing
    return replace(
        scenario,
        stack=slow_stack(scenario.stack),
        jobs=tuple(slow_job(job) for job in scenario.jobs),
        events=tuple(slow_event(event) for event in scenario.events),
        timing=Timing(factor * timing.scheduled_ms, factor * timing.starting_ms, factor * timing.stopping_ms),
        assumptions={"capacity_backoff": factor * BACKOFF_MS},
    )
