"""One run of a sweep as a value that can be sent to another process or machine, and the function that does it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from quota_engine import __version__

from ..model.work import Scenario
from ..simulate import run_measured
from ..workloads import prepare
from .record import Record, records_of


@dataclass(frozen=True, slots=True)
class Task:
    """A run: `key` tells it from every other, `seed` replaces the scenario's own where one is given."""

    key: str
    scenario: Scenario
    seed: int | None


Finished = tuple[str, tuple[Record, ...]]
"""A run's key and its records."""


class Engine(Protocol):
    """Something that does runs: yields each as it finishes, in any order. Closing the iterator stops the rest."""

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Finished]: ...


def perform(task: Task) -> Finished:
    """Do a run, keeping no trace. Raises ScenarioError or TooManyJobs where it can't be done."""
    seeded = task.scenario if task.seed is None else replace(task.scenario, seed=task.seed)
    scenario = prepare(seeded)
    measured = run_measured(scenario, is_traced=False)
    return task.key, records_of(measured.run, measured.measures, measured.verdicts)


def tool_version() -> str:
    """Return the version of quota-engine where this is called: here, or on a cluster's worker."""
    return __version__


def loop(tasks: Iterable[Task]) -> Iterator[Finished]:
    """Do the runs one after another, in this process."""
    return map(perform, tasks)
