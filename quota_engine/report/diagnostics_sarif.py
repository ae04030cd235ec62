"""Findings as SARIF 2.1.0, for code-scanning services. Source: OASIS SARIF 2.1.0, sections 3.13 to 3.28."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from quota_engine import __version__

from ..model.diagnostic import Diagnostic, Severity, Span
from .documentation import page_as_markdown, page_of
from .visible import show_path

_URI_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "quotaEngine/v1"
_NUMBERS = re.compile("[0-9]+")
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(diagnostics: Sequence[Diagnostic], *, pages: Mapping[str, str] | None = None, docs: str = "") -> str:
    """Return one SARIF log with one run.

    `pages` maps a rule's id to its page, as help; `docs` is the address below which the pages can be read.
    """
    rules = {finding.rule: finding for finding in reversed(diagnostics)}
    index = {rule: number for number, rule in enumerate(sorted(rules))}
    prints = _fingerprints(diagnostics)
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "quota-engine",
                        "version": __version__,
                        "rules": [_rule(rules[rule], (pages or {}).get(rule, ""), docs) for rule in index],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    {**_result(finding, index[finding.rule]), "partialFingerprints": {FINGERPRINT: print_}}
                    for finding, print_ in zip(diagnostics, prints, strict=True)
                ],
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _rule(finding: Diagnostic, page: str, docs: str) -> dict[str, Any]:
    """Describe the rule of a finding."""
    words = finding.name.replace("-", " ")
    rule: dict[str, Any] = {
        "id": finding.rule,
        "name": finding.name,
        "shortDescription": {"text": f"{words[:1].upper()}{words[1:]}"},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }
    if page:
        rule["fullDescription"] = {"text": _paragraph(page)}
        rule["help"] = {"text": page, "markdown": page_as_markdown(page)}
    address = page_of(finding.rule, docs) if docs else ""
    return {**rule, "helpUri": address} if address else rule


def _paragraph(page: str) -> str:
    """Return the first paragraph of a page that says something, on one line."""
    blocks = page.strip().split("\n\n")
    lines = blocks[0].splitlines()
    return " ".join(line.strip() for line in (lines[1:] or lines))


def _fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Return a mark for each finding that stays the same when lines move.

    It is made of 1. the rule, 2. the file, 3. the path in the document, 4. the message without its numbers where there
    is no path, and 5. how many findings alike came before.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    prints = []
    for finding in diagnostics:
        text = "" if finding.path else _NUMBERS.sub("#", finding.message)
        parts = (finding.rule, finding.span.file if finding.span else "", show_path(finding.path), text)
        digest = sha256("\0".join((*parts, str(seen[parts]))).encode("utf-8", "replace")).hexdigest()[:32]
        seen[parts] += 1
        prints.append(digest)
    return prints


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
