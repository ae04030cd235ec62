"""Runs tests/cases/drift: recorded AWS answers through a real boto3 client, compared with a declaration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from quota_engine.config import load_stack
from quota_engine.drift import Change, DriftReport, compare
from quota_engine.live import observe
from quota_engine.report import drift_text
from quota_engine.report.drift_view import Compared
from quota_engine.report.visible import show_path
from tests.live.recorded_account import RecordedAccount, serve

CASES = Path(__file__).parent.parent / "cases" / "drift"
LIVE_FILES = sorted(CASES.glob("*/*.live.json"))


def as_row(change: Change) -> list[object]:
    """Return a change as expected.yaml writes it."""
    declared, live = change.declared, change.live
    if not change.attribute:
        declared = "absent" if declared is None else "present" if isinstance(declared, Mapping) else declared
        live = "absent" if live is None else "present" if isinstance(live, Mapping) else live
    return [change.about.rule, change.action.value, show_path(change.path), declared, live]


@pytest.mark.parametrize("live_file", LIVE_FILES, ids=lambda path: f"{path.parent.name}/{path.name.split('.')[0]}")
@pytest.mark.parametrize("page_size", [100, 1])
def test_a_recorded_account_is_compared_as_expected(
    live_file: Path, page_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every rule about what is equal, from the wire to the sentence; the same whether answers come in pages or not."""
    loaded = load_stack(str(live_file.parent / "stack.yaml"))
    assert loaded.value is not None, loaded.diagnostics
    recorded = RecordedAccount(json.loads(live_file.read_text(encoding="utf-8")), page_size=page_size)
    with serve(recorded) as account:
        observation = observe(loaded.value, account.session(monkeypatch))
    report = compare(loaded.value, observation)
    expected: dict[str, Any] = yaml.safe_load(
        live_file.with_name(live_file.name.replace(".live.json", ".expected.yaml")).read_text(encoding="utf-8")
    )
    assert [as_row(change) for change in report.changes] == expected["changes"]
    assert [[note.about.rule, show_path(note.path)] for note in report.notes] == expected.get("notes", [])
    assert report.outcome.value == expected["outcome"]
    assert report.unreadable == ()
    _check_sentences(report, Compared(report, loaded.positions), expected.get("told", []))


def _check_sentences(report: DriftReport, compared: Compared, told: list[str]) -> None:
    text = " ".join(drift_text.render([compared]).split())
    assert [sentence for sentence in told if sentence not in text] == []
