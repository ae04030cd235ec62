"""Generated work on the command line: the same jobs for every command, another seed, another parameter."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).resolve().parents[2]
DAY = """kind: scenario
version: 1
stack: {stack}
seed: 7
until: 8h
parameters: {{rate: 2}}
workloads:
  - name: research
    share: QS1
    arrivals: {{poisson: {{per_hour: "${{rate}}"}}}}
    instances: {{ml.g5.xlarge: 1}}
    duration: {{exponential: {{mean: 40m}}}}
    priority: {{uniform: [1, 5]}}
expect:
  - {{no_blocked_jobs: true}}
"""


@pytest.fixture
def day(tmp_path: Path) -> Path:
    path = tmp_path / "day.yaml"
    path.write_text(DAY.format(stack=ROOT / "stacks" / "dev.yaml"), encoding="utf-8")
    return path


def jobs(quota_engine: Run, *args: str) -> list[str]:
    """Return what a simulation says of its jobs: one line for each submission."""
    run = quota_engine("simulate", "-v", *args)
    assert run.returncode == 0, run.stderr
    return [line for line in run.stdout.splitlines() if ": submitted" in line]


def test_a_scenario_of_workloads_runs_with_the_same_jobs_every_time(quota_engine: Run, day: Path) -> None:
    """And under another seed with others: how sure is a verdict that holds under one?"""
    found = jobs(quota_engine, str(day))
    assert len(found) > 8
    assert jobs(quota_engine, str(day)) == found
    assert jobs(quota_engine, str(day), "--seed", "7") == found
    assert jobs(quota_engine, str(day), "--seed", "8") != found


def test_another_rate_brings_more_jobs(quota_engine: Run, day: Path) -> None:
    """`--set` reaches the file's own parameter; the last value of a name wins."""
    assert len(jobs(quota_engine, str(day), "--set", "rate=1", "--set=rate=9")) > 2 * len(jobs(quota_engine, str(day)))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--set", "rat=9"), "did you mean 'rate'?"),
        (("--set", "rate"), "'rate' is not NAME=VALUE"),
        (("--set", "rate=-1"), "the value was given as rate=-1"),
        (("--set", "rate=nan"), "where a number belongs"),
        (("--seed", "-1"), "--seed"),
        (("--seed", "x"), "--seed"),
    ],
)
def test_a_wrong_option_is_trouble_that_says_what_to_write(
    quota_engine: Run, day: Path, option: tuple[str, ...], said: str
) -> None:
    """Nothing runs on a value that was not meant."""
    run = quota_engine("simulate", str(day), *option)
    assert run.returncode == 2
    assert said in run.stderr + run.stdout


def test_explain_tells_of_a_generated_job(quota_engine: Run, day: Path) -> None:
    """It is the very job that simulate tells of."""
    run = quota_engine("explain", "research-0001", "--scenario", str(day), "--seed", "8", "--format", "json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["job"] == "research-0001"
    alone = quota_engine("explain", "research-0001", "--seed", "8")
    assert alone.returncode == 2
    assert "--set, --seed and --max-bad go with --scenario" in alone.stderr


def test_a_thousand_million_jobs_are_refused_by_validate_and_simulate(quota_engine: Run, day: Path) -> None:
    """Before any is made, with the number and the limit."""
    text = day.read_text(encoding="utf-8").replace(
        '{poisson: {per_hour: "${rate}"}}', "{burst: {at: 1h, jobs: 1000000000}}"
    )
    day.write_text(text.replace("parameters: {rate: 2}\n", ""), encoding="utf-8")
    validated = quota_engine("validate", str(day))
    assert validated.returncode == 1
    assert "the workloads bring 1,000,000,000 jobs" in validated.stdout
    assert quota_engine("simulate", str(day)).returncode == 2
