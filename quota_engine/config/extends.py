"""`extends`: a stack's file and the files it builds on → one tree. Reads files, inside the stack's folder only."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..model.diagnostic import Diagnostic, Span
from .document import Document, Ignores, read_document
from .findings import did_you_mean, finding
from .merge import merge
from .source import Unreadable, files
from .tree import UNREAD, Member, Node
from .wording import seen

HEADER = ("kind", "version", "extends")
FILES_MAX = 100
"""Files that one `extends` may name: each is a look into the folder."""

MERGEABLE = ("stack", "fragment")


@dataclass(slots=True)
class Family:
    """A stack's file with all it extends: texts, findings, and the folder nothing may lie outside of."""

    root: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    ignores: dict[tuple[str, int], Mapping[str, Span]] = field(default_factory=dict)
    merged: dict[str, Node | None] = field(default_factory=dict)
    """Real path → its tree, everything it extends included."""
    is_complete: bool = True
    """False when a file could not be merged: a judgement of the rest would be about something that nobody declared."""

    def add(self, document: Document) -> None:
        self.sources[document.file] = document.text
        self.diagnostics += document.diagnostics
        self.ignores.update(document.ignores)


def read_family(document: Document) -> tuple[Node | None, Family]:
    """Return the merged tree of a stack's document, None where its own text has none, and what was read for it."""
    real = files().real(document.file)
    family = Family(os.path.dirname(real))
    return _merged(family, document, real, ()), family


def _merged(family: Family, document: Document, real: str, chain: tuple[str, ...]) -> Node | None:
    """Lay a document over what it extends. `chain` holds the real paths of the files that led here."""
    family.add(document)
    if document.tree is None:
        return None
    base: Node | None = None
    for index, reference in enumerate(_references(family, document.tree)):
        if index == FILES_MAX:
            family.is_complete = False
            message = f"extends names more than {FILES_MAX} files"
            family.diagnostics.append(
                finding("QE206", message, span=reference.span, path=("extends",), fix="join them")
            )
            break
        inherited = _base(family, document, reference, (*chain, real))
        if inherited is None:
            family.is_complete = False
        else:
            base = merge(base, inherited) if base else inherited
    own = Node(document.tree.span, {k: m for k, m in document.tree.members.items() if k != "extends"})
    return merge(base, own) if base else own


def _references(family: Family, tree: Node) -> Iterator[Node]:
    """Yield the file names that `extends` holds."""
    stated = tree.at("extends")
    if stated is None:
        return
    for item in stated.content if isinstance(stated.content, tuple) else (stated,):
        if item.content is UNREAD:
            family.is_complete = False
        elif isinstance(item.content, str) and item.content:
            yield item
        else:
            family.is_complete = False
            message = f"extends is {seen(item)}, where a file name or a list of them belongs"
            family.diagnostics.append(finding("QE203", message, span=item.span, path=("extends",), fix="name a file"))


def _base(family: Family, document: Document, reference: Node, chain: tuple[str, ...]) -> Node | None:
    """Return the tree of an extended file without its header; None, with a finding, where it can't be used."""
    target = str(reference.content)
    file = posixpath.normpath(posixpath.join(posixpath.dirname(document.file), target.replace(os.sep, "/")))
    real = files().real(file)
    problem = _unusable(family, reference, target, real, chain)
    if problem:
        family.diagnostics.append(problem)
        return None
    if real not in family.merged:
        family.merged[real] = _read_base(family, reference, file, real, chain)
    return family.merged[real]


def _unusable(family: Family, reference: Node, target: str, real: str, chain: tuple[str, ...]) -> Diagnostic | None:
    """Refuse files outside the stack's folder, and cycles."""
    span = reference.span
    if os.path.commonpath([family.root, real]) != family.root or os.path.isabs(target):
        why = "what is deployed must not depend on files outside the folder that is reviewed"
        message = f"extends names {target}, which lies outside the stack's folder"
        fix = "move it into the stack's folder"
        return finding("QE212", message, span=span, path=("extends",), why=why, fix=fix)
    if real in chain:
        names = " → ".join(os.path.basename(file) for file in (*chain[chain.index(real) :], real))
        message = f"this file extends itself: {names}"
        return finding("QE213", message, span=span, path=("extends",), fix="remove one of these extends")
    return None


def _read_base(family: Family, reference: Node, file: str, real: str, chain: tuple[str, ...]) -> Node | None:
    try:
        base = read_document(file)
    except Unreadable as error:
        beside = [name for name in files().beside(file) if name.endswith((".yaml", ".yml", ".json"))]
        fix = did_you_mean(os.path.basename(file), beside)
        message = f"extends names {reference.content}, which can't be read: {error.reason}"
        family.diagnostics.append(finding("QE211", message, span=reference.span, path=("extends",), fix=fix))
        return None
    tree = _merged(family, base, real, chain)
    if tree is None:
        return None
    family.diagnostics += _header_faults(base)
    return Node(tree.span, {key: member for key, member in tree.members.items() if key not in HEADER})


def _header_faults(document: Document) -> Iterator[Diagnostic]:
    """Judge kind and version of an extended file; the stack's own are judged with its shape."""
    for key, rule, wanted in (("kind", "QE209", MERGEABLE), ("version", "QE210", (1,))):
        member: Member | None = document.tree.members.get(key) if document.tree else None
        expected = " or ".join(str(value) for value in wanted)
        if member is None:
            span = document.tree.span if document.tree else None
            yield finding(
                "QE202", f"the extended file has no {key}", span=span, path=(key,), fix=f"add {key}: {wanted[-1]}"
            )
        elif member.node.content not in wanted:
            message = f"{key} of an extended file is {seen(member.node)}; it can be {expected}"
            yield finding(rule, message, span=member.node.span, path=(key,), fix=f"write {key}: {wanted[-1]}")


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


__all__ = ["Family", "Ignores", "read_family", "strip_nulls"]
