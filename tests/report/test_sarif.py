"""SARIF as code-scanning services read it: judged by a model made from the standard's own schema."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.rule_pages import all_rules
from quota_engine.cli.validation import check_all
from quota_engine.model.diagnostic import Diagnostic, Severity, Span
from quota_engine.report import diagnostics_sarif
from quota_engine.report.diagnostics_sarif import FINGERPRINT

CASES = Path(__file__).resolve().parent.parent / "cases"


@pytest.fixture(scope="module")
def log() -> dict[str, Any]:
    """The log of everything that is wrong in the cases of all rules."""
    pages = {rule: page.page for rule, page in all_rules().items()}
    found = check_all([CASES / "rules", CASES / "config"]).diagnostics
    text = diagnostics_sarif.render(found, pages=pages, docs="https://example.com/rules/")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def test_a_log_is_valid_by_the_schema_of_sarif_2_1_0(log: dict[str, Any]) -> None:
    """A service refuses the whole upload for one wrong member."""
    model = pytest.importorskip("pydantic_sarif.model")
    model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(log)
    broken = json.loads(json.dumps(log))
    broken["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(ValueError, match="level"):
        model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(broken)


def test_every_rule_of_a_log_explains_itself(log: dict[str, Any]) -> None:
    """Code scanning shows the rule's help beside the finding; without it nobody knows why."""
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert len(rules) > 60
    for index, rule in enumerate(rules):
        assert rule["helpUri"] == f"https://example.com/rules/{rule['id']}.md"
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert [one["id"] for one in rules].index(rule["id"]) == index
    for result in log["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"])


def test_fingerprints_tell_findings_apart(log: dict[str, Any]) -> None:
    """Two findings of one fingerprint would be shown as one."""
    prints = [result["partialFingerprints"][FINGERPRINT] for result in log["runs"][0]["results"]]
    assert len(set(prints)) == len(prints)


def prints_of(findings: list[Diagnostic]) -> list[str]:
    results = json.loads(diagnostics_sarif.render(findings))["runs"][0]["results"]
    return [result["partialFingerprints"][FINGERPRINT] for result in results]


def test_a_fingerprint_survives_moved_lines() -> None:
    """Else every line added at the top would close all alerts and open them anew, dismissals lost."""
    located = Diagnostic("QE304", "n", Severity.ERROR, "limit 50", ("a", "b"), Span("s.yaml", 4, 2, 4, 5))
    textual = Diagnostic("QE109", "n", Severity.ERROR, "stands twice, first in line 4", (), Span("s.yaml", 9, 1, 9, 4))
    before = prints_of([located, textual, textual])
    moved = [
        replace(located, span=Span("s.yaml", 14, 2, 14, 5), message="limit 60"),
        replace(textual, span=Span("s.yaml", 19, 1, 19, 4), message="stands twice, first in line 14"),
    ]
    assert prints_of([*moved, moved[1]]) == before
    assert len(set(before)) == 3
    assert prints_of([replace(located, path=("a", "c"))]) != before[:1]
    assert prints_of([replace(located, span=Span("t.yaml", 4, 2, 4, 5))]) != before[:1]
