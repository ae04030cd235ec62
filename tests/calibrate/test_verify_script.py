"""The script that somebody with an account plays: against the emulator, its record is explained without remainder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from demo import verify
from quota_engine.calibrate import calibrate, record_of_events
from quota_engine.cli.main import run
from quota_engine.config import load_scenario
from quota_engine.scheduler.assumptions import Assumptions
from tests.conftest import StartEmulator

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios" / "verify-on-aws.yaml"
TRAINING = verify.Training("arn:aws:iam::123456789012:role/training", "image", "s3://bucket/out")


@pytest.mark.parametrize(("assumption", "is_explained"), [("priority,youngest", True), ("oldest", False)])
def test_what_was_played_is_recorded_and_compared(
    assumption: str, is_explained: bool, start_emulator: StartEmulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking every five seconds tells enough; a queue that works otherwise is told apart."""
    scenario = load_scenario(str(SCENARIO)).value
    assert scenario is not None
    emulator = start_emulator(
        stack=scenario.stack,
        only_account="123456789012",
        scheduled_ms=5_000,
        starting_ms=240_000,
        stopping_ms=20_000,
        assumptions=Assumptions.of({"victim_order": assumption}),
    )
    record = tmp_path / "events.jsonl"
    batch = emulator.client("batch")
    with record.open("w", encoding="utf-8") as file:
        recorder = verify.Recorder(batch, file)
        verify.play(batch, scenario, TRAINING, recorder, emulator.advance)
    monkeypatch.chdir(ROOT)
    assert run(["calibrate", str(record), "--stack", "dev"]) == (0 if is_explained else 1)
    with record.open(encoding="utf-8") as lines:
        found = calibrate(record_of_events(lines), scenario.stack, 60_000)
    assert found.best.wrong == 0
    assert {one.switch for one in found.adopted} == (set() if is_explained else {"victim_order"})


def test_nothing_is_submitted_without_yes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It costs money, so it says first what it would do."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["verify", "--role-arn", "r", "--image", "i", "--output", "s3://b"])
    assert verify.main() == 2
    told = capsys.readouterr().out
    assert "4 training jobs on ml.g5.xlarge, for about 1h8m30s and 2.1 instance-hours. Nothing was done" in told
