"""What a scenario expects: that it is about something there, at a time that comes, and within bounds that can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..model.diagnostic import Diagnostic
from ..model.stack import Path
from .build_scenario import BOUNDS, FIGURES, STATUSES, milliseconds
from .findings import finding
from .known import Known

Data = Mapping[str, Any]

BOUNDED: Final = ("borrowed", "lent", "utilisation")


def check_expectations(data: Data, known: Known) -> Iterator[Diagnostic]:
    """Yield every finding about the entries of `expect`."""
    for index, expectation in enumerate(data.get("expect", ())):
        path: Path = ("expect", index)
        stated = expectation or {}
        yield from known.time(stated.get("at"), "this speaks of", (*path, "at"))
        for kind, meant in stated.items():
            if kind in STATUSES:
                for position, name in enumerate(meant):
                    yield from known.job(name, (*path, kind, position))
            elif isinstance(meant, dict):
                yield from _about(kind, meant, known, (*path, kind))


def _about(kind: str, meant: Data, known: Known, path: Path) -> Iterator[Diagnostic]:
    """Judge what one expectation names, and its bounds."""
    yield from known.job(meant.get("job"), (*path, "job"))
    yield from known.share(meant.get("share"), (*path, "share"))
    yield from known.workload(meant.get("workload"), (*path, "workload"))
    yield from known.unit(meant.get("instance_type"), (*path, "instance_type"))
    if kind == "preempted":
        yield from known.job(meant.get("by"), (*path, "by"))
    if kind == "finished":
        yield from known.time(meant.get("by"), "this speaks of", (*path, "by"))
    if kind == "wait":
        yield from _figures(meant, path)
    if kind in BOUNDED:
        yield from _bounds(meant, path)


def _figures(meant: Data, path: Path) -> Iterator[Diagnostic]:
    figures = [figure for figure in FIGURES if isinstance(meant.get(figure), dict)]
    if not figures:
        yield finding("QE510", f"it bounds none of {', '.join(FIGURES)}", path=path, fix="add e.g. p95: {at_most: 2h}")
    for figure in figures:
        yield from _bounds(meant[figure], (*path, figure))


def _bounds(meant: Data, path: Path) -> Iterator[Diagnostic]:
    """Judge `at_least` and `at_most`: durations or numbers."""
    least, most = (_amount(meant.get(bound)) for bound in BOUNDS)
    if least is None and most is None:
        yield finding("QE510", "it says neither at_most nor at_least", path=path, fix="add one of them, or both")
    elif least is not None and most is not None and least > most:
        message = f"at_least is {meant['at_least']}, which is more than at_most, {meant['at_most']}"
        yield finding("QE510", message, path=(*path, "at_least"), why="nothing is both", fix="exchange them")


def _amount(bound: object) -> float | None:
    if isinstance(bound, str):
        return milliseconds(bound)
    return bound if isinstance(bound, int | float) else None
