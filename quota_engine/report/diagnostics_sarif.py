"""Findings as SARIF 2.1.0, for code-scanning services. Source: OASIS SARIF 2.1.0, sections 3.13 to 3.28."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from quota_engine import __version__

from ..model.diagnostic import Diagnostic, Severity, Span
from .visible import show_path

_URI_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one SARIF log with one run."""
    rules = sorted({(finding.rule, finding.name) for finding in diagnostics})
    index = {rule: number for number, (rule, _) in enumerate(rules)}
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "quota-engine",
                        "version": __version__,
                        "rules": [{"id": rule, "name": name} for rule, name in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, index[finding.rule]) for finding in diagnostics],
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _result(finding: Diagnostic, rule_index: int) -> dict[str, Any]:
    text = [finding.message, finding.why and f"Why: {finding.why}", finding.fix and f"Fix: {finding.fix}"]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(part for part in text if part)},
    }
    location: dict[str, Any] = {}
    if finding.span:
        location["physicalLocation"] = _physical(finding.span)
    if finding.path:
        location["logicalLocations"] = [{"fullyQualifiedName": show_path(finding.path)}]
    if location:
        result["locations"] = [location]
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(span), "message": {"text": what}}
            for number, (span, what) in enumerate(finding.related, start=1)
        ]
    return result


def _physical(span: Span) -> dict[str, Any]:
    return {
        "artifactLocation": {"uri": _uri(span.file)},
        "region": {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        },
    }


def _uri(file: str) -> str:
    """Percent-encode a relative path (RFC 3986, section 2.1)."""
    return "".join(chr(byte) if byte in _URI_PLAIN else f"%{byte:02X}" for byte in file.encode("utf-8", "replace"))
