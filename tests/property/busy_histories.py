"""Histories drawn evenly at random, made to fight for capacity: what a strategy that favours small things rarely gives.

A history comes from one seed, so a failure is reproduced by it. `calm` leaves every setting as it is and the
environment no smaller than the sum of the shares.
"""

from __future__ import annotations

from random import Random

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
    Scenario,
    SetCapacity,
    Terminate,
    Timing,
    UpdatePriority,
)
from tests.property.schedule_strategies import BACKOFF_MS, REASONS, RULES, TICK_MS, UNITS

STRATEGIES = (Strategy.LEND_AND_BORROW, Strategy.LEND_AND_BORROW, Strategy.LEND, Strategy.RESERVE)


def busy_histories(jobs: int = 40, shares: int = 5, units: int = 2, calm: bool = False) -> st.SearchStrategy[Scenario]:
    """Return a strategy of histories of at most that size."""
    return st.integers(0, 2**48).map(lambda seed: busy_history(Random(seed), jobs, shares, units, calm))


def busy_history(draw: Random, most_jobs: int, most_shares: int, most_units: int, calm: bool) -> Scenario:
    units = UNITS[: draw.randint(1, most_units)]
    names = [f"s{number:02}" for number in range(draw.randint(2, most_shares))]
    stack = _stack(draw, names, units, calm)
    jobs = tuple(_job(draw, f"j{number:03}", names, units) for number in range(draw.randint(8, most_jobs)))
    events = [_job_event(draw, [job.name for job in jobs]) for _ in range(draw.randint(0, len(jobs) // 3))]
    if not calm:
        events += [_edit(draw, number, stack, names, units) for number in range(draw.choice((0, 0, 1, 2, 4)))]
    scheduled_ms, starting_ms = (draw.choice((0, 0, 1, 2)) * TICK_MS for _ in range(2))
    timing = Timing(scheduled_ms, starting_ms, draw.choice((0, 0, 1, 3)) * TICK_MS)
    return Scenario("", stack, "q", jobs, tuple(events), timing=timing, assumptions={"capacity_backoff": BACKOFF_MS})


def _stack(draw: Random, names: list[str], units: tuple[str, ...], calm: bool) -> Stack:
    shares = {name: _share(draw, name, units, calm) for name in names}
    limits = {}
    for unit in units:
        total = sum(share.capacity_limits.get(unit, 0) for share in shares.values())
        limits[unit] = max(1, total + draw.choice((0, 0, 0, 1, 2) if calm else (0, 0, 0, 0, 1, 2, -1, -2)))
    actions = tuple(
        TimeLimitAction(reason, draw.randint(1, 6))
        for reason in service_facts.TIME_LIMIT_REASONS
        if draw.random() < 0.5
    )
    queue = JobQueue("q", ("e",), "p", state=_state(draw, calm), time_limit_actions=actions, quota_shares=shares)
    environment = ServiceEnvironment("e", limits, _state(draw, calm))
    return Stack("s", "us-west-2", service_environments={"e": environment}, job_queues={"q": queue})


def _state(draw: Random, calm: bool) -> State:
    return State.ENABLED if calm or draw.random() < 0.96 else State.DISABLED


def _share(draw: Random, name: str, units: tuple[str, ...], calm: bool) -> QuotaShare:
    strategy = draw.choice(STRATEGIES)
    listed = [unit for unit in units if draw.random() < 0.85] or [units[0]]
    return QuotaShare(
        name,
        {unit: draw.randint(1, 4) for unit in listed},
        strategy,
        draw.choice((None, -1, None, 200, 100, 50, 0)) if strategy.can_borrow else None,
        draw.choice(tuple(State)),
        _state(draw, calm),
    )


def _job(draw: Random, name: str, names: list[str], units: tuple[str, ...]) -> Job:
    count = 2 if len(units) > 1 and draw.random() < 0.2 else 1
    need = {unit: draw.choice((1, 1, 1, 2, 2, 3, 4)) for unit in sorted(draw.sample(units, count))}
    rare = draw.random
    return Job(
        name,
        draw.choice(names),
        need,
        draw.randint(0, 30) * TICK_MS,
        None if rare() < 0.1 else draw.randint(0, 24) * TICK_MS,
        draw.randint(0, 3),
        draw.randint(1, 3),
        tuple(draw.sample(RULES, draw.randint(0, 2))),
        draw.randint(4, 20) * TICK_MS if rare() < 0.15 else None,
        draw.randint(0, 2) if rare() < 0.2 else None,
        draw.choice((2, 3)) * TICK_MS if rare() < 0.3 else None,
        rare() < 0.1,
        Exit(draw.randint(0, 10) * TICK_MS, draw.choice(REASONS)) if rare() < 0.15 else None,
    )


def _job_event(draw: Random, job_names: list[str]) -> Event:
    at_ms, job = draw.randint(0, 50) * TICK_MS, draw.choice(job_names)
    kind = draw.randint(0, 7)
    if kind < 4:
        return UpdatePriority(at_ms, job, draw.randint(0, 5))
    if kind == 4:
        return Terminate(at_ms, job, draw.choice(("no more", "wrong")))
    return Fail(at_ms, job, draw.choice(REASONS)) if kind == 5 else CapacityError(at_ms, job)


def _edit(draw: Random, number: int, stack: Stack, names: list[str], units: tuple[str, ...]) -> Event:
    at_ms = draw.randint(1, 40) * TICK_MS
    if draw.random() < 0.4:
        limits = stack.service_environments["e"].capacity_limits
        unit = draw.choice(units)
        return SetCapacity(at_ms, {unit: max(0, limits[unit] + draw.randint(-4, 3))})
    kept = [name for name in names if draw.random() < 0.9] or names[:1]
    if draw.random() < 0.2:
        kept.append("t00")
    return ApplyStack(at_ms, _stack(draw, kept, units, False), f"edit-{number}.yaml")
