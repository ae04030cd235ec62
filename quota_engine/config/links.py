"""How a file names others that it takes its content from: `extends` of a stack, `include` of a scenario.

What is the same for both: which files may be named, how they are read, and that nothing leads back to itself.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..model.diagnostic import Diagnostic, Span
from .document import Document, read_document
from .findings import finding
from .similar import did_you_mean
from .source import Unreadable, files
from .tree import UNREAD, Member, Node
from .wording import seen

FILES_MAX: Final = 100
"""Files that one key may name: each is a look into the folder."""


@dataclass(frozen=True, slots=True)
class Link:
    """A key that names files: what they may be, and the findings about them."""

    key: str
    verb: str
    folder: str
    kinds: tuple[str, ...]
    unreadable: str
    outside: str
    cycle: str
    why: str

    @property
    def header(self) -> tuple[str, ...]:
        """What a file says of itself and not of what is taken from it."""
        return ("kind", "version", self.key)


EXTENDS: Final = Link(
    key="extends",
    verb="extends",
    folder="the stack's folder",
    kinds=("stack", "fragment"),
    unreadable="QE211",
    outside="QE212",
    cycle="QE213",
    why="what is deployed must not depend on files outside the folder that is reviewed",
)
INCLUDE: Final = Link(
    key="include",
    verb="includes",
    folder="the scenario's folder",
    kinds=("scenario",),
    unreadable="QE511",
    outside="QE512",
    cycle="QE513",
    why="what is predicted must not depend on files outside the folder that is reviewed",
)


@dataclass(slots=True)
class Family:
    """A file with all it takes from others: texts, findings, and the folder nothing may lie outside of."""

    root: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    ignores: dict[tuple[str, int], Mapping[str, Span]] = field(default_factory=dict)
    merged: dict[str, Node | None] = field(default_factory=dict)
    """Real path → its tree, everything that it takes from others included."""
    is_complete: bool = True
    """False when a file could not be merged: a judgement of the rest would be about something that nobody declared."""

    def add(self, document: Document) -> None:
        self.sources[document.file] = document.text
        self.diagnostics += document.diagnostics
        self.ignores.update(document.ignores)


Merge = Callable[[Document, str, tuple[str, ...]], Node | None]
"""(document, its real path, real paths of the files that led here) → its tree with all that it takes from others."""


def family_of(document: Document) -> tuple[str, Family]:
    """Return a document's real path, and the family that it is to begin."""
    real = files().real(document.file)
    return real, Family(os.path.dirname(real))


def references(link: Link, family: Family, tree: Node) -> Iterator[Node]:
    """Yield the file names that the key holds, no more than `FILES_MAX`."""
    stated = tree.at(link.key)
    if stated is None:
        return
    for index, item in enumerate(stated.content if isinstance(stated.content, tuple) else (stated,)):
        if index == FILES_MAX:
            message = f"{link.key} names more than {FILES_MAX} files"
            _refuse(family, finding("QE206", message, span=item.span, path=(link.key,), fix="join them"))
            return
        if item.content is UNREAD:
            family.is_complete = False
        elif isinstance(item.content, str) and item.content:
            yield item
        else:
            message = f"{link.key} is {seen(item)}, where a file name or a list of them belongs"
            _refuse(family, finding("QE203", message, span=item.span, path=(link.key,), fix="name a file"))


def _refuse(family: Family, found: Diagnostic) -> None:
    family.is_complete = False
    family.diagnostics.append(found)


def follow(
    link: Link, family: Family, document: Document, reference: Node, chain: tuple[str, ...], merge: Merge
) -> Node | None:
    """Return the tree of a file that `document` names, without its header; None, with a finding, where it can't be
    used. `chain` holds the real paths of the files that led here, the document's own last.
    """
    target = str(reference.content)
    file = posixpath.normpath(posixpath.join(posixpath.dirname(document.file), target.replace(os.sep, "/")))
    real = files().real(file)
    problem = _unusable(link, family, reference, real, chain)
    if problem:
        _refuse(family, problem)
        return None
    if real not in family.merged:
        family.merged[real] = _read(link, family, reference, file, chain, merge)
    if family.merged[real] is None:
        family.is_complete = False
    return family.merged[real]


def _unusable(link: Link, family: Family, reference: Node, real: str, chain: tuple[str, ...]) -> Diagnostic | None:
    """Refuse files outside the folder, and cycles."""
    span, path, target = reference.span, (link.key,), str(reference.content)
    if os.path.commonpath([family.root, real]) != family.root or os.path.isabs(target):
        message = f"{link.key} names {target}, which lies outside {link.folder}"
        return finding(link.outside, message, span=span, path=path, why=link.why, fix=f"move it into {link.folder}")
    if real in chain:
        names = " → ".join(os.path.basename(file) for file in (*chain[chain.index(real) :], real))
        message = f"this file {link.verb} itself: {names}"
        return finding(link.cycle, message, span=span, path=path, fix=f"remove one of these {link.verb}")
    return None


def _read(link: Link, family: Family, reference: Node, file: str, chain: tuple[str, ...], merge: Merge) -> Node | None:
    try:
        document = read_document(file)
    except Unreadable as error:
        beside = [name for name in files().beside(file) if name.endswith((".yaml", ".yml", ".json"))]
        fix = did_you_mean(os.path.basename(file), beside)
        message = f"{link.key} names {reference.content}, which can't be read: {error.reason}"
        _refuse(family, finding(link.unreadable, message, span=reference.span, path=(link.key,), fix=fix))
        return None
    tree = merge(document, files().real(file), chain)
    if tree is None:
        return None
    family.diagnostics += _header_faults(link, document)
    return Node(tree.span, {key: member for key, member in tree.members.items() if key not in link.header})


def _header_faults(link: Link, document: Document) -> Iterator[Diagnostic]:
    """Judge kind and version of a file that is taken from; those of the first file are judged with its shape."""
    for key, rule, wanted in (("kind", "QE209", link.kinds), ("version", "QE210", (1,))):
        member: Member | None = document.tree.members.get(key) if document.tree else None
        expected = " or ".join(str(value) for value in wanted)
        if member is None:
            span = document.tree.span if document.tree else None
            message = f"a file that another one {link.verb} has no {key}"
            yield finding("QE202", message, span=span, path=(key,), fix=f"add {key}: {wanted[-1]}")
        elif member.node.content not in wanted:
            message = f"{key} of a file that another one {link.verb} is {seen(member.node)}; it can be {expected}"
            yield finding(rule, message, span=member.node.span, path=(key,), fix=f"write {key}: {wanted[-1]}")
