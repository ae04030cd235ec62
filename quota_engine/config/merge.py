"""How one map is laid over another: `extends`, and the defaults within a stack. One place for both."""

from __future__ import annotations

from ..model.stack import Strategy
from .tree import Member, Node

SHARING = "resource_sharing"


def merge(base: Node, over: Node, key: str = "") -> Node:
    """Lay `over` on `base`: maps merge, anything else replaces, null removes. Every value keeps its own place.

    A null that removes nothing stays, for the shape check to report. `key` is where the two stand.
    """
    if not isinstance(base.content, dict) or not isinstance(over.content, dict):
        return over
    members = dict(_inheritable(base, over) if key == SHARING else base.content)
    for name, member in over.content.items():
        below = members.get(name)
        if below is None:
            members[name] = member
        elif member.node.content is None and below.node.content is not None:
            del members[name]
        else:
            members[name] = Member(member.key_span, merge(below.node, member.node, name))
    return Node(over.span, members)


def _inheritable(base: Node, over: Node) -> dict[str, Member]:
    """Return what a resource_sharing map inherits: no borrow limit when the strategy moves away from borrowing."""
    members = dict(base.members)
    strategy = over.at("strategy")
    if strategy and strategy.content != Strategy.LEND_AND_BORROW.value:
        members.pop("borrow_limit", None)
    return members
