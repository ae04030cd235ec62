"""Every finding `config` can make: id, name and page, in one table; and `finding`, which builds one.

Ids are stable for ever: QE1xx text, QE2xx shape, QE5xx scenarios. The pages are what `quota-engine rule ID` prints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..model.diagnostic import Diagnostic, Severity, Span
from ..model.stack import Path
from .pages import scenario, shape, text
from .tree import VALUES_MAX


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of finding. `page` explains it with the headings that rules have too."""

    id: str
    name: str
    page: str
    severity: Severity = Severity.ERROR


def _page(checks: str, wrong: str, example: str, instead: str, source: str) -> str:
    """Lay out a page with the fixed headings."""
    return (
        f"What it checks\n  {checks}\n\nWhy it is wrong\n  {wrong}\n\nExample\n{_indent(example)}\n\n"
        f"Use instead\n{_indent(instead)}\n\nSource\n  {source}\n"
    )


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


_SEVERITIES: Final = dict.fromkeys(("QE118", "QE508", "QE509", "QE515", "QE533"), Severity.WARNING)

FINDINGS: Final = {
    row[0]: Kind(row[0], row[1], _page(*row[2:]), _SEVERITIES.get(row[0], Severity.ERROR))
    for row in (*text.ROWS, *shape.ROWS, *scenario.ROWS)
}
"""Every kind of finding of this package by id."""


def finding(
    rule: str,
    message: str,
    *,
    span: Span | None = None,
    path: Path = (),
    why: str = "",
    fix: str = "",
    related: Iterable[tuple[Span, str]] = (),
    replacement: str | None = None,
) -> Diagnostic:
    """Build the finding of kind `rule`; an id that is not in the table is our bug and raises KeyError."""
    kind = FINDINGS[rule]
    return Diagnostic(kind.id, kind.name, kind.severity, message, path, span, why, fix, tuple(related), replacement)


FINDINGS_MAX: Final = 500
"""Findings of one kind of check about one file. A file with more is not what it says it is."""


def too_many(span: Span | None = None, path: Path = ()) -> Diagnostic:
    """Say that the rest of a file's findings is left out."""
    message = f"more than {FINDINGS_MAX} findings; the rest is not shown"
    return finding("QE116", message, span=span, path=path, fix="correct these first")


def too_many_values(span: Span) -> Diagnostic:
    """Say that a file was not read further."""
    message = f"the file has more than {VALUES_MAX:,} keys and values"
    fix = "split it, and join the parts with extends; many jobs take one entry with count"
    return finding("QE117", message, span=span, fix=fix)
