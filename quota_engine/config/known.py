"""What a scenario's entries may name: shares, instance types, jobs and workloads; a finding where a name is unknown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.diagnostic import Diagnostic, Span
from ..model.stack import JobQueue, Path, Stack
from ..model.work import NUMBER_WIDTH
from .build_scenario import copy_names, milliseconds
from .findings import finding
from .similar import did_you_mean, nearest

Data = Mapping[str, Any]
_GENERATED = re.compile(rf"(.+)-([0-9]{{{NUMBER_WIDTH},}})")


@dataclass(frozen=True, slots=True)
class Known:
    """The names of one scenario. `submitted` holds the jobs that are spelled out, with the time of submission in ms."""

    queue: JobQueue
    units: tuple[str, ...]
    submitted: Mapping[str, int]
    workloads: Collection[str]
    counted: Collection[str]
    """Entries of `jobs` that stand for several copies."""
    until: str | None
    is_replayed: bool = False
    """Whether jobs come from a history too, of which the names are not known here."""

    @property
    def until_ms(self) -> int | None:
        return milliseconds(self.until)

    def share(self, name: object, path: Path) -> Iterator[Diagnostic]:
        shares = self.queue.quota_shares
        if isinstance(name, str) and name not in shares:
            message = f"job queue '{self.queue.name}' has no quota share '{name}'"
            yield finding("QE504", message, path=path, fix=did_you_mean(name, shares))

    def need(self, units: Iterable[str], path: Path) -> Iterator[Diagnostic]:
        """Judge the keys of a map of instances."""
        for unit in units:
            yield from self.unit(unit, (*path, unit, "@key"))

    def unit(self, unit: object, path: Path) -> Iterator[Diagnostic]:
        if not isinstance(unit, str) or unit in self.units:
            return
        message = f"the queue's service environment has no {unit}"
        why = "a job that needs it never runs"
        near = nearest(unit, self.units)
        fix = f"did you mean '{near}'?" if near else f"it has {', '.join(sorted(self.units)) or 'nothing'}"
        yield finding("QE508", message, path=path, why=why, fix=fix)

    def job(self, name: object, path: Path) -> Iterator[Diagnostic]:
        if self.is_replayed:
            return
        if isinstance(name, str) and name not in self.submitted and self.workload_of(name) is None:
            fix = did_you_mean(name, self.submitted)
            if not self.submitted and self.workloads:
                fix = f"name one like {next(iter(self.workloads))}-{1:0{NUMBER_WIDTH}}"
            yield finding("QE506", f"the scenario has no job '{name}'", path=path, fix=fix)

    def workload_of(self, job: str) -> str | None:
        """Return the workload that would generate a job of this name; how many it does generate is not known here."""
        match = _GENERATED.fullmatch(job)
        return match[1] if match and match[1] in self.workloads else None

    def workload(self, name: object, path: Path) -> Iterator[Diagnostic]:
        if isinstance(name, str) and name not in self.workloads and name not in self.counted:
            fix = did_you_mean(name, [*self.workloads, *self.counted])
            yield finding("QE506", f"the scenario has no workload '{name}'", path=path, fix=fix)

    def time(self, written: object, what: str, path: Path) -> Iterator[Diagnostic]:
        """Warn of a time after the scenario's end."""
        at_ms = milliseconds(written) if isinstance(written, str) else None
        if at_ms is not None and self.until_ms is not None and at_ms > self.until_ms:
            message = f"{what} {written}, after the scenario's end at {self.until}"
            yield finding("QE509", message, path=path, fix="move it, or raise until")


def names_of(data: Data, stack: Stack, queue: JobQueue) -> Known:
    """Return what the entries of a scenario may name."""
    jobs = [job for _, job in complete(data.get("jobs", ()), "name")]
    environment = stack.service_environments.get(queue.service_environment or "")
    return Known(
        queue=queue,
        units=tuple(environment.capacity_limits) if environment else (),
        submitted={name: milliseconds(job.get("submit_at")) or 0 for job in jobs for name in copy_names(job)},
        workloads=dict.fromkeys(workload["name"] for _, workload in complete(data.get("workloads", ()), "name")).keys(),
        counted=dict.fromkeys(job["name"] for job in jobs if "count" in job).keys(),
        until=data.get("until"),
        is_replayed="replay" in data,
    )


def complete(entries: Sequence[Any], key: str) -> Iterator[tuple[int, Data]]:
    """Yield the entries that are maps with `key`; faulty ones were reported before."""
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and key in entry:
            yield index, entry


def taken(noun: str, name: str, path: Path, first: Span | None) -> Diagnostic:
    """Say that a name stands for two things; `first` is where it was used before."""
    message = f"the {noun} name '{name}' is taken"
    related = [(first, "by this one")] if first else []
    return finding("QE505", message, path=path, fix=f"give each {noun} its own name", related=related)
