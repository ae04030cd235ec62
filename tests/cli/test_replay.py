"""Replays through the commands: what is told of a history's lines, what stops, and what examples/replay promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from quota_engine.config import KINDS
from quota_engine.simulate import TRACED_MAX

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "replay"

SCENARIO = """
kind: scenario
version: 1
stack: {stack}
replay:
  file: jobs.csv
  share: {{column: team, map: {{red: QS1, blue: QS2}}}}
  instances: {{each: {{ml.g5.xlarge: 1}}}}
  submit: at
  duration: for
"""


def tell(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "quota_engine", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario with a history of a hundred lines, twelve of which can't be used."""
    lines = [f"{'green' if number % 10 == 3 else 'blue'},{number},60" for number in range(98)]
    (tmp_path / "jobs.csv").write_text("team,at,for\n" + "\n".join([*lines, "blue", "blue,x,60"]) + "\n")
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.format(stack=ROOT / "stacks" / "dev.yaml"), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["cluster", "teams"])
def test_an_example_is_valid_and_holds(name: str) -> None:
    """It is what a reader copies."""
    assert "no findings" in tell("validate", EXAMPLES / f"{name}.yaml").stdout
    told = tell("simulate", EXAMPLES / f"{name}.yaml")
    assert told.returncode == 0, told.stdout
    assert "left out: never ran, or never ended" in told.stderr


def test_too_many_bad_lines_stop_with_the_list_of_them(scenario: Path) -> None:
    """A simulation without a tenth of its jobs looks like one of an idle queue."""
    told = tell("simulate", scenario)
    assert (told.returncode, told.stdout) == (2, "")
    assert "error QE532 replay-bad-line" in told.stderr
    assert "jobs.csv, lines 5, 15, 25, 35, 45 and 5 more: team 'green' is not in the map" in told.stderr
    assert "jobs.csv, line 100: the line has 1 fields, the header 3" in told.stderr
    assert "why: 12 of 100 lines are bad, and 10 are allowed" in told.stderr
    assert "can't replay its history" in told.stderr


@pytest.mark.parametrize("limit", ["12", "100%"])
def test_what_is_bad_is_told_where_it_may_be(limit: str, scenario: Path) -> None:
    """Whoever lets it pass must still know what is missing."""
    told = tell("simulate", scenario, "--max-bad", limit)
    assert told.returncode == 0
    assert "jobs.csv: 88 jobs of 100 lines; 12 bad" in told.stderr
    assert "lines 5, 15, 25, 35, 45 and 5 more: team 'green' is not in the map" in told.stderr
    assert "\r" not in told.stderr
    assert "12 bad" not in tell("simulate", scenario, "--max-bad", limit, "-q").stderr


def test_a_limit_that_is_none_is_refused(scenario: Path) -> None:
    """Before the history is read."""
    told = tell("simulate", scenario, "--max-bad", "some")
    assert told.returncode == 2
    assert "'some' is neither a number of lines nor a percentage" in told.stderr


def test_validate_tells_what_simulate_would_stop_for(scenario: Path) -> None:
    """And exits 1 as for any other error inside a readable file; a warning where it would not stop."""
    told = tell("validate", scenario)
    assert told.returncode == 1
    assert "3 errors" in told.stdout
    scenario.write_text(scenario.read_text(encoding="utf-8") + "  max_bad: 12\n", encoding="utf-8")
    told = tell("validate", scenario)
    assert told.returncode == 0
    assert "3 warnings" in told.stdout


def test_a_history_that_is_gone_or_damaged_is_told_in_a_finding(scenario: Path) -> None:
    """Never a traceback, whatever became of the file."""
    history = scenario.with_name("jobs.csv")
    history.write_bytes(b"\x1f\x8b\x08\x00nothing of the kind")
    told = tell("simulate", scenario)
    assert told.returncode == 2
    assert "QE530" in told.stderr
    assert "damaged" in told.stderr
    history.unlink()
    told = tell("simulate", scenario)
    assert told.returncode == 2
    assert "there is no such file" in told.stderr
    assert "Traceback" not in told.stderr


def test_explain_compare_and_sweep_replay_too(scenario: Path) -> None:
    """The same work for every question about it."""
    stack = ROOT / "stacks" / "dev.yaml"
    explained = tell("explain", "line-2", "--scenario", scenario, "--max-bad", "12", "--at", "10s")
    assert explained.returncode == 0, explained.stderr
    assert "line-2" in explained.stdout
    compared = tell("compare", stack, stack, "--scenario", scenario, "--max-bad", "12")
    assert compared.returncode == 0, compared.stderr
    assert "88" in compared.stdout
    swept = tell(
        "sweep", scenario, "--max-bad", "12", "--vary", "QS2/ml.g5.xlarge=1", "--workers", "1", "--format", "csv"
    )
    assert swept.returncode == 0, swept.stderr


def test_of_many_jobs_there_is_a_table_and_no_story(tmp_path: Path) -> None:
    """A story of a hundred thousand lines tells nothing, and the trace that it is told from takes gigabytes."""
    count = TRACED_MAX + 1
    (tmp_path / "jobs.csv").write_text("team,at,for\n" + "".join(f"red,{n},1\n" for n in range(count)))
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.format(stack=ROOT / "stacks" / "dev.yaml") + "expect: [{no_blocked_jobs: true}]\n")
    told = tell("simulate", path)
    assert told.returncode == 0, told.stderr
    assert f"Of {count} jobs no story is told" in told.stdout
    assert "QS1" in told.stdout
    assert "1 of 1 hold" in told.stdout
    assert "no story is told" in tell("simulate", path, "--format", "markdown").stdout
    assert '"events": null' in tell("simulate", path, "--format", "json").stdout


def test_the_schema_knows_replay() -> None:
    """Editors complete what the schema knows."""
    assert "scenario" in KINDS
    assert '"replay"' in tell("schema", "scenario").stdout
