"""`quota-engine sweep` as a user runs it: what it prints and writes, and what it refuses before any run."""

from __future__ import annotations

import csv
import io
import json
import resource
from pathlib import Path

import pytest

from .conftest import SCENARIO, Sweep

VARIED = ("--vary", "QS2/ml.g5.xlarge=1,3", "--vary", "QS1/borrow_limit=0,100,200")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_number_of_runs_is_said_first(sweep: Sweep) -> None:
    """Nobody should find out after an hour that a slip made it ten thousand."""
    assert sweep(*VARIED, "--workers", "1").err == "6 runs: 6 combinations x 1 seed, one after another\n"


def test_a_row_stands_for_each_run_and_each_share(sweep: Sweep) -> None:
    """The table is what notebooks read: what was chosen, then the measures."""
    found = rows(sweep(*VARIED, "--workers", "1", "--format", "csv").out)
    assert [(row["run"], row["share"]) for row in found[:4]] == [("1", ""), ("1", "QS1"), ("1", "QS2"), ("1", "QS3")]
    assert len(found) == 6 * 4
    assert (found[-1]["QS2/ml.g5.xlarge"], found[-1]["QS1/borrow_limit"]) == ("3", "200")


def test_the_measures_are_those_of_the_simulation(sweep: Sweep) -> None:
    """Two instances of its own, four borrowed, one reserved elsewhere: five research jobs run at once.

    QS1 owns 2 and may borrow 4; QS2 lends its 3 and QS3 nothing. Three serving jobs then take QS2's 3 back.
    """
    whole, research, serving, _ = rows(sweep("--workers", "1", "--format", "csv").out)
    assert (research["cross_share_preemptions"], serving["wait_max_ms"]) == ("3", "0")
    assert research["lost_instance_ms"] == str(3 * 30 * 60_000)
    assert (whole["submitted_jobs"], whole["succeeded_jobs"], whole["preemptions"]) == ("11", "11", "3")


@pytest.mark.parametrize("workers", ["1", "2", "3"])
@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_the_result_does_not_depend_on_the_workers(sweep: Sweep, folder: Path, workers: str, ending: str) -> None:
    """A result that another machine can't reproduce proves nothing."""
    one, many = folder / f"one.{ending}", folder / f"many.{ending}"
    first = sweep(*VARIED, "--workers", "1", "--output", str(one))
    second = sweep(*VARIED, "--workers", workers, "--output", str(many))
    assert (first.code, second.code) == (0, 0)
    assert first.out == second.out
    assert one.read_bytes() == many.read_bytes()
    assert sorted(path.name for path in folder.glob("*.partial.jsonl")) == []


def test_parquet_holds_what_csv_holds(sweep: Sweep, folder: Path) -> None:
    """Types are those of the values: whole numbers, ratios, text, and nothing where there is nothing."""
    import pyarrow.parquet

    shown = rows(sweep(*VARIED, "--workers", "1", "--format", "csv", "--output", "r.parquet").out)
    table = pyarrow.parquet.read_table(folder / "r.parquet")
    assert table.column_names == list(shown[0])
    assert table.num_rows == len(shown)
    assert table["QS2/ml.g5.xlarge"].to_pylist()[:1] == [1]
    assert table["share"].to_pylist()[:2] == [None, "QS1"]
    assert table["wait_mean_ms"].to_pylist()[1] == int(shown[1]["wait_mean_ms"])
    assert table["cut_off"].to_pylist()[:2] == [False, None]


def test_json_gives_the_summary_with_its_intervals(sweep: Sweep) -> None:
    """What a script asserts on; with one seed there is no interval, and none is made up."""
    found = json.loads(sweep(*VARIED, "--workers", "1", "--format", "json").out)
    assert (found["version"], found["runs"], found["queue"]) == (1, 6, "training")
    assert found["varied"][0] == {"option": "--vary", "name": "QS2/ml.g5.xlarge", "values": ["1", "3"]}
    first = found["summary"][0]
    assert (first["share"], first["varied"]) == (None, {"QS2/ml.g5.xlarge": "1", "QS1/borrow_limit": "0"})
    assert first["estimates"]["submitted_jobs"] == {"mean": 11.0, "low": None, "high": None, "seeds": 1}


def test_a_list_takes_values_side_by_side(sweep: Sweep) -> None:
    """So that a strategy without a borrow limit and one with it can be compared."""
    options = ("--vary", "QS2/ml.g5.xlarge=1,3", "--vary", "gpu/ml.g5.xlarge=4,6", "--list", "--workers", "1")
    found = rows(sweep(*options, "--format", "csv").out)
    assert [(row["QS2/ml.g5.xlarge"], row["gpu/ml.g5.xlarge"]) for row in found[::4]] == [("1", "4"), ("3", "6")]


def test_an_assumption_can_vary(sweep: Sweep) -> None:
    """What AWS leaves open is varied like any other value."""
    options = ("--assume", "victim_order=priority,youngest|priority,oldest", "--workers", "1")
    found = rows(sweep(*options, "--format", "csv").out)
    assert [row["victim_order"] for row in found[::4]] == ["priority,youngest", "priority,oldest"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--vary", "QS2/borrow_limits=1"), "did you mean QS2/borrow_limit?"),
        (("--vary", "QS7/borrow_limit=1"), "did you mean QS3/borrow_limit?"),
        (("--vary", "QS1/borrow_limit=0,100", "--vary", "training/QS1/borrow_limit=3"), "varies twice"),
        (("--vary", "QS1/borrow_limit="), "has an empty value"),
        (("--vary", "QS1/borrow_limit=NaN"), 'is "NaN", where an integer belongs'),
        (("--assume", "victim_ordr=youngest"), "there is no assumption 'victim_ordr'"),
        (("--assume", "victim_order=fastest"), "can't be"),
        (("--seeds", "many"), "names no seeds"),
        (("--seeds", "2000"), "ask for 2,000 runs, and at most 1,000 are allowed"),
        (("--workers", "0"), "0 is not in the range"),
        (("--workers", "2", "--cluster", "tcp://127.0.0.1:9"), "exclude each other"),
        (("--cluster", "nowhere"), "can't reach a Dask scheduler at nowhere"),
        (("--output", "results.xls"), "end it in .parquet, .csv, .json"),
        (("--output", "missing/results.csv"), "can't write missing/results.csv"),
        (("--chart", "chart.pdf"), "end it in .svg, .png, .html"),
        (("--chart", "missing/chart.svg"), "can't write missing/chart.svg"),
        (("--chart", "c.svg", "--metric", "wait_p59_ms"), "did you mean wait_p95_ms?"),
        (("--chart", "c.svg", "--metric", "xyz"), "the measures are submitted_jobs"),
        (("--metric", "preemptions"), "there is no --chart"),
    ],
)
def test_what_cannot_be_is_refused_before_the_first_run(sweep: Sweep, options: tuple[str, ...], said: str) -> None:
    """Exit 2, with what would be right; nothing is written."""
    found = sweep(*options)
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert not list(Path().glob("*.partial.jsonl"))


def test_a_combination_that_cannot_be_is_named(sweep: Sweep) -> None:
    """The same rule as in `validate`, at the option's value; nothing has run."""
    found = sweep(
        "--vary", "QS1/strategy=LEND,LEND_AND_BORROW", "--vary", "QS1/borrow_limit=0,100", "--output", "r.csv"
    )
    assert (found.code, found.out) == (2, "")
    assert "--vary:2:18: error QE304 borrow-limit-without-borrowing" in found.err
    assert "2 of 4 combinations can't be: QS1/strategy=LEND, QS1/borrow_limit=0; " in found.err
    assert not list(Path().glob("r.*"))


def test_a_scenario_with_errors_is_refused_as_everywhere(sweep: Sweep, folder: Path) -> None:
    """Everything of `validate` comes before a run."""
    (folder / "bad.yaml").write_text(SCENARIO.replace("share: QS1", "share: QS9"))
    found = sweep("--seeds", "3", scenario="bad.yaml")
    assert found.code == 2
    assert "QE505" in found.err or "QS9" in found.err


def test_a_full_disk_is_found_before_the_work(sweep: Sweep, folder: Path) -> None:
    """The limit on a file's size stands for the disk's end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        found = sweep("--seeds", "30", "--output", "r.csv", "--workers", "1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (found.code, found.out) == (2, "")
    assert "can't write r.csv" in found.err
    assert sorted(path.name for path in folder.iterdir()) == ["burst.yaml", "lab.yaml"]


def test_equal_runs_are_done_once(sweep: Sweep) -> None:
    """A scenario of spelled-out jobs is the same under every seed: that is said, and no interval is claimed."""
    found = sweep("--seeds", "3", "--workers", "1")
    assert "Every seed gave the same results: nothing in this scenario is random." in found.out
    assert "±" not in found.out.split("\n\n", 1)[1]


def test_names_of_users_stay_within_their_cells(sweep: Sweep, folder: Path) -> None:
    """A description may hold anything; Markdown must not take it for its own."""
    (folder / "odd.yaml").write_text(SCENARIO.replace("A burst of research", '"<b>a|b</b> \\e[31m'.strip('"')))
    found = sweep("--format", "markdown", "--workers", "1", scenario="odd.yaml")
    assert found.code == 0
    assert "<b>" not in found.out
