"""One file → one tree, with everything that is wrong with its text. Reads files; knows nothing of stacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..model.diagnostic import Diagnostic, Span
from .findings import FINDINGS_MAX, finding, too_many
from .json_text import read_json
from .source import Source, read_source
from .tree import UNREAD, Node, walk
from .wording import seen
from .yaml_text import read_yaml, tab_span

Ignores = Mapping[tuple[str, int], Mapping[str, Span]]
"""(file, line) → id of each rule whose findings are silenced there, with the place where it is named."""

_IGNORE: Final = re.compile(r"(?:^|\s)#\s*quota-engine:\s*ignore\[([A-Za-z0-9,\s]+)\]")
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_INDENTED_BY_TAB: Final = re.compile(r" *\t[ \t]*(?![#\s])")


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read. `tree` is None where the text could not be read as a map."""

    file: str
    text: str
    tree: Node | None
    diagnostics: tuple[Diagnostic, ...]
    ignores: Ignores = field(default_factory=dict)


def read_document(path: str) -> Document:
    """Read a YAML or (by its name) JSON file. Raises `Unreadable`."""
    return parse_document(read_source(path))


def parse_document(source: Source) -> Document:
    """Read the text of a file; every fault becomes a finding."""
    if source.diagnostics:
        return Document(source.file, source.text, None, source.diagnostics)
    is_json = source.file.lower().endswith(".json")
    tree, found = read_json(source) if is_json else read_yaml(source)
    if tree is not None and not isinstance(tree.content, dict):
        if tree.content is not UNREAD:
            message = f"the document is {seen(tree)}, where a map belongs"
            found.append(finding("QE203", message, span=tree.span, fix="begin with `kind: stack` and `version: 1`"))
        tree = None
    if tree is not None and not is_json:
        found += _tabs(source, tree)
    return Document(source.file, source.text, tree, tuple(found), {} if is_json else _ignores(source))


def _tabs(source: Source, tree: Node) -> list[Diagnostic]:
    """Find tabs in indentation that PyYAML lets pass, as within braces."""
    if "\t" not in source.text:
        return []
    inside: set[int] = set()
    for _, node in walk(tree):
        if isinstance(node.content, str):
            inside.update(range(node.span.line + 1, node.span.end_line + 1))
    found = []
    for number, line in enumerate(source.text.split("\n"), start=1):
        match = _INDENTED_BY_TAB.match(line)
        if match and number not in inside and match.end() < len(line):
            span = tab_span(source.file, (number, line.index("\t") + 1))
            found.append(finding("QE105", "a tab stands where YAML wants spaces", span=span, fix="indent with spaces"))
            if len(found) == FINDINGS_MAX:
                return [*found, too_many(span)]
    return found


def _ignores(source: Source) -> Ignores:
    """Find the comments that silence rules: `# quota-engine: ignore[QE304] reason`."""
    found = {}
    for number, line in enumerate(source.text.split("\n"), start=1):
        match = _IGNORE.search(line) if "quota-engine:" in line else None
        if match:
            words = _WORD.finditer(line, match.start(1), match.end(1))
            found[(source.file, number)] = {
                word[0].upper(): Span(source.file, number, word.start() + 1, number, word.end() + 1) for word in words
            }
    return found
