"""Findings as JUnit XML: a suite per file, a failed case per error or warning, a passed case where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from ..model.diagnostic import Diagnostic, Severity
from .diagnostics_text import place
from .visible import visible

_NOWHERE = "quota-engine"


def render(diagnostics: Sequence[Diagnostic], checked: Iterable[str] = ()) -> str:
    """Return one document. `checked` names the files looked at, so that clean ones show as passed."""
    by_file: dict[str, list[Diagnostic]] = {file: [] for file in checked}
    for finding in diagnostics:
        by_file.setdefault(finding.span.file if finding.span else _NOWHERE, []).append(finding)
    failures = sum(finding.severity is not Severity.NOTE for finding in diagnostics)
    cases = sum(max(1, len(found)) for found in by_file.values())
    body = "".join(_suite(file, found) for file, found in by_file.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="quota-engine" tests="{cases}" failures="{failures}">\n{body}</testsuites>\n'
    )


def _suite(file: str, found: Sequence[Diagnostic]) -> str:
    failures = sum(finding.severity is not Severity.NOTE for finding in found)
    cases = "".join(_case(file, finding) for finding in found) or (
        f"    <testcase classname={_attribute(file)} name={_attribute('no findings')}/>\n"
    )
    return (
        f'  <testsuite name={_attribute(file)} tests="{max(1, len(found))}" failures="{failures}">\n'
        f"{cases}  </testsuite>\n"
    )


def _case(file: str, finding: Diagnostic) -> str:
    where = f" at {finding.span.line}:{finding.span.column}" if finding.span else ""
    name = _attribute(f"{finding.rule} {finding.name}{where}")
    parts = [
        f"{place(finding.span)}: {finding.message}" if finding.span else finding.message,
        finding.why and f"why: {finding.why}",
        finding.fix and f"fix: {finding.fix}",
    ]
    text = _text("\n".join(part for part in parts if part))
    opening = f"    <testcase classname={_attribute(file)} name={name}>\n"
    if finding.severity is Severity.NOTE:
        return f"{opening}      <system-out>{text}</system-out>\n    </testcase>\n"
    return (
        f"{opening}      <failure type={_attribute(finding.severity.value)} message={_attribute(finding.message)}>"
        f"{text}</failure>\n    </testcase>\n"
    )


def _text(text: str) -> str:
    return escape("\n".join(visible(line) for line in text.split("\n")))


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
