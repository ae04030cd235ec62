"""The command: what it reads, its exit codes, and what it says of records that it can't use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quota_engine.cli.main import run
from quota_engine.model.job_history import RecordedJob, to_line

ROOT = Path(__file__).resolve().parents[2]
EVENTS = ROOT / "tests" / "cases" / "calibrate" / "announcement.jsonl"
STACK = ["--stack", str(ROOT / "stacks" / "dev.yaml")]
JOB = RecordedJob("training", "i", "j", "QS1", "SUCCEEDED", {"ml.g5.xlarge": 1}, 0, 0, 0, 9_000, 9_000, 0, 0)


def test_the_exit_code_tells_whether_enough_is_predicted(capfd: pytest.CaptureFixture[str]) -> None:
    """A pipeline may watch whether the model still fits."""
    wrong = ["calibrate", str(EVENTS), *STACK, "--assume", "victim_order=oldest"]
    assert run(["calibrate", str(EVENTS), *STACK]) == 0
    assert run(wrong) == 1
    assert run([*wrong, "--within", "60%"]) == 0
    assert run([*wrong, "--format", "markdown"]) == 1
    assert "With A-11 victim\\_order = priority,youngest the model predicts 8 of 8" in capfd.readouterr().out


def test_the_json_holds_every_decision(capfd: pytest.CaptureFixture[str]) -> None:
    """What is sent back must hold what is needed to look into it."""
    assert run(["calibrate", str(EVENTS), *STACK, "--format", "json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["score"] == {"recorded": 8, "predicted": 8, "spurious": 0, "ratio": 1.0}
    assert (len(found["decisions"]), found["jobs"], found["bad_lines"]) == (8, 4, [])
    assert "000000000000" not in json.dumps(found), "no account"


def test_a_history_is_read_too(tmp_path: Path) -> None:
    """It is what one call gets of a queue without any rule set up before."""
    file = tmp_path / "history.jsonl"
    file.write_text(to_line(JOB))
    assert run(["calibrate", str(file), *STACK]) == 0


def test_one_torn_line_before_the_events_is_told_and_passed_over(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A log that begins in the midst of a line is still a record."""
    file = tmp_path / "events.jsonl"
    file.write_text("\ufefftorn\n" + EVENTS.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(["calibrate", str(file), *STACK]) == 0
    assert "1 line could not be used; the first: line 1: it is not JSON" in capfd.readouterr().out


def test_a_record_that_is_not_utf8_is_trouble(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With the place of the byte, as for every file."""
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"caf\xe9\n")
    assert run(["calibrate", str(file), *STACK]) == 2
    assert "it is not UTF-8: byte 0xe9 at byte position 3" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the record holds no job"),
        ("not json\n", "is no record of jobs: line 1: it is not JSON"),
        ('{"version": 1}\n', "is no record of jobs: line 1"),
        (to_line(JOB) + "\nnot json\n", "line 3: it is not JSON"),
        ('\n{"detail-type": "Batch Service Job State Change"}\n', "the first: line 2: it lacks 'id'"),
        (to_line(JOB).replace('"training"', '"other"'), "job queue 'other'"),
        (to_line(JOB).replace("QS1", "QS9"), "no quota share QS9"),
        (to_line(JOB) + to_line(JOB).replace('"training"', '"other"'), "several queues"),
    ],
)
def test_a_record_that_can_not_be_used_is_trouble(
    text: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With the reason, before anything is compared."""
    file = tmp_path / "record.jsonl"
    file.write_text(text)
    assert run(["calibrate", str(file), *STACK]) == 2
    assert told in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.jsonl", *STACK], "no file 'nowhere.jsonl'"),
        ([str(EVENTS), *STACK, "--within", "120%"], "not a percentage"),
        ([str(EVENTS), *STACK, "--assume", "victim_order=tallest"], "victim_order"),
        ([str(EVENTS), *STACK, "--queue", "other"], "other"),
        ([str(EVENTS)], "--stack"),
        ([str(ROOT), *STACK], "can't read"),
    ],
)
def test_wrong_usage_is_trouble(arguments: list[str], told: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and one sentence, never a traceback."""
    assert run(["calibrate", *arguments]) == 2
    assert told in capfd.readouterr().err
