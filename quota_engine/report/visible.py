"""Text that users or AWS wrote, made safe to show: on a terminal, in Markdown, in XML.

A name may hold an escape sequence that recolours or rewrites a terminal, a bidirectional override that makes `LEND`
read as something else, or a pipe that breaks a table. Here such characters become visible escapes.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from ..model.stack import Path

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_MENTION = re.compile(r"(?<!\w)@(?=\w)")
_PLAIN_ELEMENT = re.compile(r"[A-Za-z0-9_-]+")
TAB_WIDTH = 4


def visible(text: str) -> str:
    """Return one line of text with every control, format or line-breaking character as an escape such as \\x1b."""
    return "".join(_escape(char) if unicodedata.category(char) in _UNSAFE_CATEGORIES else char for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if named:
        return named
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def source_text(text: str) -> str:
    """Return a stretch of a source line as it is shown: tabs as blanks, the rest as `visible`."""
    return visible(text.replace("\t", " " * TAB_WIDTH))


def width_of(text: str) -> int:
    """Return the columns a terminal needs for `text`: two for wide characters, none for combining marks."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def pad(text: str, width: int) -> str:
    """Fill with blanks to `width` columns."""
    return text + " " * max(0, width - width_of(text))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table's rows as lines, each column as wide as its widest cell, two blanks before each."""
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(map(pad, row, widths)).rstrip() for row in rows]


def wrapped(text: str, indent: str, width: int) -> list[str]:
    """Break a sentence into indented lines of at most `width` columns, never inside a word."""
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def show_path(path: Path) -> str:
    """Return a path as text: dots between plain names, brackets around what holds dots or anything else unusual."""
    shown = ""
    for element in path:
        text = str(element)
        if isinstance(element, int):
            shown += f"[{element}]"
        elif _PLAIN_ELEMENT.fullmatch(text):
            shown += f".{text}" if shown else text
        else:
            shown += f"[{visible(text)}]"
    return shown


def markdown(text: str) -> str:
    """Return text that Markdown shows as it is, on one line, also inside a table; a name after an @ calls nobody."""
    return _MENTION.sub("@<!-- -->", _MARKDOWN.sub(r"\\\1", visible(text)))


def markdown_code(text: str) -> str:
    """Return text as inline code that also survives inside a table; backticks in it lengthen the fence."""
    shown = visible(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{edge}{shown}{edge}{fence}" if shown else ""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return "1 error", "2 errors"."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
