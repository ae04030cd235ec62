"""`parameters`: `${name}` anywhere a value stands in a scenario → the value of that name.

A value that is nothing but `${name}` becomes the parameter's, number or text as that is; within a text it becomes text.
`$${` is the text `${`. Every value keeps the place where it is used, so that a finding points there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..model.diagnostic import KEY, Diagnostic, Span
from ..model.stack import Path
from ..model.trouble import Trouble
from .findings import finding
from .include import PARAMETERS
from .scalars import resolve
from .similar import did_you_mean
from .tree import UNREAD, Member, Node

_USE: Final = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_-]*)\}|\$\{")
"""An escaped brace, a use, or one that is not well formed."""
_HEADER: Final = ("kind", "version", PARAMETERS)


@dataclass(slots=True)
class Substitution:
    """A tree in which every parameter has its value, what was wrong, and where each was used: span → its name."""

    declared: Collection[str]
    values: Mapping[str, Node]
    given: Mapping[str, str]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    uses: dict[Span, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def explain(self, found: Diagnostic) -> Diagnostic:
        """Add to a finding about a value that came from a parameter where that value was given."""
        name = self.uses.get(found.span) if found.span else None
        if name is None or found.rule == "QE514":
            return found
        if name in self.given:
            return replace(found, why=found.why or f"the value was given as {name}={self.given[name]}")
        return replace(found, related=(*found.related, (self.values[name].span, f"the value of parameter '{name}'")))


def substitute(tree: Node, given: Mapping[str, str]) -> tuple[Node, Substitution]:
    """Return the tree with its parameters' values in place. `given` are values as written, in place of the tree's own.

    Raises Trouble for one that the tree has no parameter for.
    """
    stated = tree.at(PARAMETERS)
    members = stated.members if stated else {}
    values = {
        name: member.node for name, member in members.items() if not isinstance(member.node.content, dict | tuple)
    }
    for name in given:
        if name not in members:
            fix = did_you_mean(name, members) if members else "state it under parameters in the scenario"
            raise Trouble(f"the scenario has no parameter '{name}'", fix=fix)
    values |= {name: Node(members[name].node.span, resolve(text), text) for name, text in given.items()}
    work = Substitution(members.keys(), values, given)
    changed = {
        key: member if key in _HEADER else Member(member.key_span, _replaced(work, member.node, (key,)))
        for key, member in tree.members.items()
    }
    work.diagnostics += _unused(name for name in values if name not in work.used and _USE.fullmatch(f"${{{name}}}"))
    return Node(tree.span, changed), work


def _unused(names: Iterator[str]) -> Iterator[Diagnostic]:
    for name in names:
        message = f"nothing uses the parameter '{name}'"
        yield finding(
            "QE515", message, path=(PARAMETERS, name, KEY), fix=f'write "${{{name}}}" where its value belongs'
        )


def _replaced(work: Substitution, node: Node, path: Path) -> Node:
    """Return a tree with every use in it replaced."""
    match node.content:
        case dict(members):
            kept = {key: Member(one.key_span, _replaced(work, one.node, (*path, key))) for key, one in members.items()}
            return Node(node.span, kept)
        case tuple(items):
            return Node(node.span, tuple(_replaced(work, item, (*path, i)) for i, item in enumerate(items)))
        case str(text) if "${" in text:
            return _value(work, node, text, path)
        case _:
            return node


def _value(work: Substitution, node: Node, text: str, path: Path) -> Node:
    """Return what stands for a text with uses in it; UNREAD where one of them has no value."""
    problem = next(_problems(work, text), None)
    if problem:
        message, fix = problem
        work.diagnostics.append(finding("QE514", message, span=node.span, path=path, fix=fix))
        return Node(node.span, UNREAD, node.written)
    names = [match[1] for match in _USE.finditer(text) if match[1]]
    work.used.update(names)
    if any(name not in work.values for name in names):
        return Node(node.span, UNREAD, node.written)
    if names:
        work.uses[node.span] = names[0]
    if names and text == f"${{{names[0]}}}":
        value = work.values[names[0]]
        return Node(node.span, value.content, value.written)
    written = _USE.sub(lambda match: _as_text(work.values[match[1]]) if match[1] else "${", text)
    return Node(node.span, written, written)


def _as_text(value: Node) -> str:
    return value.content if isinstance(value.content, str) else value.written


def _problems(work: Substitution, text: str) -> Iterator[tuple[str, str]]:
    """Yield (message, fix) for each use that can't be replaced."""
    for match in _USE.finditer(text):
        name = match[1]
        if name is None and match[0] == "${":
            yield "'${' begins no parameter's name", "write ${NAME}, or $${ for the text ${"
        elif name and name not in work.declared:
            fix = did_you_mean(name, work.declared) if work.declared else f"add parameters: {{{name}: VALUE}}"
            yield f"the scenario has no parameter '{name}'", fix
