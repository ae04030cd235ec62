"""A scenario and its history → the scenario with the jobs of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..model.work import NUMBER_WIDTH, Scenario, arrival_key
from .read import History


def taken_names(scenario: Scenario) -> Callable[[str], bool]:
    """Return what tells whether a name is that of a job of the scenario's own, or may be once it is generated."""
    names = {job.name for job in scenario.jobs}
    stems = {workload.name for workload in scenario.workloads}

    def is_taken(name: str) -> bool:
        stem, _, number = name.rpartition("-")
        return name in names or (stem in stems and len(number) >= NUMBER_WIDTH and number.isdigit())

    return is_taken


def with_history(scenario: Scenario, history: History) -> Scenario:
    """Return the scenario with the history's jobs among its own, and nothing left to replay."""
    jobs = sorted((*scenario.jobs, *history.jobs), key=arrival_key)
    return replace(scenario, jobs=tuple(jobs), replay=None)
