"""The stacks and scenarios that come with the project: without fault, and with expectations that hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config import load_document, load_scenario
from quota_engine.model.diagnostic import Severity
from quota_engine.rules import check_scenario, check_stack
from quota_engine.simulate import judge, run
from quota_engine.workloads import prepare

ROOT = Path(__file__).resolve().parent.parent.parent
SHIPPED = sorted([*ROOT.glob("stacks/[a-z]*.yaml"), *ROOT.glob("scenarios/*.yaml")])
SCENARIOS = sorted(ROOT.glob("scenarios/*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_file_has_no_error_and_no_warning(path: Path) -> None:
    """Users copy them; what they copy must be right."""
    findings = load_document(path).findings(check_stack, check_scenario)
    assert [one for one in findings if one.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.name)
def test_the_expectations_of_a_shipped_scenario_hold(path: Path) -> None:
    """They are the product's first examples of what a simulation tells."""
    scenario = load_scenario(path).value
    assert scenario is not None
    assert scenario.expectations
    verdicts = judge(run(prepare(scenario)), scenario.expectations)
    assert [verdict.seen for verdict in verdicts if verdict.judgement.value != "holds"] == []
