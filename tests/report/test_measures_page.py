"""docs/measures.md, and the fields of the JSON report: one definition for each measure, and none without."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quota_engine.config import load_scenario
from quota_engine.report import simulation_json, simulation_markdown, simulation_text
from quota_engine.simulate import Measures, Run, judge, measure, run
from quota_engine.simulate.definitions import OF_ALL, OF_SHARES
from quota_engine.simulate.metrics import ShareMeasures
from tools.measures import PAGE, filled

CASES = Path(__file__).parent.parent / "cases" / "report"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def windows() -> Run:
    loaded = load_scenario(str(CASES / "windows.yaml"))
    assert loaded.value is not None, loaded.diagnostics
    return run(loaded.value)


def test_the_tables_are_what_the_definitions_say() -> None:
    """A definition that changes only in the code is one that nobody reads: run python tools/measures.py."""
    assert filled(TEXT) == TEXT


def test_every_measure_has_a_definition_and_every_definition_a_measure() -> None:
    """A figure that is measured and not defined is one that everybody takes for something else."""
    of_shares = {*ShareMeasures.__dataclass_fields__, "served", "idle_instance_ms"} - {"share"}
    assert {one.field for one in OF_SHARES} == of_shares
    assert {one.field for one in OF_ALL} == {*Measures.__dataclass_fields__, "fairness"} - {"shares"}


def names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if "." not in name and name not in ("A", "B"):
                yield name
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


def test_every_field_of_the_json_report_is_documented(windows: Run) -> None:
    """Programs are written from the page; a field that is not on it may as well not be there."""
    document = simulation_json.as_json(windows, judge(windows), measure(windows))
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    told = {name for code in re.findall(r"`([^`]+)`", prose) for name in re.findall(r"[a-z0-9_]+", code)}
    parts = {name: value for name, value in document.items() if name not in ("events", "refused")}
    parts["verdicts"] = [{**one, "arguments": None} for one in document["verdicts"]]
    assert {*names_in(parts), *document} - told == set()


def test_windows_are_shown_in_every_format(windows: Run) -> None:
    """Whoever reads the report must see that there were no instances, before asking why a job waited."""
    measures = measure(windows)
    line = "capacity of ml.g5.xlarge: 4 to 2h, 1 to 4h, then 3"
    text = simulation_text.render(windows, judge(windows), measures)
    assert line in text.splitlines()
    assert "8.0 of 13.0 instance-hours; 1.0 of the use beyond what was there, when the limit was lowered" in " ".join(
        text.split()
    )
    assert f"- {line}" in simulation_markdown.render(windows, judge(windows), measures).splitlines()
    data = json.loads(simulation_json.render(windows, judge(windows), measures))
    assert data["capacity"] == {
        "ml.g5.xlarge": [
            {"from_ms": 0, "until_ms": 7_200_000, "instances": 4},
            {"from_ms": 7_200_000, "until_ms": 14_400_000, "instances": 1},
            {"from_ms": 14_400_000, "until_ms": None, "instances": 3},
        ]
    }
    assert data["measures"]["utilisation"]["ml.g5.xlarge"]["beyond_instance_ms"] == 3_600_000
