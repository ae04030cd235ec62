"""A sweep as a whole: what varies, the runs that come of it, and doing those that a journal doesn't hold yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model.work import Scenario
from .digest import digest, run_key
from .grid import Axis, Combination
from .journal import Journal
from .record import Record
from .task import Engine, Task

Seeds = tuple[int | None, ...]
"""The seeds of every combination; None alone: the scenario's own."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`scenarios` are the declared ones of `combinations`, in the same order; each is run once with every seed."""

    axes: tuple[Axis, ...]
    seeds: Seeds
    combinations: tuple[Combination, ...]
    scenarios: tuple[Scenario, ...]

    @property
    def runs(self) -> int:
        return len(self.combinations) * len(self.seeds)


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of the plan: its place in it from 1, what was chosen, its seed, and its records."""

    number: int
    combination: Combination
    seed: int | None
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Swept:
    """All runs of a plan in its order: by combination, then by seed; whatever order they were done in."""

    plan: Plan
    results: tuple[RunResult, ...]

    def of_combinations(self) -> Iterator[tuple[Combination, Sequence[RunResult]]]:
        """Yield each combination with its runs, one for each seed."""
        count = len(self.plan.seeds)
        for index, combination in enumerate(self.plan.combinations):
            yield combination, self.results[index * count : (index + 1) * count]


def tasks_of(plan: Plan) -> list[Task]:
    """Return the plan's runs in order. Where no work is drawn, the seeds share one key, and so one run."""
    digests = [digest(scenario) for scenario in plan.scenarios]
    return [
        Task(run_key(found, seed if scenario.workloads else None), scenario, seed)
        for scenario, found in zip(plan.scenarios, digests, strict=True)
        for seed in plan.seeds
    ]


def sweep(plan: Plan, engine: Engine, journal: Journal, advanced: Callable[[int], None] = lambda done: None) -> Swept:
    """Do the runs that the journal lacks, each once, and return all of them.

    `advanced` is told how many runs of the plan are done, whenever that changes. What has finished is in the journal
    when anything stops the sweep.
    """
    tasks = tasks_of(plan)
    missing = {task.key: task for task in tasks if task.key not in journal.finished}
    done = _Count(tasks, journal.finished)
    advanced(done.runs)
    if missing:
        for finished in engine(missing.values()):
            journal.append(finished)
            advanced(done.add(finished[0]))
    return Swept(plan, tuple(_results(plan, tasks, journal.finished)))


class _Count:
    """How many runs are done. Runs that are equal in all but their names are done once and counted as often."""

    def __init__(self, tasks: Sequence[Task], finished: Mapping[str, object]) -> None:
        self._of_key: dict[str, int] = {}
        for task in tasks:
            self._of_key[task.key] = self._of_key.get(task.key, 0) + 1
        self.runs = sum(count for key, count in self._of_key.items() if key in finished)

    def add(self, key: str) -> int:
        self.runs += self._of_key[key]
        return self.runs


def _results(plan: Plan, tasks: Sequence[Task], finished: Mapping[str, tuple[Record, ...]]) -> Iterator[RunResult]:
    count = len(plan.seeds)
    for index, task in enumerate(tasks):
        combination = plan.combinations[index // count]
        yield RunResult(index + 1, combination, task.seed, finished[task.key])
