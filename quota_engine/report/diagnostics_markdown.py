"""Findings as a Markdown table, for a pull request or a job summary."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.diagnostic import Diagnostic
from .diagnostics_text import place, summary
from .visible import markdown, markdown_code


def render(diagnostics: Sequence[Diagnostic], *, checked: int | None = None) -> str:
    """Return a heading that counts the findings, and a table of them in the order given."""
    heading = f"### {summary(diagnostics, checked)}\n"
    if not diagnostics:
        return heading
    rows = [_row(finding) for finding in diagnostics]
    return "\n".join([heading, "| severity | where | rule | finding |", "|---|---|---|---|", *rows]) + "\n"


def _row(finding: Diagnostic) -> str:
    parts = [
        _lines(finding.message),
        finding.why and f"_why:_ {_lines(finding.why)}",
        finding.fix and f"_fix:_ {_lines(finding.fix)}",
    ]
    parts += [f"_see_ {markdown_code(place(span))}: {markdown(what)}" for span, what in finding.related]
    where = markdown_code(place(finding.span)) if finding.span else ""
    text = "<br>".join(part for part in parts if part)
    return f"| {finding.severity.value} | {where} | {finding.rule} {markdown(finding.name)} | {text} |"


def _lines(text: str) -> str:
    return "<br>".join(markdown(line) for line in text.split("\n"))
