"""`quota-engine simulate` to files: every format, charts, and what is refused before the work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN_ENVIRONMENT, ROOT

SCENARIO = "scenarios/lend-and-borrow.yaml"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_every_format_goes_to_a_file(quota_engine: Run, tmp_path: Path) -> None:
    """Each is what it says it is, and the exit code is the verdict's."""
    pytest.importorskip("altair")
    for name in ("html", "jsonl", "perfetto", "markdown"):
        run = quota_engine("simulate", SCENARIO, "--format", name, "--output", str(tmp_path / name))
        assert (run.returncode, run.stdout) == (0, ""), run.stderr
    assert (tmp_path / "html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert len((tmp_path / "jsonl").read_text(encoding="utf-8").splitlines()) > 20
    assert "traceEvents" in json.loads((tmp_path / "perfetto").read_text(encoding="utf-8"))
    assert "```mermaid" in (tmp_path / "markdown").read_text(encoding="utf-8")


def test_charts_are_written_beside_the_report(quota_engine: Run, tmp_path: Path) -> None:
    """One command: the text for the terminal, the pictures for the pull request."""
    pytest.importorskip("altair")
    folder = tmp_path / "new" / "charts"
    run = quota_engine("simulate", SCENARIO, "--charts", str(folder))
    assert run.returncode == 0, run.stderr
    assert "Timeline" in run.stdout
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["timeline.png", "timeline.svg", "use.png", "use.svg", "waits.png", "waits.svg"]


@pytest.mark.parametrize("options", [["--format", "html"], ["--format", "jsonl"], ["--charts", "x"]])
def test_what_holds_one_scenario_refuses_two(quota_engine: Run, options: list[str]) -> None:
    """Rather than drop one, or join what no reader can part."""
    run = quota_engine("simulate", SCENARIO, SCENARIO, *options)
    assert run.returncode == 2
    assert "takes one scenario, not 2" in run.stderr


@pytest.mark.parametrize("command", [["simulate", "no-such.yaml"], ["validate", "no-such.yaml"], ["schema", "stack"]])
def test_an_unwritable_output_fails_before_the_work(quota_engine: Run, command: list[str], tmp_path: Path) -> None:
    """The output is looked at before the input is: nobody waits an hour for "no such directory"."""
    run = quota_engine(*command, "--output", str(tmp_path / "missing" / "report"))
    assert run.returncode == 2
    assert "can't write" in run.stderr
    assert "no-such" not in run.stderr


def test_charts_into_what_is_no_directory_fail_before_the_work(quota_engine: Run, tmp_path: Path) -> None:
    """A file stands in the way."""
    (tmp_path / "file").write_text("")
    run = quota_engine("simulate", "no-such.yaml", "--charts", str(tmp_path / "file" / "charts"))
    assert run.returncode == 2
    assert "can't write" in run.stderr


@pytest.mark.parametrize("options", [["--format", "html"], ["--charts", "charts"]])
def test_a_missing_extra_is_named_before_the_work(options: list[str], tmp_path: Path) -> None:
    """Which one to install, in a line."""
    (tmp_path / "altair.py").write_text("raise ModuleNotFoundError('no altair', name='altair')\n")
    run = subprocess.run(
        [sys.executable, "-m", "quota_engine", "simulate", "no-such.yaml", *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**CLEAN_ENVIRONMENT, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        check=False,
    )
    assert run.returncode == 2
    assert "needs altair" in run.stderr
    assert "[report]" in run.stderr


MANY = """
kind: scenario
version: 1
stack: {stack}
until: 70h
workloads: [{{name: w, share: QS1, arrivals: {{every: 10s}}, instances: {{ml.g5.xlarge: 1}}, duration: 10s}}]
"""
PEAK = """
import resource, sys
from quota_engine.cli.main import run
code = run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def _peak_kb(*arguments: str | Path) -> int:
    run = subprocess.run(
        [sys.executable, "-c", PEAK, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=CLEAN_ENVIRONMENT,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return int(run.stderr.split()[-1])


def test_json_lines_of_many_jobs_are_not_held_in_memory(tmp_path: Path) -> None:
    """A replay of a million jobs has gigabytes of events; the lines take no more memory than a report without them."""
    scenario = tmp_path / "many.yaml"
    scenario.write_text(MANY.format(stack=ROOT / "stacks" / "dev.yaml"), encoding="utf-8")
    lines = tmp_path / "lines"
    without = _peak_kb("simulate", scenario, "--output", tmp_path / "text")
    assert _peak_kb("simulate", scenario, "--format", "jsonl", "--output", lines) < 1.15 * without
    with lines.open(encoding="utf-8") as file:
        head = json.loads(next(file))
        assert head["events"] == sum(1 for _ in file) > 100_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lines", "many.yaml", "text"]


def test_a_stopped_run_leaves_the_file_as_it_was(quota_engine: Run, tmp_path: Path) -> None:
    """JSON Lines come part by part, and yet whole or not at all."""
    (tmp_path / "lines").write_text("before", encoding="utf-8")
    run = quota_engine(
        "simulate", SCENARIO, "--assume", "victim_order=none", "--format", "jsonl", "--output", str(tmp_path / "lines")
    )
    assert run.returncode == 2
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["before"]
