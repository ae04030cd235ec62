"""YAML text → tree: PyYAML finds the structure, this walk gives every value its meaning and its place.

PyYAML's own constructors never run. The walk finds what they would let pass: duplicate keys, cycles, aliases that
expand without end, tags, keys that are not text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar, Final, Protocol

import yaml

from ..model.diagnostic import Diagnostic, Span
from .findings import FINDINGS_MAX, finding, too_many, too_many_values
from .scalars import resolve
from .source import CONTROL, Source
from .tree import UNREAD, VALUES_MAX, Member, Node

NESTING_MAX: Final = 50
EXPANSION_MAX: Final = 100_000
"""Values that aliases may add to a document."""

PLAIN: Final = "plain"
"""The tag that our loader gives to scalars without quotes and without a tag: those that `scalars.resolve` reads."""

REPORTED: Final = "reported"
"""The tag of a scalar whose fault the JSON reader has reported."""

_MERGE: Final = "<<"
_CORE: Final = "tag:yaml.org,2002:"
_TAGS: Final = frozenset({PLAIN, f"{_CORE}str", f"{_CORE}seq", f"{_CORE}map"})
_BASE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TOO_DEEP: Final = f"maps and lists are nested more than {NESTING_MAX} deep"
_OPEN_FIX: Final = "close this bracket or brace, or put a comma between its entries"
_INDENT_FIX: Final = "indent this line like the others of its map or list; put a value that holds : or # in quotes"
_SYNTAX_FIX: Final = "close what is open there; put a value that holds : # [ ] { } , & * or ! in quotes"


class _Loader(_BASE):  # type: ignore[misc]
    """PyYAML without its YAML 1.1 notion of what a plain scalar means."""

    yaml_implicit_resolvers: ClassVar[Any] = {None: [(PLAIN, re.compile(""))]}


class Mark(Protocol):
    """A place in PyYAML's counting, from 0."""

    line: int
    column: int


@dataclass(slots=True)
class Reader:
    """The state of one walk: what was found, and what is known of nodes that were walked already."""

    file: str
    end: tuple[int, int]
    """Line and column where the text ends."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    done: dict[int, tuple[Node, int, int]] = field(default_factory=dict)
    """id of a PyYAML node → (tree, values it expands to, depth)."""
    active: set[int] = field(default_factory=set)

    def report(self, rule: str, message: str, span: Span, **more: Any) -> None:
        if len(self.diagnostics) < FINDINGS_MAX:
            self.diagnostics.append(finding(rule, message, span=span, **more))
        elif len(self.diagnostics) == FINDINGS_MAX:
            self.diagnostics.append(too_many(span))

    def span(self, start: Mark, end: Mark) -> Span:
        """Return the stretch between two marks. At the end of a text without a final line end, libyaml's lie beyond."""
        if end.line > self.end[0] - 1:
            line, column = (start.line + 1, start.column + 1) if start.line < self.end[0] else self.end
            return Span(self.file, line, column, *self.end)
        return Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def read_yaml(source: Source) -> tuple[Node | None, list[Diagnostic]]:
    """Return the tree of a YAML document, None where there is none, and what is wrong with the text."""
    try:
        if _may_have_too_many(source.text) and _has_too_many(source.text):
            return None, [too_many_values(Span(source.file, 1, 1, 1, 1))]
        root = yaml.compose(source.text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        return None, [_syntax(source, error)]
    except yaml.YAMLError as error:
        span = Span(source.file, 1, 1, 1, 1)
        return None, [finding("QE106", f"the text is not YAML: {error}", span=span, fix=_SYNTAX_FIX)]
    if root is None:
        return None, [empty(source.file)]
    return convert_root(Reader(source.file, text_end(source.text)), root)


def _may_have_too_many(text: str) -> bool:
    """Whether the text has enough of the characters that begin a value: a quick look before the exact one."""
    return sum(text.count(character) for character in "\n,:-?[{") > VALUES_MAX


def _has_too_many(text: str) -> bool:
    """Whether the text has more keys and values than a file may have; stops reading there."""
    kinds = (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent, yaml.AliasEvent)
    values = (event for event in yaml.parse(text, Loader=_Loader) if isinstance(event, kinds))
    return next(islice(values, VALUES_MAX, None), None) is not None


def text_end(text: str) -> tuple[int, int]:
    """Return line and column just behind the last character."""
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1


def convert_root(reader: Reader, root: yaml.Node) -> tuple[Node | None, list[Diagnostic]]:
    """Turn a composed document into a tree; also used for JSON, whose reader makes the same nodes."""
    tree, size, _ = convert(reader, root, 1)
    added = size - len(reader.done)
    if added > EXPANSION_MAX:
        reader.report(
            "QE111",
            f"the aliases of this document add {added:,} values to it, more than {EXPANSION_MAX:,}",
            Span(reader.file, 1, 1, 1, 1),
            fix="write the values out",
        )
        return None, reader.diagnostics
    return tree, reader.diagnostics


def empty(file: str) -> Diagnostic:
    return finding(
        "QE103", "the file is empty", span=Span(file, 1, 1, 1, 1), fix="begin with `kind: stack` and `version: 1`"
    )


def convert(reader: Reader, node: yaml.Node, depth: int) -> tuple[Node, int, int]:
    """Return (tree, number of values in it, its depth) of a node that stands `depth` deep."""
    span = reader.span(node.start_mark, node.end_mark)
    known = reader.done.get(id(node))
    height = known[2] if known else 1
    if id(node) in reader.active:
        start = Span(span.file, span.line, span.column, span.line, span.column + 1)
        reader.report("QE110", "this value contains itself through an alias", start, fix="remove the alias inside it")
        return Node(span, UNREAD), 1, 1
    if depth + height - 1 > NESTING_MAX:
        if not any(found.rule == "QE112" for found in reader.diagnostics):
            reader.report("QE112", _TOO_DEEP, span)
        return Node(span, UNREAD), 1, 1
    if known:
        return known
    reader.active.add(id(node))
    result = _convert_new(reader, node, span, depth)
    reader.active.discard(id(node))
    reader.done[id(node)] = result
    return result


def _convert_new(reader: Reader, node: yaml.Node, span: Span, depth: int) -> tuple[Node, int, int]:
    if not _check_tag(reader, node, span):
        return Node(span, UNREAD), 1, 1
    match node:
        case yaml.ScalarNode():
            if not _check_text(reader, node.value, span):
                return Node(span, UNREAD), 1, 1
            value = resolve(node.value) if node.tag == PLAIN else node.value
            return Node(span, value, node.value), 1, 1
        case yaml.SequenceNode():
            children = [convert(reader, item, depth + 1) for item in node.value]
            content: Any = tuple(child[0] for child in children)
        case yaml.MappingNode():
            content, children = _members(reader, node, depth)
        case _:
            raise AssertionError(f"PyYAML made a {type(node).__name__}")
    size = 1 + sum(child[1] for child in children)
    where = span if node.flow_style else _trimmed(span, content)
    return Node(where, content), size, 1 + max((child[2] for child in children), default=0)


def _trimmed(span: Span, content: object) -> Span:
    """End a block map or list at its last value: PyYAML lets it reach to the next token, lines further down.

    Values that an alias or `<<` brings in stand elsewhere and don't count.
    """
    places: list[Span] = []
    if isinstance(content, dict):
        places = [place for member in content.values() for place in (member.key_span, member.node.span)]
    elif isinstance(content, tuple):
        places = [item.span for item in content]
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    ends = [(one.end_line, one.end_column) for one in places if start <= (one.line, one.column) < end]
    return Span(span.file, *start, *min(end, max(ends, default=start)))


def _members(
    reader: Reader, node: yaml.MappingNode, depth: int
) -> tuple[dict[str, Member], list[tuple[Node, int, int]]]:
    """Return the entries of a map, merged ones last, and all its converted children.

    A key that stands twice has no value: neither is more meant than the other.
    """
    own: dict[str, Member] = {}
    merged: dict[str, Member] = {}
    children: list[tuple[Node, int, int]] = []
    for key_node, value_node in node.value:
        child = convert(reader, value_node, depth + 1)
        children.append(child)
        span = reader.span(key_node.start_mark, key_node.end_mark)
        if not isinstance(key_node, yaml.ScalarNode):
            reader.report("QE113", "a key is text, not a list or a map", span)
            continue
        if not (_check_tag(reader, key_node, span) and _check_text(reader, key_node.value, span)):
            continue
        if key_node.value == _MERGE and key_node.tag == PLAIN:
            for key, member in _merge_sources(reader, child[0], span):
                merged.setdefault(key, member)
            continue
        if key_node.value in own:
            first = own[key_node.value].key_span
            _duplicate(reader, key_node.value, span, first)
            own[key_node.value] = Member(first, Node(span, UNREAD))
            continue
        own[key_node.value] = Member(span, child[0])
    return own | {key: member for key, member in merged.items() if key not in own}, children


def _merge_sources(reader: Reader, value: Node, span: Span) -> Iterator[tuple[str, Member]]:
    """Yield the entries that `<<` brings in, those of earlier maps first."""
    sources = value.content if isinstance(value.content, tuple) else (value,)
    for source in sources:
        if isinstance(source.content, dict):
            yield from source.content.items()
        else:
            reader.report("QE115", "`<<` merges a map or a list of maps, and this is neither", span)


def _duplicate(reader: Reader, key: str, span: Span, first: Span) -> None:
    reader.report(
        "QE109",
        f"the key '{key}' stands twice in this map, first in line {first.line}",
        span,
        why="only one of the two values could count",
        fix="remove one of them, or give it another name",
        related=[(first, "the first one")],
    )


def _check_tag(reader: Reader, node: yaml.Node, span: Span) -> bool:
    """Refuse explicit tags but those of text, lists and maps, which say nothing new; return whether all is well."""
    if node.tag in _TAGS:
        return True
    if node.tag == REPORTED:
        return False
    shown = "!!" + node.tag.removeprefix(_CORE) if node.tag.startswith(_CORE) else node.tag
    reader.report("QE114", f"the tag {shown} has no meaning here", span, fix="remove the tag")
    return False


def _check_text(reader: Reader, text: str, span: Span) -> bool:
    """Refuse characters that an escape such as "\\0" or "\\ud800" brings in; return whether all is well."""
    match = CONTROL.search(text)
    if match:
        reader.report("QE104", f"this text holds the character U+{ord(match[0]):04X}, which can't be seen", span)
    return match is None


_TAB_IN_INDENT: Final = re.compile(r"^ *\t", re.MULTILINE)


def _syntax(source: Source, error: yaml.MarkedYAMLError) -> Diagnostic:
    """Say in one finding what PyYAML could not read."""
    mark: Any = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = source.text.split("\n")
    tab = _tab_near(lines, line)
    if tab:
        return finding(
            "QE105",
            "a tab stands where YAML wants spaces",
            span=tab_span(source.file, tab),
            why="YAML forbids tabs in indentation",
            fix="indent with spaces",
        )
    span = _clamped(source.file, lines, line, column)
    if "expected a single document" in str(error.context):
        return finding("QE108", "a second document begins here", span=span, fix="keep one document in a file")
    if "maximum nesting depth" in str(error.problem):
        return finding("QE112", _TOO_DEEP, span=span)
    problem = " ".join(part for part in (error.context, error.problem) if part)
    message = f"the text is not YAML: {problem}"
    context = _context(source, error)
    if context and str(error.context).endswith(("flow mapping", "flow sequence")):
        opening = context[0][0]
        return finding("QE106", message, span=opening, fix=_OPEN_FIX, related=[(span, "reading stopped here")])
    fix = _INDENT_FIX if "block" in str(error.context) else _SYNTAX_FIX
    return finding("QE106", message, span=span, fix=fix, related=context)


def tab_span(file: str, place: tuple[int, int]) -> Span:
    line, column = place
    return Span(file, line, column, line, column + 1)


def _tab_near(lines: list[str], line: int) -> tuple[int, int] | None:
    """Return (line, column) of a tab in the indentation of the line of an error, or of the one before."""
    for number in (line, line - 1):
        if 1 <= number <= len(lines):
            match = _TAB_IN_INDENT.match(lines[number - 1])
            if match:
                return number, match.end()
    return None


def _context(source: Source, error: yaml.MarkedYAMLError) -> list[tuple[Span, str]]:
    mark: Any = error.context_mark
    if mark is None or mark is error.problem_mark or not error.context:
        return []
    return [(_clamped(source.file, source.text.split("\n"), mark.line + 1, mark.column + 1), error.context)]


def _clamped(file: str, lines: list[str], line: int, column: int) -> Span:
    """Return the span of a place, at the last line or the end of its line where the text ends before."""
    line = min(line, len(lines))
    column = min(column, len(lines[line - 1]) + 1)
    return Span(file, line, column, line, column + 1)
