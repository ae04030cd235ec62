"""Findings for people: place, rule, message, the source line with a caret under the exact value, why, fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.diagnostic import Diagnostic, Severity, Span
from .style import Style, plain
from .visible import counted, source_text, visible, width_of

GUTTER = 6
"""Columns of a line number, right-aligned; wider numbers push the bar to the right."""
ELLIPSIS = "…"


def render(
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, str] | None = None,
    *,
    checked: int | None = None,
    width: int = 100,
    style: Style = plain,
) -> str:
    """Return the findings in the order given, then one line that counts them.

    `sources` maps a file to its text, for the lines to show; `checked` is the number of files looked at.
    """
    blocks = [_block(finding, sources or {}, width, style) for finding in diagnostics]
    return "\n\n".join([*blocks, summary(diagnostics, checked)]) + "\n"


def summary(diagnostics: Sequence[Diagnostic], checked: int | None = None) -> str:
    """Return e.g. "2 errors, 1 warning in 3 files"."""
    counts = [
        counted(number, severity.value)
        for severity in Severity
        if (number := sum(finding.severity is severity for finding in diagnostics))
    ]
    where = f" in {counted(checked, 'file')}" if checked is not None else ""
    return (", ".join(counts) or "no findings") + where


def _block(finding: Diagnostic, sources: Mapping[str, str], width: int, style: Style) -> str:
    severity = finding.severity.value
    head = f"{style(severity, severity)} {style(finding.rule, 'bold')} {finding.name}"
    if finding.span:
        head = f"{style(place(finding.span), 'bold')}: {head}"
    found = [head, f"  {visible(finding.message)}"]
    found += excerpt(finding.span, sources, width, style, severity) if finding.span else []
    for span, what in finding.related:
        found += [f"  {style('see', 'note')} {place(span)}: {visible(what)}"]
        found += excerpt(span, sources, width, style, "note")
    for label, text in (("why", finding.why), ("fix", finding.fix)):
        found += [f"  {style(label, 'dim')}: {visible(text)}"] if text else []
    return "\n".join(found)


def place(span: Span) -> str:
    """Return file:line:column."""
    return f"{visible(span.file)}:{span.line}:{span.column}"


def excerpt(span: Span, sources: Mapping[str, str], width: int, style: Style, kind: str) -> list[str]:
    """Return the line a span begins on, and carets under the part of it that the span covers; [] without the text."""
    text = sources.get(span.file)
    if text is None:
        return []
    source_lines = text.split("\n")
    if not 1 <= span.line <= len(source_lines):
        return []
    line = source_lines[span.line - 1].rstrip("\r")
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    before, marked, after = source_text(line[:start]), source_text(line[start:end]), source_text(line[end:])
    before, marked, after = _cropped(before, marked, after, max(20, width - GUTTER - 4))
    carets = "^" * max(1, width_of(marked))
    return [
        f"{span.line:>{GUTTER}} | {before}{marked}{after}".rstrip(),
        f"{'':>{GUTTER}} | {' ' * width_of(before)}{style(carets, kind)}",
    ]


def _cropped(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """Cut a line that is longer than `room` columns: a long marked part at its end, then behind it, then before it."""
    if len(before) + len(marked) + len(after) <= room:
        return before, marked, after
    marked = _cut(marked, room // 2)
    context = min(len(after), room // 8)
    left = room - len(marked) - context
    if len(before) > left:
        before = ELLIPSIS + before[len(before) - left + 1 :]
    return before, marked, _cut(after, room - len(before) - len(marked))


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)] + ELLIPSIS
