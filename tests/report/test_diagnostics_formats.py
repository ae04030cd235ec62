"""Findings in the formats of other tools: each must survive whatever a name holds."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

from quota_engine.model.diagnostic import Diagnostic, Severity, Span
from quota_engine.report import (
    diagnostics_github,
    diagnostics_json,
    diagnostics_junit,
    diagnostics_markdown,
    diagnostics_sarif,
)

PLAIN = Diagnostic(
    "QE304",
    "borrow-limit-without-borrowing",
    Severity.ERROR,
    "quota share 'a' sets borrow_limit 50",
    ("job_queues", "q", "quota_shares", "a"),
    Span("stacks/my prod.yaml", 14, 20, 14, 22),
    why="it can't",
    fix="remove it",
)
NASTY = Diagnostic(
    "QE201",
    "unknown-key",
    Severity.WARNING,
    "key '<b>|`x`\x1b[31m,:%'\nis not known",
    (),
    Span("a,b:c%.yaml", 1, 1, 2, 3),
    related=((Span("other.yaml", 9, 1, 9, 2), "the | other"),),
)
NOWHERE = Diagnostic("QE615", "unreadable-resource", Severity.NOTE, "could not read it")
ALL = [PLAIN, NASTY, NOWHERE]


def test_json_is_versioned_and_keeps_every_field() -> None:
    """Programs get data, not text: null where there is no place."""
    document = json.loads(diagnostics_json.render(ALL, checked=2))
    assert document["version"] == 1
    assert document["summary"] == {"errors": 1, "warnings": 1, "notes": 1, "files": 2}
    first, second, third = document["diagnostics"]
    assert first["path"] == ["job_queues", "q", "quota_shares", "a"]
    assert (first["file"], first["line"], first["column"], first["end_column"]) == ("stacks/my prod.yaml", 14, 20, 22)
    assert second["message"] == NASTY.message
    assert second["related"][0]["line"] == 9
    assert third["file"] is None


def test_github_commands_are_one_line_each_and_escaped() -> None:
    """A newline or a colon in a name must not begin another command."""
    first, second, third = diagnostics_github.render(ALL).splitlines()
    assert first == (
        "::error file=stacks/my prod.yaml,line=14,endLine=14,col=20,endColumn=21,"
        "title=QE304 borrow-limit-without-borrowing::"
        "quota share 'a' sets borrow_limit 50%0Awhy: it can't%0Afix: remove it"
    )
    assert second.startswith("::warning file=a%2Cb%3Ac%25.yaml,line=1,endLine=2,title=")
    assert "%0Ais not known" in second
    assert third == "::notice title=QE615 unreadable-resource::could not read it"


def test_sarif_has_one_run_whose_results_point_at_rules_and_places() -> None:
    """Code scanning drops a log whose rule index, level or region is off."""
    document = json.loads(diagnostics_sarif.render(ALL))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    first, second, third = run["results"]
    location = first["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "stacks/my%20prod.yaml"
    assert location["physicalLocation"]["region"] == {
        "startLine": 14,
        "startColumn": 20,
        "endLine": 14,
        "endColumn": 22,
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "job_queues.q.quota_shares.a"}]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    assert second["relatedLocations"][0]["message"]["text"] == "the | other"
    assert "locations" not in third


def test_junit_is_well_formed_and_clean_files_pass() -> None:
    """A control character is not allowed in XML at all, not even escaped as an entity."""
    root = ElementTree.fromstring(diagnostics_junit.render(ALL, ["clean.yaml"]))
    assert root.attrib["tests"] == "4"
    assert root.attrib["failures"] == "2"
    suites = {suite.attrib["name"]: suite for suite in root}
    assert suites["clean.yaml"].find("testcase/failure") is None
    failure = suites["a,b:c%.yaml"].find("testcase/failure")
    assert failure is not None
    assert "\\x1b[31m" in failure.attrib["message"]


def test_markdown_tables_hold_one_row_a_finding() -> None:
    """A pipe or a tag in a name must not break the table or become HTML."""
    text = diagnostics_markdown.render(ALL)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(ALL)
    for row in rows:
        assert row.replace("\\|", "").count("|") == 5
    assert "<b>" not in text
    assert "\x1b" not in text


def test_no_findings_are_valid_documents() -> None:
    """CI uploads the file whether or not anything was found."""
    assert diagnostics_github.render([]) == ""
    assert json.loads(diagnostics_sarif.render([]))["runs"][0]["results"] == []
    assert ElementTree.fromstring(diagnostics_junit.render([])).attrib["tests"] == "0"
    assert diagnostics_markdown.render([], checked=3) == "### no findings in 3 files\n"
