"""The worked examples of docs/scenario.md and of examples/ are what they seem: they run, and what they expect holds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from quota_engine.config import load_scenario
from quota_engine.model.diagnostic import Severity
from quota_engine.model.work import Scenario
from quota_engine.rules import check_scenario, check_stack
from quota_engine.simulate import judge, run
from quota_engine.workloads import prepare

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scenario.md"
BLOCKS = re.findall(r"```yaml\n(kind: scenario\n.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
ON_CALL = ROOT / "examples" / "on-call-burst"


def good(path: Path) -> Scenario:
    """Load a scenario in which neither error nor warning is found."""
    loaded = load_scenario(path)
    findings = loaded.findings(check_stack, check_scenario)
    assert [one for one in findings if one.severity is not Severity.NOTE] == []
    assert loaded.value is not None
    return loaded.value


def failed(scenario: Scenario) -> list[str]:
    return [f"{one.expected}: {one.seen}" for one in judge(run(prepare(scenario))) if not one.holds]


@pytest.mark.parametrize("text", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_of_the_page_holds(text: str, tmp_path: Path) -> None:
    """It is copied, and what is copied must work; it stands in scenarios/, as its paths say."""
    (tmp_path / "stacks").symlink_to(ROOT / "stacks")
    folder = tmp_path / "scenarios"
    folder.mkdir()
    for shipped in (ROOT / "scenarios").glob("*.yaml"):
        (folder / shipped.name).write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "example.yaml").write_text(text, encoding="utf-8")
    scenario = good(folder / "example.yaml")
    assert scenario.expectations
    assert failed(scenario) == []


def test_the_page_has_an_example_of_each_part() -> None:
    """Workloads, parameters and include each have one that can be copied."""
    assert all(any(f"\n{part}:" in block for block in BLOCKS) for part in ("workloads", "parameters", "include"))


@pytest.mark.parametrize("seed", [None, 1, 2, 5, 14])
def test_the_on_call_team_has_its_instances_back_within_four_stops(seed: int | None) -> None:
    """The example's answer must not be the luck of one seed."""
    scenario = good(ON_CALL / "incident.yaml")
    assert failed(scenario if seed is None else replace(scenario, seed=seed)) == []


def test_the_usual_day_of_the_on_call_example_holds() -> None:
    """What incident.yaml includes is a scenario of its own."""
    assert failed(good(ON_CALL / "usual-load.yaml")) == []
