"""`quota-engine forecast` as a user runs it, and docs/forecast.md, which shows what it really writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quota_engine import __version__
from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.model.job_history import RecordedJob, to_line
from tests.conftest import ACCOUNT, Emulator
from tests.emulator.resources import UNIT, payload
from tests.forecast.test_forecast import HOUR_MS, Live, fill

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "forecast.md").read_text(encoding="utf-8")


@pytest.fixture
def changed(emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The sample: QS3 gets a second instance in the declaration while all three are in use."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    live = Live(emulator, stack)
    fill(live)
    emulator.advance(2 * HOUR_MS)
    path = tmp_path / "dev.yaml"
    path.write_text(wider_qs3(), encoding="utf-8")
    return path


@pytest.mark.parametrize("format_name", ["text", "markdown"])
def test_the_documentation_shows_a_true_sample(format_name: str, changed: Path, capfd: Capture) -> None:
    """A sample that is no longer true misleads whoever reads or parses the output."""
    assert run(["forecast", str(changed), "--assume-duration", "8h", "--format", format_name]) == 1
    output, _ = capfd.readouterr()
    assert output.strip() in PAGE


def test_json_has_every_number_of_the_text(changed: Path, capfd: Capture) -> None:
    """What a gate decides by."""
    assert run(["forecast", str(changed), "--format", "json"]) == 1
    document = json.loads(capfd.readouterr().out)
    assert document["tool"]["version"] == __version__
    (queue,) = document["queues"]
    assert [hit["name"] for hit in queue["at_once"]] == ["med"]
    assert (queue["running"], queue["waiting"], queue["hit_at_least"], queue["hit_at_most"]) == (3, 1, 1, 1)
    assert set(queue) <= {word.strip("`|, ") for word in PAGE.split()}


def test_the_exit_code_is_0_where_nobody_is_hit(changed: Path, capfd: Capture) -> None:
    """So that it can stand before `pulumi up` in a pipeline."""
    assert changed.exists()
    assert run(["forecast", "stacks/dev.yaml"]) == 0
    assert "hits none of 3 running jobs" in capfd.readouterr().out


def test_a_call_that_fails_is_exit_2_and_named(
    changed: Path, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """Never a forecast of a part."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    emulator.control("faults", {"operation": "DescribeServiceJob", "kind": "throttle", "count": 99})
    assert run(["forecast", str(changed)]) == 2
    assert "batch:DescribeServiceJob" in capfd.readouterr().out


def test_wrong_assumptions_are_refused(changed: Path, capfd: Capture) -> None:
    """One clear message, before anything is read."""
    assert run(["forecast", str(changed), "--assume", "victim_order=best"]) == 2
    assert "victim_order" in capfd.readouterr().err
    assert run(["forecast", str(changed), "--assume", "victim_order"]) == 2


def test_the_printed_policy_covers_the_jobs(capfd: Capture) -> None:
    """It is printed before anything is allowed."""
    assert run(["forecast", "stacks/dev.yaml", "--print-iam-policy"]) == 0
    document = json.loads(capfd.readouterr().out)
    actions = {action for statement in document["Statement"] for action in statement["Action"]}
    assert {"batch:ListServiceJobs", "batch:DescribeServiceJob", "batch:GetJobQueueSnapshot"} <= actions
    assert not {action for action in actions if not action.startswith(("batch:Describe", "batch:List", "batch:Get"))}


def test_the_account_is_the_declared_one(changed: Path, capfd: Capture) -> None:
    """A forecast for another account is about other jobs."""
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace("region:", 'account: "999999999999"\nregion:', 1), encoding="utf-8")
    assert run(["forecast", str(changed)]) == 2
    assert ACCOUNT in capfd.readouterr().err


@pytest.fixture
def later(emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Path, Path]:
    """QS3 gets a second instance, for which a job of two waits: it starts when the running one has ended.

    Beside it a history: jobs of QS3 lasted 1 to 10 hours, those of QS1 a day; QS2 has none.
    """
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    live = Live(emulator, stack)
    for name, share in (("high", "QS1"), ("med", "QS1"), ("third", "QS3")):
        live.submit(name, share)
    emulator.advance(2 * HOUR_MS - 1_000)
    live.submit("pair", "QS3", serviceRequestPayload=payload(InstanceType=UNIT, InstanceCount=2, VolumeSizeInGB=30))
    declared = tmp_path / "dev.yaml"
    declared.write_text(wider_qs3(), encoding="utf-8")
    jobs = [*recorded("QS3", *range(1, 11)), *recorded("QS1", *[20] * 6)]
    history = tmp_path / "history.jsonl"
    history.write_text("".join(map(to_line, jobs)), encoding="utf-8")
    return declared, history


def wider_qs3() -> str:
    text = Path("stacks/dev.yaml").read_text(encoding="utf-8")
    start = text.index("      QS3:")
    return text[:start] + text[start:].replace("xlarge: 1}", "xlarge: 2}", 1)


def recorded(share: str, *hours: int) -> list[RecordedJob]:
    return [
        RecordedJob("training", f"{share}-{n}", "old", share, "SUCCEEDED", {UNIT: 1}, 0, duration_ms=hour * HOUR_MS)
        for n, hour in enumerate(hours)
    ]


def test_the_documentation_shows_a_true_forecast_from_a_history(later: tuple[Path, Path], capfd: Capture) -> None:
    """The range and what it rests on are the answer; a sample that is no longer true would promise others."""
    declared, history = later
    assert run(["forecast", str(declared), "--history", str(history)]) == 1
    output, _ = capfd.readouterr()
    assert output.strip() in PAGE


def test_a_history_gives_each_hit_its_range(later: tuple[Path, Path], capfd: Capture) -> None:
    """`third` has run 2 hours: those of its share that ran longer ended 1, 4 and 8 hours later."""
    declared, history = later
    assert run(["forecast", str(declared)]) == 0
    capfd.readouterr()
    assert run(["forecast", str(declared), "--history", str(history), "--format", "json"]) == 1
    (queue,) = json.loads(capfd.readouterr().out)["queues"]
    (hit,) = queue["later"]
    assert hit["name"] == "med"
    assert [round(one / HOUR_MS) for one in hit["spread_ms"]] == [1, 4, 8]
    assert hit["after_ms"] == hit["spread_ms"][1]
    assert (queue["hit_at_least"], queue["hit_at_most"]) == (0, 1)


def test_a_hit_that_only_long_jobs_bring_is_told_apart(later: tuple[Path, Path], capfd: Capture) -> None:
    """Where the borrower has mostly ended by then, the middle says nothing is hit; the range must not hide it."""
    declared, history = later
    jobs = [*recorded("QS3", *range(1, 11)), *recorded("QS1", *[3] * 8, 20, 20)]
    history.write_text("".join(map(to_line, jobs)), encoding="utf-8")
    assert run(["forecast", str(declared), "--history", str(history), "--format", "json"]) == 0
    (queue,) = json.loads(capfd.readouterr().out)["queues"]
    assert queue["later"] == []
    assert [(hit["name"], hit["spread_ms"][:2]) for hit in queue["possible"]] == [("med", [None, None])]
    assert (queue["hit_at_least"], queue["hit_at_most"]) == (0, 1)


def test_a_corrupt_line_of_a_history_is_named(later: tuple[Path, Path], capfd: Capture) -> None:
    """A forecast from half a history would look like any other."""
    declared, history = later
    lines = history.read_text(encoding="utf-8").splitlines()
    lines[2] = lines[2][:40]
    lines[4] = json.dumps({**json.loads(lines[4]), "duration_ms": "long"})
    history.write_text("\n".join(lines), encoding="utf-8")
    assert run(["forecast", str(declared), "--history", str(history)]) == 2
    error = capfd.readouterr().err
    assert "line 3: it is not JSON" in error
    assert "line 5: its duration_ms is no whole number" in error


@pytest.mark.parametrize("text", ["", "kind: stack\n", "[]\n", '{"version": 9}\n'])
def test_a_file_that_is_no_history_is_refused_and_an_empty_one_says_nothing(
    text: str, later: tuple[Path, Path], capfd: Capture
) -> None:
    """An empty history is one of a queue where nothing ran yet."""
    declared, history = later
    history.write_text(text, encoding="utf-8")
    assert run(["forecast", str(declared), "--history", str(history)]) == (0 if not text else 2)
    output, error = capfd.readouterr()
    assert "line 1: " in error if text else "3 jobs" in output or "none is recorded" in output


def test_the_history_of_the_queue_itself_can_be_given(later: tuple[Path, Path], tmp_path: Path, capfd: Capture) -> None:
    """What `history` writes is what `forecast` reads, unfinished jobs included."""
    declared, _ = later
    path = tmp_path / "now.jsonl"
    assert run(["history", "training", "--region", "us-west-2", "--output", str(path)]) == 0
    assert run(["forecast", str(declared), "--history", str(path)]) == 0
    assert "2 jobs of QS1: none is recorded" in capfd.readouterr().out
