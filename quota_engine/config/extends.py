"""`extends`: a stack's file and the files it builds on → one tree. Reads files, inside the stack's folder only."""

from __future__ import annotations

from .document import Document
from .links import EXTENDS, Family, family_of, follow, references
from .merge import merge
from .tree import Member, Node


def read_family(document: Document) -> tuple[Node | None, Family]:
    """Return the merged tree of a stack's document, None where its own text has none, and what was read for it."""
    real, family = family_of(document)

    def merged(document: Document, real: str, chain: tuple[str, ...]) -> Node | None:
        """Lay a document over what it extends."""
        family.add(document)
        if document.tree is None:
            return None
        base: Node | None = None
        for reference in references(EXTENDS, family, document.tree):
            inherited = follow(EXTENDS, family, document, reference, (*chain, real), merged)
            if inherited is not None:
                base = merge(base, inherited) if base else inherited
        own = Node(document.tree.span, {k: m for k, m in document.tree.members.items() if k != EXTENDS.key})
        return merge(base, own) if base else own

    return merged(document, real, ()), family


def strip_nulls(node: Node) -> Node:
    """Drop the nulls of a fragment, which mean something only to what it is laid over."""
    if not isinstance(node.content, dict):
        return node
    kept = {
        key: Member(member.key_span, strip_nulls(member.node))
        for key, member in node.content.items()
        if member.node.content is not None
    }
    return Node(node.span, kept)
