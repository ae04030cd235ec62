"""A document as a tree of values that know where they stand: what YAML and JSON text become, what `extends` merges.

A `Node` keeps the span of its value and, for a scalar, the text as written, so that a message can show what the user
typed and not what a reader made of it. Trees share subtrees (YAML aliases) but are never cyclic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ..model.diagnostic import Positions, Span
from ..model.stack import Path


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a spelling that people read differently (0777, 0x1F, +5, 1e400) or too long to be one of ours.

    It is neither text nor integer: wherever it stands it is refused with what to write instead.
    """

    written: str
    value: int | float | None


VALUES_MAX: Final = 60_000
"""Keys and values of one file: three times what the largest stack that an account has room for takes."""


class Unread(Enum):
    """What stands for a value whose fault was reported when the text was read; nothing more is said about it."""

    UNREAD = "unread"


UNREAD: Final = Unread.UNREAD

Scalar = str | int | float | bool | None | Numeral | Unread


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of a map: where its key stands, and its value."""

    key_span: Span
    node: Node


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its place. `written` is a scalar's text, "" for maps and lists."""

    span: Span
    content: Scalar | dict[str, Member] | tuple[Node, ...]
    written: str = ""

    @property
    def members(self) -> Mapping[str, Member]:
        """The entries of a map; none for anything else."""
        return self.content if isinstance(self.content, dict) else {}

    def at(self, *path: str) -> Node | None:
        """Return the node below the keys of `path`, None where there is none."""
        node: Node | None = self
        for key in path:
            member = node.members.get(key) if node else None
            node = member.node if member else None
        return node


def plain(node: Node) -> object:
    """Return the bare data: dicts, lists and scalars."""
    match node.content:
        case dict(members):
            return {key: plain(member.node) for key, member in members.items()}
        case tuple(items):
            return [plain(item) for item in items]
        case scalar:
            return scalar


def size(node: Node | None) -> int:
    """Return the number of values in a tree, none for none."""
    return sum(1 for _ in walk(node)) if node else 0


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Yield every node with its path, parents first, in the order of the text."""
    yield path, node
    match node.content:
        case dict(members):
            for key, member in members.items():
                yield from walk(member.node, (*path, key))
        case tuple(items):
            for index, item in enumerate(items):
                yield from walk(item, (*path, index))


def positions(node: Node) -> Positions:
    """Return where every key and value of the tree stands."""
    values: dict[Path, Span] = {}
    keys: dict[Path, Span] = {}
    for path, inner in walk(node):
        values[path] = inner.span
        for key, member in inner.members.items():
            keys[(*path, key)] = member.key_span
    return Positions(values, keys)
