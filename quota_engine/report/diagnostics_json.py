"""Findings for programs. Version 1; lines and columns count from 1 in characters, ends are exclusive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from quota_engine import __version__

from ..model.diagnostic import Diagnostic, Severity, Span
from .documentation import page_of

VERSION = 1


def render(diagnostics: Sequence[Diagnostic], *, checked: int | None = None, docs: str = "") -> str:
    """Return one JSON document: version, tool, summary, diagnostics in the order given.

    `docs` is the address below which the rules' pages lie; without it their paths in this project are given.
    """
    document = {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "summary": {
            **{
                f"{severity.value}s": sum(finding.severity is severity for finding in diagnostics)
                for severity in Severity
            },
            **({} if checked is None else {"files": checked}),
        },
        "diagnostics": [as_json(finding, docs) for finding in diagnostics],
    }
    return json.dumps(document, indent=2) + "\n"


def as_json(finding: Diagnostic, docs: str = "") -> dict[str, Any]:
    """Return one finding as plain data. `file` to `end_column` are null where the place is not known.

    `documentation` is null for an organisation's own policies.
    """
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "path": list(finding.path),
        **span_as_json(finding.span),
        "why": finding.why,
        "fix": finding.fix,
        "replacement": finding.replacement,
        "documentation": page_of(finding.rule, docs) or None,
        "related": [{**span_as_json(span), "message": what} for span, what in finding.related],
    }


def span_as_json(span: Span | None) -> dict[str, Any]:
    return {
        "file": span and span.file,
        "line": span and span.line,
        "column": span and span.column,
        "end_line": span and span.end_line,
        "end_column": span and span.end_column,
    }
