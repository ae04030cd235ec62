"""Findings as GitHub workflow commands, which GitHub shows as annotations beside the changed lines.

Source: GitHub Actions documentation, "Workflow commands", and the escaping in actions/toolkit's command.ts.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model.diagnostic import Diagnostic, Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one workflow command a line; "" without findings."""
    return "".join(f"{_command(finding)}\n" for finding in diagnostics)


def _command(finding: Diagnostic) -> str:
    properties: dict[str, str] = {}
    span = finding.span
    if span:
        properties = {"file": span.file, "line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:
            # GitHub refuses columns on an annotation of several lines; its end column is inclusive.
            properties |= {"col": str(span.column), "endColumn": str(max(span.column, span.end_column - 1))}
    properties["title"] = f"{finding.rule} {finding.name}"
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    parts = [finding.message, finding.why and f"why: {finding.why}", finding.fix and f"fix: {finding.fix}"]
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(chr(10).join(part for part in parts if part))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
