"""The front door: a path → `Loaded`, a value with everything that was found on the way to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..model.stack import Stack
from ..model.work import Scenario
from .document import Document, read_document
from .extends import read_family, strip_nulls
from .findings import finding
from .load_scenario import read_scenario
from .load_stack import read_stack
from .loaded import Loaded, in_order, nothing, unique
from .overlay import Overlay
from .policies import policy
from .schema import KINDS
from .shape import check_shape
from .similar import did_you_mean, nearest, respelt
from .supplements import Supplement, baseline, fleet
from .tree import Node, positions
from .wording import seen


def load_stack(path: str | os.PathLike[str], overlay: Overlay = ()) -> Loaded[Stack]:
    """Read a stack with all it extends, the values of `overlay` laid over it. Raises `Unreadable`."""
    return read_stack(read_document(os.fspath(path)), overlay)


def load_scenario(
    path: str | os.PathLike[str], overlay: Overlay = (), parameters: Mapping[str, str] | None = None
) -> Loaded[Scenario]:
    """Read a scenario and the files it names, as declared: its workloads are not generated yet. Raises `Unreadable`
    for the scenario's own file only, and `Trouble` for a parameter that it does not have.

    `overlay` is laid over the stack that it runs on, and not over others that its events apply. `parameters` are
    {name: value as written}, in place of the scenario's own values.
    """
    return read_scenario(read_document(os.fspath(path)), overlay, parameters)


def load_document(path: str | os.PathLike[str]) -> Loaded[Stack | Scenario | None]:
    """Read what the file says it is: a stack or a scenario; other kinds have no value here. Raises `Unreadable`."""
    document = read_document(os.fspath(path))
    kind = document.tree.at("kind") if document.tree else None
    match kind.content if kind else None:
        case "scenario":
            return read_scenario(document)
        case "stack":
            return read_stack(document)
        case "fragment":
            return _fragment(document)
        case "fleet":
            return _supplement(document, "fleet", fleet(document))
        case "baseline":
            return _supplement(document, "baseline", baseline(document))
        case "policy":
            return _supplement(document, "policy", policy(document))
        case _:
            return _unknown(document, kind)


_OF_EXTENDS: Final = ("QE211", "QE213")
"""What is wrong with a fragment's own `extends`, whoever extends it. Its folder a stack above it may widen."""


def _fragment(document: Document) -> Loaded[None]:
    """Judge a fragment's own text and keys; what it declares is judged in the stacks that extend it."""
    if document.tree is None:
        return nothing(document, "fragment")
    tree = strip_nulls(document.tree)
    shape = check_shape("fragment", tree)
    where = positions(tree)
    _, family = read_family(document)
    of_extends = [one for one in family.diagnostics if one.rule in _OF_EXTENDS]
    diagnostics = in_order([*document.diagnostics, *shape.diagnostics, *of_extends], where)
    sources = family.sources if of_extends else {document.file: document.text}
    return Loaded(document.file, "fragment", None, diagnostics, where, sources, ignores=document.ignores)


def _supplement(document: Document, kind: str, read: Supplement[Any]) -> Loaded[None]:
    """Take over what was found in a file that stands beside declarations; what it names is judged where it is used."""
    return Loaded(document.file, kind, None, read.diagnostics, read.positions, read.sources, ignores=document.ignores)


_TELLING: Final = {
    "jobs": "scenario",
    "job_queues": "stack",
    "service_environments": "stack",
    "scheduling_policies": "stack",
    "region": "stack",
    "stacks": "fleet",
    "accept": "baseline",
    "schema": "policy",
}
"""Key that only one kind has → that kind."""


def _unknown(document: Document, kind: Node | None) -> Loaded[None]:
    """Say that a file does not tell what it is."""
    if document.tree is None:
        return nothing(document, "")
    choices = ", ".join(KINDS)
    likely = _likely_kind(document.tree)
    if kind is None:
        start = replace(document.tree.span, end_line=document.tree.span.line, end_column=document.tree.span.column + 1)
        message = "the document does not say what it is"
        fix = f"add kind: {likely or choices.replace(', ', ' | ')}"
        found = finding("QE209", message, span=start, path=("kind",), fix=fix)
    else:
        match = nearest(kind.written, KINDS)
        fix = did_you_mean(kind.written, KINDS) if match else f"write one of {choices}"
        found = finding(
            "QE209",
            f"kind is {seen(kind)}; it can be {choices}",
            span=kind.span,
            path=("kind",),
            fix=fix,
            replacement=respelt(kind.written, KINDS),
        )
    return Loaded(
        document.file,
        "",
        None,
        tuple(unique([*document.diagnostics, found])),
        positions(document.tree),
        {document.file: document.text},
        is_foreign=kind is None and likely is None,
    )


def _likely_kind(tree: Node) -> str | None:
    """Return the kind of which a file has a key, None where it has none of ours. The `jobs` of others are no list."""
    telling = (key for key in _TELLING if key in tree.members)
    found = (_TELLING[key] for key in telling if key != "jobs" or isinstance(tree.members[key].node.content, tuple))
    return next(found, None)
