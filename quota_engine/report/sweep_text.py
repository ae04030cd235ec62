"""A sweep for people: what was varied, and a table for the queue and for each share."""

from __future__ import annotations

from ..sweep.summary import Summary
from .style import Style, plain
from .sweep_view import Section, heading, method, notes, sections
from .visible import aligned, visible, wrapped


def render(summary: Summary, *, width: int = 100, style: Style = plain, ascii_only: bool = False) -> str:
    """Return the summary. A table is as wide as it has to be; prose keeps to `width`."""
    scenario = summary.swept.plan.scenarios[0]
    title = visible(scenario.description or scenario.stack.name)
    lines = [style(line, "bold") for line in wrapped(title, "", width)]
    lines += [heading(summary), *wrapped(method(summary), "", width)]
    for section in sections(summary):
        lines += ["", style(visible(section.title), "bold"), *_table(section, style)]
    said = [line for note in notes(summary) for line in wrapped(note, "", width)]
    text = "\n".join([*lines, *(["", *said] if said else [])]) + "\n"
    return text.replace("±", "+-") if ascii_only else text


def _table(section: Section, style: Style) -> list[str]:
    head, *rows = aligned([[visible(cell) for cell in row] for row in (section.header, *section.rows)])
    return [style(head, "dim"), *rows]
