"""Golden schedules: tests/cases/schedule/*.yaml, each a stack, scenarios on it, and the full trace each must give.

A file holds `stack` (a declaration), `cases`: {title: {stack?, stacks?, scenario, trace, left_over?}}. Traces are
written by hand from the documented rules; `left_over` is {job: beginning of the reason it has not ended}.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from quota_engine.config.load import load_scenario
from quota_engine.model.work import Scenario
from quota_engine.simulate import run
from tests.scheduler.schedule_text import trace_lines

CASES = Path(__file__).parent.parent / "cases" / "schedule"


def _cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("*.yaml")):
        document = yaml.safe_load(path.read_text())
        for title, case in document["cases"].items():
            yield pytest.param(document, case, id=f"{path.stem}: {title}")


def load(document: dict[str, Any], case: dict[str, Any], folder: Path) -> Scenario:
    """Write the case's parts as a user's files and read them as the product does."""
    head = {"version": 1, "region": "us-west-2", "name": "case"}
    stacks = {"stack": case.get("stack", document["stack"]), **case.get("stacks", {})}
    for name, stack in stacks.items():
        (folder / f"{name}.json").write_text(json.dumps({"kind": "stack", **head, **stack}))
    scenario = {"kind": "scenario", "version": 1, "stack": "stack.json", **case["scenario"]}
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario))
    loaded = load_scenario(str(path))
    assert loaded.value is not None, [diagnostic.message for diagnostic in loaded.diagnostics]
    return loaded.value


@pytest.mark.parametrize(("document", "case"), list(_cases()))
def test_the_schedule_is_the_one_the_rules_give(document: dict[str, Any], case: dict[str, Any], tmp_path: Path) -> None:
    """The model's whole worth: on every documented example it does what the documents say, event by event."""
    result = run(load(document, case, tmp_path))
    wanted = [" ".join(line.split()) for line in case["trace"].splitlines() if line.strip()]
    assert trace_lines(result.trace) == wanted
    if "left_over" in case:
        reasons = {left.job: left.reason for left in result.unfinished}
        assert reasons.keys() == case["left_over"].keys()
        for job, reason in case["left_over"].items():
            assert reasons[job].startswith(reason), reasons[job]
