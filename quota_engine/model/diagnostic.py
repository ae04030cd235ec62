"""One type for every finding about a file, a declaration, a scenario or a live account.

A `Diagnostic` is a value, never an exception. Rules name a path; `Positions.locate` adds file, line and column where
the text is known, so pure code needs no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from .stack import Path


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of text. Lines and columns count from 1, columns in characters; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what (`message`), where (`span`, `path`), why, and the fix.

    `related` names other places that matter, e.g. the first of two equal keys, each with what it is. `replacement` is
    what to write in place of the span, without quotes that stand there, where the fix takes no thought.
    """

    rule: str
    name: str
    severity: Severity
    message: str
    path: Path = ()
    span: Span | None = None
    why: str = ""
    fix: str = ""
    related: tuple[tuple[Span, str], ...] = ()
    replacement: str | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order: 1. file, 2. line, 3. column, 4. rule id, 5. message. Findings without a place come first."""
        span = self.span
        return (
            (span.file, span.line, span.column, self.rule, self.message)
            if span
            else ("", 0, 0, self.rule, self.message)
        )


@dataclass(frozen=True, slots=True)
class Positions:
    """Where every key and value of a document stands: path → span. After `extends` the spans name several files."""

    values: Mapping[Path, Span] = field(default_factory=dict)
    keys: Mapping[Path, Span] = field(default_factory=dict)

    def span(self, path: Path, *, key: bool = False) -> Span | None:
        """Return the span of the value (or of the key) at `path`, else of its nearest enclosing value or key."""
        first, second = (self.keys, self.values) if key else (self.values, self.keys)
        for length in range(len(path), -1, -1):
            prefix = path[:length]
            found = first.get(prefix) or second.get(prefix)
            if found:
                return found
        return None

    def locate(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Add the span to each finding that has none. A path ending in the marker "@key" means the key itself."""
        located = []
        for finding in diagnostics:
            if finding.span is None:
                is_key = bool(finding.path) and finding.path[-1] == KEY
                path = finding.path[:-1] if is_key else finding.path
                finding = replace(finding, path=path, span=self.span(path, key=is_key))
            located.append(finding)
        return located


KEY = "@key"
"""Last element of a rule's path when the finding concerns the key (a name) and not its value."""
