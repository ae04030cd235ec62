"""A scenario's document → `Loaded[Scenario]`: what it includes, its parameters, its stacks, its references, its value.

The scenario is as declared: its workloads are generated later, from the seed.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final

from ..model.diagnostic import Diagnostic, Positions
from ..model.replay import Replay
from ..model.sampling import Empirical
from ..model.stack import JobQueue, Path, Stack
from ..model.work import ApplyStack, Event, Scenario
from .build_capacity import build_capacity, check_capacity
from .build_replay import build_replay
from .build_scenario import build_event, build_expectation, build_jobs, build_timing, copy_names, milliseconds
from .build_workloads import build_workload, parse_start
from .document import Document, read_document
from .findings import FINDINGS_MAX, finding, too_many
from .include import read_work
from .known import complete, names_of
from .links import Family
from .load_stack import data_of, read_stack
from .loaded import Loaded, has_errors, in_order, nothing
from .observed import read_observed
from .overlay import Overlay
from .parameters import substitute
from .references import check_references, choose_queue
from .replay_checks import REPLAY, check_replay
from .shape import check_shape
from .similar import did_you_mean
from .source import Unreadable, read_source
from .tree import positions
from .workload_checks import check_start


@dataclass(slots=True)
class _Reading:
    """A scenario while it is read: its data without what was faulty, and what was found and read so far."""

    file: str
    family: Family
    where: Positions
    broken: Collection[Path]
    data: Mapping[str, Any]
    overlay: Overlay
    found: list[Diagnostic] = field(default_factory=list)
    stacks: dict[str, Loaded[Stack] | None] = field(default_factory=dict)

    def beside(self, name: str, path: Path) -> str:
        """Return the path of a file that the value at `path` names, relative to the file where that stands."""
        span = self.where.span(path)
        folder = posixpath.dirname(span.file if span else self.file)
        return posixpath.normpath(posixpath.join(folder, name.replace(os.sep, "/")))


def read_scenario(
    document: Document, overlay: Overlay = (), parameters: Mapping[str, str] | None = None
) -> Loaded[Scenario]:
    """Join a scenario's document with all it includes, put its parameters' values in place, check and build it."""
    joined, family = read_work(document)
    if joined is None:
        return nothing(document, "scenario", family)
    tree, substitution = substitute(joined, parameters or {})
    where = positions(tree)
    shape = check_shape("scenario", tree)
    reading = _Reading(document.file, family, where, shape.broken, data_of(shape), overlay)
    reading.found += [*family.diagnostics, *substitution.diagnostics, *shape.diagnostics]
    value = _read(reading) if shape.is_complete else None
    parts = tuple(stack for stack in reading.stacks.values() if stack is not None)
    found = [*reading.found, *(one for part in parts for one in part.diagnostics)]
    diagnostics = in_order(map(substitution.explain, where.locate(found)), where)
    value = None if has_errors(diagnostics) else value
    return Loaded(
        document.file,
        "scenario",
        value,
        diagnostics,
        where,
        {**family.sources, **{file: text for part in parts for file, text in part.sources.items()}},
        ignores=family.ignores,
        stacks=parts,
        entries=_entries(reading.data) if value else {},
    )


def _entries(data: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """Return where each job and workload stands in its list."""
    jobs = {("jobs", copy_names(job)[0]): index for index, job in enumerate(data.get("jobs", ()))}
    return jobs | {("workloads", one["name"]): index for index, one in enumerate(data.get("workloads", ()))}


def _read(reading: _Reading) -> Scenario | None:
    """Read what the scenario names and check its references; return its value where all that it needs is there."""
    own = _named_stack(reading, reading.data.get("stack"), ("stack",), reading.overlay)
    queue: JobQueue | None = None
    if own is not None and own.draft is not None:
        queue, problems = choose_queue(own.draft, reading.data.get("queue"))
        reading.found += problems
        if queue is not None:
            references = check_references(reading.data, own.draft, queue, reading.where)
            replay = _replay_checks(reading, own.draft, queue)
            known = names_of(reading.data, own.draft, queue)
            capacity = check_capacity(reading.data, known, reading.where, reading.broken)
            reading.found += _first(_not_taken_out(reading.broken, chain(references, replay, capacity)))
    reading.found += _not_taken_out(reading.broken, check_start(reading.data))
    events = _events(reading, queue.name if queue else "")
    observed = _observed(reading)
    if own is None or own.value is None or queue is None or has_errors(reading.found):
        return None
    scenario = _build(reading.data, own.value, queue.name, events, observed)
    return replace(scenario, replay=_replay(reading, own.value, queue)) if REPLAY in reading.data else scenario


def _history(reading: _Reading) -> str:
    """Return the path of the history that is replayed, "" where none is named."""
    name = reading.data[REPLAY].get("file")
    return reading.beside(name, (REPLAY, "file")) if name else ""


def _replay_checks(reading: _Reading, stack: Stack, queue: JobQueue) -> Iterator[Diagnostic]:
    if isinstance(reading.data.get(REPLAY), Mapping):
        return check_replay(reading.data[REPLAY], names_of(reading.data, stack, queue), _history(reading))
    return iter(())


def _replay(reading: _Reading, stack: Stack, queue: JobQueue) -> Replay:
    units = names_of(reading.data, stack, queue).units
    return build_replay(reading.data[REPLAY], _history(reading), units)


_OF_PARTS: Final = {"QE510": None, "QE517": "until", "QE519": "start"}
"""What is said of a value for what it lacks → a key of the scenario that could make good for it."""


def _not_taken_out(broken: Collection[Path], found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what is said of a value only because a part of it was faulty and was taken out."""
    above = {path[:length] for path in broken for length in range(len(path) + 1)}
    for one in found:
        is_lack = one.rule in _OF_PARTS
        if not (is_lack and (one.path in above or (_OF_PARTS[one.rule],) in broken)):
            yield one


def _first(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return no more findings than anybody reads, the last of them saying so."""
    shown = list(islice(found, FINDINGS_MAX + 1))
    if len(shown) > FINDINGS_MAX:
        shown[FINDINGS_MAX] = too_many(path=shown[FINDINGS_MAX].path)
    return shown


def _build(
    data: Mapping[str, Any], stack: Stack, queue: str, events: list[Event], observed: Mapping[int, Empirical]
) -> Scenario:
    return Scenario(
        description=data.get("description", ""),
        stack=stack,
        queue=queue,
        jobs=build_jobs(data.get("jobs", [])),
        events=tuple(events),
        expectations=tuple(build_expectation(i, entry) for i, entry in enumerate(data.get("expect", ()))),
        timing=build_timing(data.get("timing", {})),
        assumptions=data.get("assumptions", {}),
        until_ms=milliseconds(data.get("until")),
        seed=data.get("seed", 0),
        start=parse_start(data["start"]) if "start" in data else None,
        workloads=tuple(build_workload(one, observed.get(i)) for i, one in enumerate(data.get("workloads", ()))),
        capacity=build_capacity(data),
    )


def _named_stack(reading: _Reading, name: str | None, path: Path, overlay: Overlay = ()) -> Loaded[Stack] | None:
    """Load a stack that the scenario names at `path`, once; a finding where that can't be."""
    if name is None:
        return None
    file = reading.beside(name, path)
    if file not in reading.stacks:
        try:
            reading.stacks[file] = read_stack(read_document(file), overlay)
        except Unreadable as error:
            reading.stacks[file] = None
            message = f"the stack {name} can't be read: {error.reason}"
            fix = "name a stack's file, relative to the scenario"
            reading.found.append(finding("QE501", message, path=path, fix=fix))
    loaded = reading.stacks[file]
    if loaded is not None and loaded.value is None:
        message = f"the stack {name} has errors of its own"
        reading.found.append(finding("QE502", message, path=path, fix=f"run quota-engine validate {file}"))
    return loaded


def _events(reading: _Reading, queue: str) -> list[Event]:
    """Build the events, loading the stacks that `apply` names."""
    events: list[Event] = []
    for index, entry in complete(reading.data.get("events", ()), "at"):
        event = _applied(reading, entry, index, queue) if "apply" in entry else _event(entry)
        if event is not None:
            events.append(event)
    return events


def _applied(reading: _Reading, entry: Mapping[str, Any], index: int, queue: str) -> ApplyStack | None:
    """Build the event that applies another stack; None, with a finding, where that can't be."""
    path: Path = ("events", index, "apply")
    applied = _named_stack(reading, entry["apply"], path)
    if applied is None or applied.value is None:
        return None
    if queue and queue not in applied.value.job_queues:
        message = f"the stack {entry['apply']} has no job queue '{queue}'"
        fix = did_you_mean(queue, applied.value.job_queues)
        reading.found.append(finding("QE503", message, path=path, fix=fix))
    return ApplyStack(milliseconds(entry["at"]) or 0, applied.value, applied.file)


def _event(entry: Mapping[str, Any]) -> Event | None:
    """Build an event from data whose faulty values were taken out; None where too little is left."""
    try:
        return build_event(entry)
    except (KeyError, TypeError):
        return None


def _observed(reading: _Reading) -> dict[int, Empirical]:
    """Read the durations that workloads take from files: entry of `workloads` → its durations."""
    observed = {}
    for index, workload in complete(reading.data.get("workloads", ()), "duration"):
        match workload["duration"]:
            case {"empirical": str(name)}:
                found = _durations(reading, name, ("workloads", index, "duration", "empirical"))
                if found is not None:
                    observed[index] = found
            case _:
                pass
    return observed


def _durations(reading: _Reading, name: str, path: Path) -> Empirical | None:
    """Return the durations of a file; None, with findings, where it has none."""
    file = reading.beside(name, path)
    try:
        source = read_source(file)
    except Unreadable as error:
        message = f"the durations in {name} can't be read: {error.reason}"
        reading.found.append(finding("QE518", message, path=path, fix="name a file, relative to the scenario"))
        return None
    reading.family.sources[source.file] = source.text
    durations = read_observed(source)
    reading.found += durations.diagnostics
    return durations.distribution(name)
