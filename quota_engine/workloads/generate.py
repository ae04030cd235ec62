"""Workloads → jobs, one stream of random numbers each, so that one workload's jobs don't depend on another's.

Every job takes the same number of draws, whatever its workload says, so that another distribution of durations leaves
the arrivals, and another rate the durations, as they are: two runs differ by what was changed and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, count, islice
from random import Random

from ..model.arrivals import JOBS_MAX, expected_jobs
from ..model.sampling import Start
from ..model.work import NUMBER_WIDTH, Job, Scenario, Workload, arrival_key
from .draw import chooser, duration_ms, priority_of
from .times import Next, arrivals_of

Draw = Callable[[], float]


class TooManyJobs(ValueError):
    """The workloads of a scenario generate more than `JOBS_MAX` jobs."""


def prepare(scenario: Scenario) -> Scenario:
    """Return the scenario with all its jobs, in submit order, and nothing left to generate.

    The jobs are those spelled out or read from a history, which `history` does before, and those of the workloads.
    Prepared again, a scenario stays as it is. Raises TooManyJobs, and ValueError for a history that was not read.
    """
    if scenario.replay is not None:
        raise ValueError(f"the history {scenario.replay.shown} has not been read")
    if not scenario.workloads:
        return scenario
    jobs = sorted((*scenario.jobs, *_generated(scenario)), key=arrival_key)
    return replace(scenario, jobs=tuple(jobs), workloads=())


def _generated(scenario: Scenario) -> list[Job]:
    """Return the jobs of all workloads. What is known to be too much is not begun."""
    seed, start, until_ms = scenario.seed, scenario.start, scenario.until_ms
    expected = sum(expected_jobs(workload.arrivals, start, until_ms) for workload in scenario.workloads)
    streams = chain.from_iterable(jobs_of(workload, seed, start, until_ms) for workload in scenario.workloads)
    jobs = list(islice(streams, JOBS_MAX + 1)) if expected <= JOBS_MAX else []
    if expected > JOBS_MAX or len(jobs) > JOBS_MAX:
        most = max(len(jobs), round(expected))
        raise TooManyJobs(f"the workloads generate {most:,} jobs or more, {JOBS_MAX:,} at most are allowed")
    return jobs


def jobs_of(workload: Workload, seed: int, start: Start | None, until_ms: int | None) -> Iterator[Job]:
    """Yield the jobs of one workload in the order of their arrival. `until_ms` is the scenario's end."""
    draw = Random(f"{seed}/{workload.name}").random  # noqa: S311 - a simulation, no secret
    numbers = count(1) if workload.arrivals.jobs is None else range(1, workload.arrivals.jobs + 1)
    arrival = arrivals_of(workload.arrivals, start, until_ms)
    make = _maker(workload)
    for number in numbers:
        job = make(f"{workload.name}-{number:0{NUMBER_WIDTH}}", arrival, draw)
        if job is None:
            return
        yield job


def _maker(workload: Workload) -> Callable[[str, Next, Draw], Job | None]:
    """Return the function that draws one job: 1. arrival, 2. need, 3. duration, 4. priority, 5. exit."""
    template, durations, probability = workload.template, workload.duration, workload.exit_probability
    need_of, priority = chooser(workload.needs), priority_of(workload.priority)

    def make(name: str, arrival: Next, draw: Draw) -> Job | None:
        draws = draw(), draw(), draw(), draw(), draw()
        at_ms = arrival(draws[0])
        if at_ms is None:
            return None
        return Job(
            name=name,
            share=template.share,
            need=need_of(draws[1]),
            submit_at_ms=at_ms,
            duration_ms=None if durations is None else duration_ms(durations, draws[2]),
            priority=priority(draws[3]),
            attempts=template.attempts,
            evaluate_on_exit=template.evaluate_on_exit,
            timeout_ms=template.timeout_ms,
            preemption_retries=template.preemption_retries,
            checkpoint_ms=template.checkpoint_ms,
            checkpoint_continuous=template.checkpoint_continuous,
            exit=template.exit if draws[4] < probability else None,
        )

    return make
