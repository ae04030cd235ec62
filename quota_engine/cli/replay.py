"""A scenario's history, read: its jobs among the scenario's, findings about its lines, and an account of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..config.findings import finding
from ..history import History, HistoryError, read_history, refuse, taken_names, with_history
from ..model.diagnostic import Diagnostic, Positions, Severity, Span
from ..model.replay import MaxBad, Replay
from ..model.stack import Path
from ..model.work import Scenario
from ..rules import refusal_of
from .progress import progress_bar

LINES_CHECKED = 10_000
"""Lines that `validate` reads of a history: they tell whether it fits what the scenario says of it."""

_last: list[tuple[Any, History]] = []
"""The history that was read last, with all that it depends on: a sweep loads its scenario once per combination."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A scenario with the jobs of its history, None where there is no such; what was found; and an account of it."""

    scenario: Scenario | None
    found: tuple[Diagnostic, ...]
    account: str = ""

    @property
    def is_bad(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.found)


def replayed(
    scenario: Scenario,
    where: Positions,
    *,
    max_bad: MaxBad | None = None,
    quiet: bool = True,
    lines_max: int | None = None,
) -> Replayed:
    """Read the history that a scenario replays. `max_bad` wins over the scenario's own limit.

    `lines_max`: only so many lines are read, to find what is wrong with them.
    """
    replay = scenario.replay
    if replay is None:
        return Replayed(scenario, ())
    try:
        history = refuse(_read(scenario, replay, quiet, lines_max), refusal_of(scenario))
    except HistoryError as error:
        return Replayed(None, (_unusable(error, where),))
    limit = max_bad or replay.max_bad
    found = tuple(_findings(history, replay, limit, where))
    return Replayed(with_history(scenario, history), found, account(history, limit))


def _read(scenario: Scenario, replay: Replay, quiet: bool, lines_max: int | None) -> History:
    """Read a history, or take it as it was read last: a sweep loads its scenario for each combination."""
    names = (tuple(job.name for job in scenario.jobs), tuple(one.name for one in scenario.workloads))
    try:
        status = os.stat(replay.file)
    except OSError as error:
        raise HistoryError(f"can't read {replay.shown}", why=error.strerror or str(error)) from error
    key = (replay, scenario.start, names, status.st_mtime_ns, status.st_size, lines_max)
    if _last and _last[0][0] == key:
        return _last[0][1]
    _last.clear()
    with progress_bar(f"reading {os.path.basename(replay.shown)}", status.st_size, quiet=quiet) as progress:
        history = read_history(
            replay, start=scenario.start, is_taken=taken_names(scenario), progress=progress, lines_max=lines_max
        )
    _last.append((key, history))
    return history


def _unusable(error: HistoryError, where: Positions) -> Diagnostic:
    """Say of a history as a whole why it can't be replayed, at the key that is to blame."""
    rule = "QE530" if error.place in (("file",), ("limit",)) else "QE531"
    path: Path = ("replay", *error.place)
    return finding(rule, error.what, span=where.span(path), path=path, why=error.why, fix=error.fix)


def _findings(history: History, replay: Replay, limit: MaxBad, where: Positions) -> Iterator[Diagnostic]:
    path: Path = ("replay", "file")
    here = where.span(path)
    allowed = limit.allowed(history.line_count)
    is_over = history.bad_count > allowed
    why = f"{history.bad_count:,} of {history.line_count:,} lines are bad, and {allowed:,} are allowed"
    fix = "correct what the scenario says of the columns, or allow more with max_bad" if is_over else ""
    file = replay.file.replace(os.sep, "/")
    for bad in history.bad:
        first = Span(file, bad.first[0], 1, bad.first[0], 2)
        found = finding(
            "QE532",
            f"{history.shown}, {bad}",
            span=here,
            path=(*path, bad.first[0]),
            why=why,
            fix=fix,
            related=((first, "the first of them"),),
        )
        yield found if is_over else replace(found, severity=Severity.WARNING)
    if not history.jobs and history.is_whole and not is_over:
        reasons = "; ".join(f"{count:,} lines: {reason}" for reason, count in history.left_out.items())
        message = f"the history {history.shown} has no job to replay"
        yield finding("QE533", message, span=here, path=path, why=reasons or "it has no line about a job")


def account(history: History, limit: MaxBad) -> str:
    """Tell in a line what became of a history's lines."""
    parts = [f"{history.shown}: {_count(len(history.jobs), 'job')} of {_count(history.line_count, 'line')}"]
    parts += [f"{count:,} left out: {reason}" for reason, count in history.left_out.items()]
    if history.bad:
        parts.append(f"{history.bad_count:,} bad, {limit.allowed(history.line_count):,} allowed")
    return "; ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
