"""The defaults a stack states itself: `quota_share_defaults` for the shares of a queue, `tags` for every resource.

They are laid under the resources before anything is checked, so that a share is judged as it will be, and a finding
points at the default where that is what's wrong. Defaults of the format stand in the frozen types of `model.stack`.
"""

from __future__ import annotations

from collections.abc import Callable

from .merge import merge
from .tree import Member, Node, size

SHARE_DEFAULTS = "quota_share_defaults"


def apply_defaults(tree: Node) -> Node:
    """Return the tree with every resource complete."""
    tags = tree.members.get("tags")
    members = dict(tree.members)
    for section in ("service_environments", "scheduling_policies", "job_queues"):
        if section in members:
            resources = members[section].node
            if section == "job_queues":
                resources = _each(resources, lambda queue: _with_share_defaults(queue, tags))
            members[section] = Member(members[section].key_span, _each(resources, lambda node: _with_tags(node, tags)))
    return Node(tree.span, members)


def values_added(tree: Node) -> int:
    """Return at most how many values `apply_defaults` adds: a short text can ask for millions."""
    tags = size(tree.at("tags"))
    total = 0
    for section in ("service_environments", "scheduling_policies", "job_queues"):
        resources = tree.at(section)
        for member in (resources.members if resources else {}).values():
            shares = member.node.at("quota_shares")
            count = len(shares.members) if shares else 0
            total += tags * (1 + count) + size(member.node.at(SHARE_DEFAULTS)) * count
    return total


def _each(section: Node, change: Callable[[Node], Node]) -> Node:
    """Apply `change` to every resource of a section that is a map."""
    if not isinstance(section.content, dict):
        return section
    changed = {
        name: Member(member.key_span, change(member.node) if isinstance(member.node.content, dict) else member.node)
        for name, member in section.content.items()
    }
    return Node(section.span, changed)


def _with_share_defaults(queue: Node, tags: Member | None) -> Node:
    shares = queue.members.get("quota_shares")
    if shares is None:
        return queue
    defaults = queue.at(SHARE_DEFAULTS)
    inherited = defaults if defaults and isinstance(defaults.content, dict) else None
    completed = _each(shares.node, lambda share: _with_tags(merge(inherited, share) if inherited else share, tags))
    return Node(queue.span, {**queue.members, "quota_shares": Member(shares.key_span, completed)})


def _with_tags(resource: Node, tags: Member | None) -> Node:
    """Lay the stack's tags under the resource's own."""
    if tags is None or not isinstance(tags.node.content, dict):
        return resource
    own = resource.members.get("tags")
    if own is not None and not isinstance(own.node.content, dict):
        return resource
    merged = Member(own.key_span, merge(tags.node, own.node)) if own else tags
    return Node(resource.span, {**resource.members, "tags": merged})
