"""`include`: a scenario's file and the files whose work it takes → one tree. Reads files, inside its folder only.

The lists of a file that is included come before the file's own; the parameters and the capacity that it states are the
defaults of those of the same name. It may bring the history that is replayed, if nothing else does. What else it says
of its own run stays its own. A file counts once, however often it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Final

from .build_capacity import CAPACITY
from .document import Document
from .findings import finding
from .links import INCLUDE, Family, family_of, follow, references
from .merge import merge
from .replay_checks import REPLAY
from .schema import loaded
from .tree import Member, Node

LISTS: Final = ("jobs", "workloads", "events", "expect")
PARAMETERS: Final = "parameters"


def read_work(document: Document) -> tuple[Node | None, Family]:
    """Return the tree of a scenario's document with all it includes, None where its own text has none."""
    real, family = family_of(document)
    taken: list[Node] = []

    def joined(document: Document, real: str, chain: tuple[str, ...]) -> Node | None:
        """Join a document with what it includes."""
        family.add(document)
        if document.tree is None:
            return None
        new = []
        for reference in references(INCLUDE, family, document.tree):
            included = follow(INCLUDE, family, document, reference, (*chain, real), joined)
            if included is not None and not any(included is one for one in taken):
                taken.append(included)
                new.append(included)
        _refuse_second_replay([*new, document.tree], family)
        return _join(new, document.tree)

    return joined(document, real, ()), family


def _join(included: Sequence[Node], own: Node) -> Node:
    """Return the tree of a file with the lists and parameters of others before its own."""
    members = {key: member for key, member in own.members.items() if key != INCLUDE.key}
    trees = (*included, own)
    for key in LISTS:
        parts = _stated(key, trees)
        if parts:
            members[key] = reduce(_after, parts)
    for key, laid in ((PARAMETERS, merge), (CAPACITY, _by_type), (REPLAY, _last)):
        stated = _stated(key, trees)
        if stated:
            members[key] = Member(stated[-1].key_span, reduce(laid, (member.node for member in stated)))
    return Node(own.span, {**_unknown(included), **members})


def _stated(key: str, trees: Sequence[Node]) -> list[Member]:
    return [tree.members[key] for tree in trees if key in tree.members]


def _refuse_second_replay(trees: Sequence[Node], family: Family) -> None:
    """Report a second history: the jobs of all but one would be missing, and nobody would notice."""
    for first, other in pairwise(_stated(REPLAY, trees)):
        message = "a scenario replays one history, and a file that it includes states a replay too"
        fix = "leave one out, or join the histories into one file"
        related = [(first.key_span, "the other")]
        family.diagnostics.append(finding("QE536", message, span=other.key_span, fix=fix, related=related))


def _last(_: Node, over: Node) -> Node:
    """Let the last replay stand; a second one was reported."""
    return over


def _by_type(base: Node, over: Node) -> Node:
    """Lay one capacity over another: what is said of an instance type holds as a whole."""
    if not isinstance(base.content, dict) or not isinstance(over.content, dict):
        return over
    return Node(over.span, {**base.content, **over.content})


def _after(first: Member, second: Member) -> Member:
    """Put one list after another. What is no list stays alone, for the shape check to report."""
    ahead, behind = first.node.content, second.node.content
    if not isinstance(ahead, tuple) or not isinstance(behind, tuple):
        return second if isinstance(ahead, tuple) else first
    return Member(second.key_span, Node(second.node.span, ahead + behind))


def _unknown(included: Sequence[Node]) -> dict[str, Member]:
    """Return the keys of included files that the format does not know, for the shape check to report."""
    known = loaded("scenario")["properties"]
    return {key: member for tree in included for key, member in tree.members.items() if key not in known}
