"""Text with a few stretches replaced: what `--fix` writes. Only what is named changes, to the byte.

Spans count in lines and columns of the text without byte order mark, whatever its line ends; both stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..model.diagnostic import Span

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_BOM: Final = "\ufeff"
_NOT_PLAIN: Final = ("&", "*", "!", "|", ">", "<")
"""What begins a value that is more than its text: an anchor, an alias, a tag, a block."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Write `text` in the place of `span`, within the quotes that stand there unless it `unquotes`."""

    span: Span
    text: str
    unquotes: bool = False


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits of one file made that can be: one that can't leaves its place as it is.

    An edit can't be made across lines, where another one overlaps it, or where the value has an anchor or a tag.
    """
    mark = _BOM if text.startswith(_BOM) else ""
    lines = [match[0] for match in _LINE.finditer(text.removeprefix(_BOM)) if match[0]]
    by_line: dict[int, list[Edit]] = {}
    for edit in sorted(set(edits), key=lambda one: (one.span, one.text)):
        if edit.span.line == edit.span.end_line and edit.span.line <= len(lines):
            by_line.setdefault(edit.span.line, []).append(edit)
    for number, wanted in by_line.items():
        lines[number - 1] = _line(lines[number - 1], wanted)
    return mark + "".join(lines)


def _line(line: str, edits: list[Edit]) -> str:
    """Make the edits of one line, from its end to its beginning."""
    for index in range(len(edits) - 1, -1, -1):
        span = edits[index].span
        others = (one.span for number, one in enumerate(edits) if number != index)
        if any(one.column < span.end_column and span.column < one.end_column for one in others):
            continue
        start, end = span.column - 1, span.end_column - 1
        old = line[start:end]
        if old and not old.startswith(_NOT_PLAIN) and old == old.rstrip("\r\n"):
            line = line[:start] + _quoted(old, edits[index]) + line[end:]
    return line


def _quoted(old: str, edit: Edit) -> str:
    quote = old[0] if old[0] in "\"'" and old[-1] == old[0] and len(old) > 1 else ""
    return edit.text if edit.unquotes else f"{quote}{edit.text}{quote}"
