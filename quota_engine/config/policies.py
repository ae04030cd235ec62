"""An organisation's own policies: text → `Policy`, and a stack's data judged by them.

A policy is data, a JSON Schema and the names it is for; nothing of it is executed, and nothing is fetched. What it
judges is the declaration as it would be deployed: merged, with the stack's own defaults and those of the format.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from ..model.diagnostic import KEY, Diagnostic, Severity
from ..model.policy import Policy, Subject
from ..model.service_facts import DEFAULT_QUEUE_PRIORITY, IDLE_RESOURCE_ASSIGNMENT
from ..model.stack import UNLIMITED, Path, State, Strategy
from ..model.trouble import Trouble
from .defaults import SHARE_DEFAULTS
from .document import Document, read_document
from .findings import finding
from .patience import OutOfPatience, at_most
from .shape import check_shape
from .supplements import Supplement
from .tree import Node, Numeral, plain, positions, walk

Data = Mapping[str, Any]
_ID: Final = re.compile(r"QE7[0-9][0-9]")
SECONDS_MAX: Final = 2.0
"""Processor time that one policy may take with one stack: many times what a thousand shares need."""
_SECTIONS: Final = {Subject.ENVIRONMENT: "service_environments", Subject.QUEUE: "job_queues"}


def load_policy(path: str | os.PathLike[str]) -> Supplement[Policy]:
    """Read a policy. Raises `Unreadable`."""
    return policy(read_document(os.fspath(path)))


def policy(document: Document) -> Supplement[Policy]:
    """Read a policy from a document that says `kind: policy`."""
    if document.tree is None:
        return Supplement(document.file, None, document.diagnostics, sources={document.file: document.text})
    shape = check_shape("policy", document.tree)
    where = positions(document.tree)
    data: Any = plain(shape.tree)
    found = [*document.diagnostics, *shape.diagnostics]
    if "id" in data and not _ID.fullmatch(data["id"]):
        message = f'id is "{data["id"]}"; it can be QE700 to QE799'
        found.append(finding("QE216", message, path=("id",), why="the other ids are taken", fix="write e.g. QE701"))
    if isinstance(data.get("schema"), dict):
        found += _schema_faults(data["schema"], document.tree.at("schema"))
    located = tuple(sorted(where.locate(found), key=lambda one: one.sort_key))
    failed = any(one.severity is Severity.ERROR for one in located)
    value = None if failed else _build(data, document.file)
    return Supplement(document.file, value, located, where, {document.file: document.text})


def _build(data: Data, file: str) -> Policy:
    only = data.get("only", {})
    return Policy(
        id=data["id"],
        name=data["name"],
        severity=Severity(data.get("severity", Severity.ERROR)),
        message=data["message"],
        applies_to=Subject(data["applies_to"]),
        schema=data["schema"],
        why=data.get("why", ""),
        fix=data.get("fix", ""),
        stacks=tuple(only.get("stacks", ())),
        queues=tuple(only.get("queues", ())),
        shares=tuple(only.get("shares", ())),
        file=file,
    )


def _schema_faults(schema: dict[str, Any], tree: Node | None) -> Iterator[Diagnostic]:
    """Yield what makes a schema none; at most one fault of the schema's own."""
    for path, node in walk(tree) if tree else ():
        if isinstance(node.content, Numeral):
            message = f"the schema holds {node.written}, which is no number in plain digits"
            yield finding("QE204", message, path=("schema", *path), fix="write it in decimal digits")
            return
        for key in ("$ref", "$dynamicRef"):
            if key in node.members:
                message = f"the schema has a {key}"
                why = "a policy stands on its own, so that its judgement never depends on another file"
                fix = "write the part out, or use a YAML anchor"
                yield finding("QE215", message, path=("schema", *path, key), why=why, fix=fix)
                return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield finding(
            "QE215", f"the schema is none: {error.message}", path=("schema", *error.absolute_path), fix="correct it"
        )


def check_policies(policies: Iterable[Policy], stack: Data) -> list[Diagnostic]:
    """Judge a stack's data by policies: one finding for each object that does not meet one. Findings have no spans.

    Raises Trouble for a policy that comes to no end, as a pattern with repeats inside repeats may.
    """
    whole = complete(stack)
    found: list[Diagnostic] = []
    for one in policies:
        try:
            with at_most(SECONDS_MAX):
                found += _check(one, whole)
        except OutOfPatience as stopped:
            raise Trouble(
                f"policy {one.id} in {one.file} comes to no end",
                why="a pattern in it has repeats inside repeats, which take for ever on some values",
                fix="write the pattern without them, e.g. ^[a-z-]+$ instead of ^([a-z]+-?)+$",
            ) from stopped
    return found


def _check(one: Policy, stack: Data) -> Iterator[Diagnostic]:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(dict(one.schema))
    for path, label, value in _subjects(one, stack):
        problem = _problem(validator, value)
        if problem is not None:
            below, detail = problem
            yield Diagnostic(
                rule=one.id,
                name=one.name,
                severity=one.severity,
                message=f"{label}: {one.message} ({detail})",
                path=(*path, *(below or (KEY,) if path else below)),
                why=one.why or f"it is a policy of this organisation, stated in {one.file}",
                fix=one.fix or "change the value, or the policy",
            )


def _problem(validator: Any, value: object) -> tuple[Path, str] | None:
    """Return where in `value` the policy's schema is not met, and how; None where it is."""
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(value))
    if error is None:
        return None
    return tuple(error.absolute_path), _shortened(error.message)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:159]}…"


def _subjects(one: Policy, stack: Data) -> Iterator[tuple[Path, str, object]]:
    """Yield (path, what to call it, value) of every object that a policy is for, in declared order."""
    name = stack.get("name", "")
    if not _matches(name, one.stacks):
        return
    match one.applies_to:
        case Subject.STACK:
            yield (), f"stack '{name}'", stack
        case Subject.ENVIRONMENT:
            for key, value in stack.get("service_environments", {}).items():
                yield ("service_environments", key), f"service environment '{key}'", value
        case Subject.QUEUE:
            for key, value in _queues(one, stack):
                yield ("job_queues", key), f"job queue '{key}'", value
        case Subject.SHARE:
            for key, value in _queues(one, stack):
                for share, inner in value.get("quota_shares", {}).items():
                    if _matches(share, one.shares):
                        yield ("job_queues", key, "quota_shares", share), f"quota share '{share}'", inner


def _queues(one: Policy, stack: Data) -> Iterator[tuple[str, Data]]:
    return ((key, value) for key, value in stack.get("job_queues", {}).items() if _matches(key, one.queues))


def _matches(name: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def complete(stack: Data) -> dict[str, Any]:
    """Return a stack's data with the format's own defaults written out, and each resource's name in it."""
    return {
        **stack,
        "service_environments": _each(stack, "service_environments", lambda one: {"state": State.ENABLED.value, **one}),
        "scheduling_policies": _each(
            stack, "scheduling_policies", lambda one: {"idle_resource_assignment": IDLE_RESOURCE_ASSIGNMENT[0], **one}
        ),
        "job_queues": _each(stack, "job_queues", _queue),
    }


def _each(data: Data, section: str, fill: Any) -> dict[str, Any]:
    return {name: {"name": name, **fill(one)} for name, one in data.get(section, {}).items()}


def _queue(queue: Data) -> dict[str, Any]:
    rest = {key: value for key, value in queue.items() if key != SHARE_DEFAULTS}
    defaults = {"priority": DEFAULT_QUEUE_PRIORITY, "state": State.ENABLED.value, "job_state_time_limit_actions": []}
    return {**defaults, **rest, "quota_shares": _each(queue, "quota_shares", _share)}


def _share(share: Data) -> dict[str, Any]:
    sharing = dict(share.get("resource_sharing", {}))
    if sharing.get("strategy") == Strategy.LEND_AND_BORROW.value:
        sharing.setdefault("borrow_limit", UNLIMITED)
    preemption = {"in_share": State.DISABLED.value, **share.get("preemption", {})}
    return {"state": State.ENABLED.value, **share, "resource_sharing": sharing, "preemption": preemption}
