"""docs/drift.md shows what the renderers really write."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quota_engine import __version__
from quota_engine.config import load_stack
from quota_engine.drift import KINDS, compare
from quota_engine.live import iam_policy, observe
from quota_engine.report import (
    diagnostics_github,
    diagnostics_junit,
    diagnostics_sarif,
    drift_json,
    drift_markdown,
    drift_text,
)
from quota_engine.report.drift_view import Compared, findings
from tests.live.recorded_account import RecordedAccount, serve

ROOT = Path(__file__).parent.parent.parent
CASE = ROOT / "tests" / "cases" / "drift" / "documentation"
PAGE = (ROOT / "docs" / "drift.md").read_text(encoding="utf-8")


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compared:
    """The sample, with its declaration under the name a user would give it."""
    (tmp_path / "stacks").mkdir()
    shutil.copy(CASE / "stack.yaml", tmp_path / "stacks" / "dev.yaml")
    monkeypatch.chdir(tmp_path)
    loaded = load_stack("stacks/dev.yaml")
    assert loaded.value is not None
    live = json.loads((CASE / "drifted.live.json").read_text(encoding="utf-8"))
    with serve(RecordedAccount(live)) as account:
        observation = observe(loaded.value, account.session(monkeypatch))
    return Compared(compare(loaded.value, observation), loaded.positions)


FORMATS: dict[str, Callable[[Compared], str]] = {
    "text": lambda one: drift_text.render([one]),
    "json": lambda one: drift_json.render([one]),
    "markdown": lambda one: drift_markdown.render([one]),
    "github": lambda one: diagnostics_github.render(findings(one)),
    "sarif": lambda one: diagnostics_sarif.render(findings(one)),
    "junit": lambda one: diagnostics_junit.render(findings(one)),
}


@pytest.mark.parametrize("format_name", list(FORMATS))
def test_the_documentation_shows_a_true_sample_of_each_format(format_name: str, compared: Compared) -> None:
    """A sample that is no longer true misleads whoever parses the output."""
    output = FORMATS[format_name](compared).replace(f'"{__version__}"', '"0.1.0"')
    assert output.strip() in PAGE


def test_the_documentation_lists_every_kind_of_drift() -> None:
    """Each rule id that a report may show can be looked up."""
    for kind in KINDS.values():
        assert f"| {kind.rule} | {kind.name} | {kind.severity.value} | {kind.what} |" in PAGE


def test_the_documentation_shows_the_iam_policy() -> None:
    """The least that the command needs, to be copied."""
    loaded = load_stack(str(CASE / "stack.yaml"))
    assert loaded.value is not None
    policy = iam_policy(replace(loaded.value, account="123456789012"))
    assert json.dumps(policy, indent=2) in PAGE
