"""Text → `Fleet` and `Baseline`, by the same reading, shape and positions as declarations."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, TypeVar

from ..model.diagnostic import Diagnostic, Positions, Severity
from ..model.stack import Path
from ..model.supplements import Accepted, Baseline, Fleet, FleetStack
from .document import Document, read_document
from .findings import finding
from .shape import check_shape
from .tree import plain, positions

T = TypeVar("T")
_ELEMENT = re.compile(r"\[(?P<bracketed>[^\[\]]+)\]|(?:^|\.)(?P<plain>[^.\[\]]+)")


@dataclass(frozen=True, slots=True)
class Supplement(Generic[T]):
    """What became of a file: `value` is None when `diagnostics`, located and ordered, hold any error."""

    file: str
    value: T | None
    diagnostics: tuple[Diagnostic, ...]
    positions: Positions = field(default_factory=Positions)
    sources: Mapping[str, str] = field(default_factory=dict)


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return what a file says it is, "" where it can't be told. Raises `Unreadable`."""
    tree = read_document(os.fspath(path)).tree
    kind = tree.at("kind") if tree else None
    return kind.content if kind and isinstance(kind.content, str) else ""


def load_fleet(path: str | os.PathLike[str]) -> Supplement[Fleet]:
    """Read a fleet; the declarations that it names are not read. Raises `Unreadable`."""
    return fleet(read_document(os.fspath(path)))


def load_baseline(path: str | os.PathLike[str]) -> Supplement[Baseline]:
    """Read accepted differences. Raises `Unreadable`."""
    return baseline(read_document(os.fspath(path)))


def fleet(document: Document) -> Supplement[Fleet]:
    data, found, where = _data(document, "fleet")
    stacks = tuple(
        FleetStack(entry["stack"], entry.get("profile"), entry.get("role_arn"))
        for entry in data.get("stacks") or ()
        if isinstance(entry, dict) and "stack" in entry
    )
    return _supplement(document, Fleet(stacks), found, where)


def baseline(document: Document) -> Supplement[Baseline]:
    data, found, where = _data(document, "baseline")
    accepted: list[Accepted] = []
    for index, entry in enumerate(data.get("accept") or ()):
        if not isinstance(entry, dict) or not {"path", "reason", "until"} <= entry.keys():
            continue
        place: Path = ("accept", index)
        elements = path_of(entry["path"])
        if elements is None:
            message = f'path in entry {index + 1} in accept is "{entry["path"]}", which is no path'
            fix = "copy it from a drift report, e.g. job_queues.training.quota_shares.QS1.state"
            found.append(finding("QE205", message, path=(*place, "path"), fix=fix))
        elif not _is_date(entry["until"]):
            message = f'until in entry {index + 1} in accept is "{entry["until"]}", which is no date'
            found.append(finding("QE205", message, path=(*place, "until"), fix="write a day like 2027-01-31"))
        else:
            accepted.append(_accepted(entry, elements))
    return _supplement(document, Baseline(tuple(accepted)), found, where)


def _accepted(entry: Mapping[str, Any], path: Path) -> Accepted:
    return Accepted(
        text=entry["path"],
        path=path,
        reason=entry["reason"],
        until=entry["until"],
        live=entry.get("live"),
        has_live="live" in entry,
        stack=entry.get("stack"),
    )


def path_of(text: str) -> Path | None:
    """Return the elements of a path as reports write it, None where it is none: a.b[c.d].e is a, b, c.d, e."""
    elements: list[str] = []
    end = 0
    for match in _ELEMENT.finditer(text):
        if match.start() != end:
            return None
        elements.append(match["bracketed"] or match["plain"])
        end = match.end()
    return tuple(elements) if elements and end == len(text) else None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _data(document: Document, kind: str) -> tuple[dict[str, Any], list[Diagnostic], Positions]:
    """Return the checked data of a document and what was wrong with its text and shape."""
    if document.tree is None:
        return {}, list(document.diagnostics), Positions()
    shape = check_shape(kind, document.tree)
    data = plain(shape.tree)
    found = [*document.diagnostics, *shape.diagnostics]
    return (data if isinstance(data, dict) else {}), found, positions(document.tree)


def _supplement(document: Document, value: T, found: list[Diagnostic], where: Positions) -> Supplement[T]:
    located = tuple(sorted(where.locate(found), key=lambda one: one.sort_key))
    failed = any(one.severity is Severity.ERROR for one in located)
    return Supplement(document.file, None if failed else value, located, where, {document.file: document.text})
