"""Pieces of HTML. Whatever users or AWS named goes through `text`, so that none of it can become markup or script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from .visible import visible

ROW_HEADER: Final = 0
"""The column that names its row."""


@dataclass(frozen=True, slots=True)
class Html:
    """What already is markup; every other text is escaped."""

    markup: str


Cell = str | Html


def text(value: str) -> str:
    """Return a text for HTML, inside an element or a quoted attribute."""
    return escape(visible(value), quote=True)


def lines(value: str) -> str:
    """Return a text of several lines for a `pre` element."""
    return "\n".join(text(line) for line in value.split("\n"))


def table(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    numbers: Iterable[int] = (),
    name: str = "",
) -> str:
    """Return a table that scrolls in itself where it is too wide. `numbers` are the columns of numbers."""
    right = frozenset(numbers)
    heads = "".join(f'<th scope="col"{_number(column, right)}>{text(cell)}</th>' for column, cell in enumerate(header))
    body = "".join(f"<tr>{''.join(_cell(column, cell, right) for column, cell in enumerate(row))}</tr>" for row in rows)
    identity = f' id="{name}"' if name else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table{identity}>'
        f"<caption>{text(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(column: int, cell: Cell, right: frozenset[int]) -> str:
    shown = cell.markup if isinstance(cell, Html) else text(cell)
    if column == ROW_HEADER:
        return f'<th scope="row"{_number(column, right)}>{shown}</th>'
    return f"<td{_number(column, right)}>{shown}</td>"


def _number(column: int, right: frozenset[int]) -> str:
    return ' class="number"' if column in right else ""


def details(summary: str, body: str) -> str:
    """Return something that is folded away until it is asked for."""
    return f"<details><summary>{text(summary)}</summary>{body}</details>"


def section(name: str, title: str, body: str) -> str:
    """Return a section with its heading, which names it."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{text(title)}</h2>{body}</section>'
    )
