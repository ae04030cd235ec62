"""JSON text → the nodes that PyYAML would make of it, so that one walk (`yaml_text.convert`) serves both.

Strict RFC 8259: strings are JSON strings, and comments, trailing commas and single quotes are errors. NaN and Infinity
are reported and passed over, so that the rest of the file is still checked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

import yaml

from ..model.diagnostic import Diagnostic, Span
from .findings import FINDINGS_MAX, finding
from .source import Source, span_at
from .tree import VALUES_MAX, Node
from .yaml_text import NESTING_MAX, PLAIN, REPORTED, Reader, convert_root, empty, text_end

_SPACE: Final = re.compile(r"[ \t\n]*")
_SCALAR: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")
_NOT_JSON: Final = re.compile(r"-?Infinity|NaN")
_WORD_END: Final = re.compile(r"(?![\w.+-])")
_TEXT: Final = "tag:yaml.org,2002:str"


class _SyntaxError(Exception):
    """The text is not JSON from `index` on."""

    def __init__(self, index: int, problem: str, rule: str = "QE107") -> None:
        super().__init__(problem)
        self.index = index
        self.problem = problem
        self.rule = rule


@dataclass(slots=True)
class _Parser:
    """The text, the starts of its lines, and what was found on the way."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    line_starts: list[int] = field(default_factory=list)
    count: int = 0
    """Keys and values read so far."""

    def mark(self, index: int) -> Any:
        line = bisect_right(self.line_starts, index) - 1
        return yaml.Mark(self.source.file, index, line, index - self.line_starts[line], None, 0)

    def skip(self, index: int) -> int:
        match = _SPACE.match(self.source.text, index)
        return match.end() if match else index

    def peek(self, index: int) -> str:
        return self.source.text[index : index + 1]


def read_json(source: Source) -> tuple[Node | None, list[Diagnostic]]:
    """Return the tree of a JSON document, None where there is none, and what is wrong with the text."""
    if not source.text.strip():
        return None, [empty(source.file)]
    starts = [0, *(match.end() for match in re.finditer("\n", source.text))]
    parser = _Parser(source, line_starts=starts)
    try:
        root, end = _value(parser, parser.skip(0), 1)
        end = parser.skip(end)
        if end < len(source.text):
            raise _SyntaxError(end, "something follows the end of the document", "QE108")
    except _SyntaxError as error:
        span = span_at(source.file, source.text, error.index)
        message = error.problem if error.rule != "QE107" else f"the text is not JSON: {error.problem}"
        return None, [*parser.diagnostics, finding(error.rule, message, span=span)]
    tree, found = convert_root(Reader(source.file, text_end(source.text)), root)
    return tree, [*parser.diagnostics, *found]


def _value(parser: _Parser, index: int, depth: int) -> tuple[yaml.Node, int]:
    """Return the value at `index` and where it ends."""
    parser.count += 1
    if parser.count > VALUES_MAX:
        raise _SyntaxError(index, f"the file has more than {VALUES_MAX:,} keys and values", "QE117")
    if depth > NESTING_MAX:
        raise _SyntaxError(index, f"maps and lists are nested more than {NESTING_MAX} deep", "QE112")
    match parser.peek(index):
        case "{":
            return _object(parser, index, depth)
        case "[":
            return _array(parser, index, depth)
        case '"':
            return _string(parser, index)
        case _:
            return _scalar(parser, index)


def _string(parser: _Parser, index: int) -> tuple[yaml.ScalarNode, int]:
    try:
        text, end = scanstring(parser.source.text, index + 1, True)
    except JSONDecodeError as error:
        raise _SyntaxError(min(error.pos, len(parser.source.text)), error.msg) from error
    return yaml.ScalarNode(_TEXT, text, parser.mark(index), parser.mark(end), '"'), end


def _scalar(parser: _Parser, index: int) -> tuple[yaml.ScalarNode, int]:
    text = parser.source.text
    match = _SCALAR.match(text, index)
    tag = PLAIN
    if match is None:
        match = _NOT_JSON.match(text, index)
        tag = REPORTED
        if match and len(parser.diagnostics) < FINDINGS_MAX:
            mark = parser.mark(index)
            start = (mark.line + 1, mark.column + 1)
            span = Span(parser.source.file, *start, start[0], start[1] + len(match[0]))
            parser.diagnostics.append(finding("QE107", f"{match[0]} is not JSON", span=span, fix="write a number"))
    if match is None or not _WORD_END.match(text, match.end()):
        shown = re.match(r"[^\s,\]}]{0,20}", text[index:])
        raise _SyntaxError(index, f"'{shown[0]}' is no value" if shown and shown[0] else "a value is missing")
    return yaml.ScalarNode(tag, match[0], parser.mark(index), parser.mark(match.end()), None), match.end()


def _array(parser: _Parser, index: int, depth: int) -> tuple[yaml.SequenceNode, int]:
    items: list[yaml.Node] = []
    end = parser.skip(index + 1)
    while parser.peek(end) != "]" or items:
        item, end = _value(parser, end, depth + 1)
        items.append(item)
        end, is_last = _separator(parser, end, "]")
        if is_last:
            break
    return yaml.SequenceNode(
        "tag:yaml.org,2002:seq", items, parser.mark(index), parser.mark(end + 1), flow_style=True
    ), end + 1


def _object(parser: _Parser, index: int, depth: int) -> tuple[yaml.MappingNode, int]:
    entries: list[tuple[yaml.Node, yaml.Node]] = []
    end = parser.skip(index + 1)
    while parser.peek(end) != "}" or entries:
        if parser.peek(end) != '"':
            raise _SyntaxError(end, "a key in double quotes is missing")
        key, end = _string(parser, end)
        parser.count += 1
        end = parser.skip(end)
        if parser.peek(end) != ":":
            raise _SyntaxError(end, "a colon is missing after the key")
        value, end = _value(parser, parser.skip(end + 1), depth + 1)
        entries.append((key, value))
        end, is_last = _separator(parser, end, "}")
        if is_last:
            break
    return yaml.MappingNode(
        "tag:yaml.org,2002:map", entries, parser.mark(index), parser.mark(end + 1), flow_style=True
    ), end + 1


def _separator(parser: _Parser, index: int, closing: str) -> tuple[int, bool]:
    """Return where the next item begins, or where `closing` stands and that it does."""
    index = parser.skip(index)
    found = parser.peek(index)
    if found == closing:
        return index, True
    if found != ",":
        raise _SyntaxError(index, f"a comma or '{closing}' is missing")
    return parser.skip(index + 1), False
