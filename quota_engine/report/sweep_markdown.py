"""A sweep as Markdown, for a pull request: a table for the queue, those of the shares folded away."""

from __future__ import annotations

from ..sweep.summary import Summary
from .sweep_view import Section, heading, method, notes, sections
from .visible import markdown


def render(summary: Summary) -> str:
    """Return the summary under a heading."""
    scenario = summary.swept.plan.scenarios[0]
    whole, *shares = sections(summary)
    lines = [f"### {markdown(scenario.description or scenario.stack.name)}: {heading(summary)}", ""]
    lines += [method(summary), "", *_table(whole), ""]
    for section in shares:
        title = markdown(section.title)
        lines += [f"<details><summary>{title}</summary>", "", *_table(section), "", "</details>", ""]
    lines += [line for note in notes(summary) for line in (markdown(note), "")]
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(section: Section) -> list[str]:
    rows = [f"| {' | '.join(markdown(cell) for cell in row)} |" for row in (section.header, *section.rows)]
    return [rows[0], "|---" * len(section.header) + "|", *rows[1:]]
