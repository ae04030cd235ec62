"""How messages name a place in a document and show a value."""

from __future__ import annotations

from typing import Final

from ..model.stack import Path
from .scalars import numeric_value
from .tree import Node, Numeral

_OWNERS: Final = {
    "service_environments": "service environment",
    "scheduling_policies": "scheduling policy",
    "job_queues": "job queue",
    "quota_shares": "quota share",
    "jobs": "job",
    "workloads": "workload",
    "events": "event",
    "expect": "expectation",
}
_TYPES: Final = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "a map",
    "array": "a list",
}
_SHOWN_MAX: Final = 60


def type_name(schema_type: object) -> str:
    """Name a JSON Schema type in our words."""
    names = [schema_type] if isinstance(schema_type, str) else list(schema_type or ())  # type: ignore[call-overload]
    return " or ".join(_TYPES.get(name, str(name)) for name in names if name != "null")


def place(path: Path, tree: Node | None = None) -> str:
    """Name what stands at `path`, e.g. "borrow_limit in resource_sharing of quota share 'QS1'"."""
    owner_at = max((i for i, part in enumerate(path[:-1]) if part in _OWNERS), default=None)
    if owner_at is None:
        return _inside(path) or "the document"
    rest = _inside(path[owner_at + 2 :])
    noun = _OWNERS[str(path[owner_at])]
    name = path[owner_at + 1]
    owner = f"{noun} '{name}'" if isinstance(name, str) else f"{noun} {_item(tree, path[owner_at], name)}"
    return f"{rest} of {owner}" if rest else owner


def _inside(path: Path) -> str:
    return " in ".join(part if isinstance(part, str) else f"entry {part + 1}" for part in reversed(path))


def _item(tree: Node | None, key: str | int, index: int) -> str:
    """Return the quoted name of a list's item that has one, else its number from 1."""
    items = tree.at(str(key)) if tree else None
    if items and isinstance(items.content, tuple) and index < len(items.content):
        name = items.content[index].at("name")
        if name and isinstance(name.content, str):
            return f"'{name.content}'"
    return str(index + 1)


def seen(node: Node | None) -> str:
    """Show a value the way it was written."""
    match node.content if node else None:
        case dict():
            return "a map"
        case tuple():
            return "a list"
        case str(text):
            return f'"{short(text)}"'
        case None:
            return "nothing (null)"
        case _:
            return short(node.written) if node else ""


def short(text: str) -> str:
    """Cut a long text for a message."""
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 1] + "…"


def decimal(node: Node) -> str | None:
    """Return the decimal digits to write for what is meant as an integer; None where nothing is."""
    match node.content:
        case bool() | None | dict() | tuple():
            return None
        case Numeral(_, value):
            number = value
        case _:
            number = numeric_value(node.written)
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        number = int(number)
    return str(number) if isinstance(number, int) else None


def is_numeric(node: Node) -> bool:
    """Whether a value looks like a number, whole or not."""
    match node.content:
        case bool():
            return False
        case int() | float() | Numeral():
            return True
        case str():
            return numeric_value(node.written.strip()) is not None
        case _:
            return False
