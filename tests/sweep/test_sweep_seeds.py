"""Seeds: what differs between them, what must not, and what the summary makes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .conftest import Sweep
from .test_sweep_command import rows

RANDOM = """\
kind: scenario
version: 1
description: "Poisson & <friends> | a day"
stack: lab.yaml
seed: 2
until: 12h
parameters: {rate: 4}
workloads:
  - {name: research, share: QS1, arrivals: {poisson: {per_hour: "${rate}"}}, instances: {ml.g5.xlarge: 1},
     duration: {lognormal: {median: 1h, sigma: 0.7}}}
  - {name: serving, share: QS2, arrivals: {poisson: {per_hour: 2}}, instances: {ml.g5.xlarge: 1}, duration: 30m}
"""


REPLAY = """\
kind: scenario
version: 1
stack: lab.yaml
replay:
  file: history.csv
  submit: {column: submit_s, unit: s}
  duration: {column: duration_s, unit: s}
  share: {column: queue}
  instances: {each: {ml.g5.xlarge: 1}}
"""


@pytest.fixture
def random(folder: Path) -> str:
    """Write a scenario of generated workloads; return its name."""
    (folder / "random.yaml").write_text(RANDOM)
    return "random.yaml"


def table(sweep: Sweep, scenario: str, *options: str) -> list[dict[str, str]]:
    return rows(sweep(*options, "--format", "csv", "--workers", "1", scenario=scenario).out)


def test_without_seeds_the_scenarios_own_is_taken(sweep: Sweep, random: str) -> None:
    """`sweep` without options is the run that `simulate` does."""
    own, second = table(sweep, random), table(sweep, random, "--seeds", "2..2")
    assert [row | {"seed": ""} for row in second] == own


def test_a_seed_gives_the_same_jobs_whatever_else_varies(sweep: Sweep, random: str) -> None:
    """Two limits are compared under the same work, or the difference would be the work's."""
    found = table(sweep, random, "--seeds", "3", "--vary", "QS1/borrow_limit=0,200")
    submitted = [row["submitted_jobs"] for row in found if row["share"] == "QS1"]
    assert submitted[:3] == submitted[3:]
    assert len(set(submitted)) > 1


def test_a_parameter_changes_the_work(sweep: Sweep, random: str) -> None:
    """Six times the rate is about six times the jobs."""
    found = table(sweep, random, "--seeds", "4", "--set", "rate=1,6")
    submitted = [int(row["submitted_jobs"]) for row in found if row["share"] == "QS1"]
    assert [row["rate"] for row in found][::16] == ["1", "6"]
    assert sum(submitted[4:]) > 3 * sum(submitted[:4])


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("ratte=4", "did you mean 'rate'?"),
        ("rate=nan", 'is "nan", where a number belongs'),
        ("rate=4,-1", "1 of 2 combinations can't be: rate=-1"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(sweep: Sweep, random: str, option: str, said: str) -> None:
    """Before the first run, with the place where the value is used."""
    found = sweep("--set", option, "--seeds", "2", scenario=random)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_the_workers_make_no_difference_to_random_work(sweep: Sweep, random: str) -> None:
    """Each run draws its own numbers, wherever it is done."""
    options = ("--seeds", "3", "--vary", "QS1/borrow_limit=0,200", "--format", "json")
    one = sweep(*options, "--workers", "1", "--output", "one.parquet", scenario=random)
    two = sweep(*options, "--workers", "2", "--output", "two.parquet", scenario=random)
    assert (one.out, Path("one.parquet").read_bytes()) == (two.out, Path("two.parquet").read_bytes())


def test_an_interval_contains_its_mean_and_more_seeds_narrow_it(sweep: Sweep, random: str) -> None:
    """The point of more seeds."""
    widths = []
    for seeds in ("4", "16"):
        found = json.loads(sweep("--seeds", seeds, "--format", "json", "--workers", "1", scenario=random).out)
        estimate = found["summary"][0]["estimates"]["submitted_jobs"]
        assert estimate["low"] < estimate["mean"] < estimate["high"]
        assert estimate["seeds"] == int(seeds)
        widths.append(estimate["high"] - estimate["low"])
    assert widths[1] < widths[0]


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_a_chart_is_drawn_whole(sweep: Sweep, random: str, folder: Path, ending: str) -> None:
    """The same bytes each time, names of users escaped, nothing loaded from elsewhere."""
    options = ("--seeds", "2", "--vary", "QS2/strategy=LEND,RESERVE", "--vary", "QS1/borrow_limit=0,200")
    drawn = []
    for name in ("a", "b"):
        found = sweep(*options, "--chart", f"{name}.{ending}", "--workers", "1", scenario=random)
        assert found.code == 0
        drawn.append((folder / f"{name}.{ending}").read_bytes())
    assert drawn[0] == drawn[1]
    if ending == "png":
        assert drawn[0].startswith(b"\x89PNG")
        return
    text = drawn[0].decode("utf-8")
    assert "<friends>" not in text
    assert "QS2/strategy" in text
    assert 'src="http' not in text
    assert ('aria-label="8 runs: 4 combinations x 2 seeds. Means' in text) == (ending == "html")


def test_a_chart_takes_the_measures_that_are_asked_for(sweep: Sweep, random: str, folder: Path) -> None:
    """One row of small multiples for each."""
    options = ("--chart", "c.svg", "--metric", "lost_instance_ms", "--metric", "wait_max_ms", "--seeds", "2")
    assert sweep(*options, scenario=random).code == 0
    text = (folder / "c.svg").read_text(encoding="utf-8")
    assert "lost instance" in text
    assert "wait max" in text
    assert "utilisation" not in text


def test_values_along_x_are_labelled_as_they_were_given(sweep: Sweep, random: str, folder: Path) -> None:
    """Nobody has 3.0 instances, and half a job in an hour is not one."""
    labels = {}
    for name, option in (("whole", "--vary=QS2/ml.g5.xlarge=2,3"), ("part", "--set=rate=0.5,2")):
        assert sweep(option, "--chart", f"{name}.svg", "--workers", "1", scenario=random).code == 0
        labels[name] = set(re.findall(r">([0-9.]+)</text>", (folder / f"{name}.svg").read_text(encoding="utf-8")))
    assert {"2", "3"} <= labels["whole"]
    assert not labels["whole"] & {"2.0", "3.0"}
    assert {"0.5", "2"} <= labels["part"]


def test_a_scenario_without_shares_at_work_has_no_waits(sweep: Sweep, folder: Path) -> None:
    """QS3 has no job: its wait is unknown, not nought."""
    found = sweep("--seeds", "2", "--format", "markdown", "--workers", "1")
    assert "| - | - | 0.0 |" in found.out.split("QS3")[1]


def test_a_replayed_history_is_read_for_every_run(sweep: Sweep, folder: Path) -> None:
    """Real jobs under other limits: what a history is kept for. A line that was changed is another run."""
    lines = [f"{60 * number},{3600},QS1" for number in range(9)]
    history = folder / "history.csv"
    history.write_text("\n".join(["submit_s,duration_s,queue", *lines, ""]))
    (folder / "replay.yaml").write_text(REPLAY)
    options = ("--vary", "QS1/borrow_limit=0,200", "--seeds", "2", "--workers", "2")
    found = table(sweep, "replay.yaml", *options)
    assert [row["submitted_jobs"] for row in found[::4]] == ["9"] * 4
    assert int(found[0]["wait_max_ms"]) > int(found[8]["wait_max_ms"])
    history.write_text(history.read_text().replace("60,3600", "60,7200", 1))
    assert table(sweep, "replay.yaml", *options) != found
    history.write_text("\n".join(["submit_s,duration_s,queue", *["soon,long,QS1"] * 20, ""]))
    refused = sweep(*options, scenario="replay.yaml")
    assert (refused.code, refused.out) == (2, "")
    assert "QE532" in refused.err
