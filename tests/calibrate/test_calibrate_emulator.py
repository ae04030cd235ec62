"""Calibration against emulators that run with other assumptions: it must find them, and claim nothing it can't know."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from quota_engine.calibrate import Calibration, calibrate, record_of_events
from quota_engine.config import load_stack
from quota_engine.model.stack import Stack
from quota_engine.scheduler.assumptions import Assumptions
from tests.conftest import Emulator, StartEmulator
from tests.emulator.resources import UNIT, payload

DECLARATION = """
kind: stack
version: 1
name: calibrated
region: us-west-2
account: "123456789012"
service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 12}}}
scheduling_policies: {fifo: {}}
job_queues:
  training:
    service_environment: gpu
    scheduling_policy: fifo
    quota_shares:
      A:
        capacity_limits: {ml.g5.xlarge: 4}
        resource_sharing: {strategy: LEND_AND_BORROW}
        preemption: {in_share: ENABLED}
      B: {capacity_limits: {ml.g5.xlarge: 4}, resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 100}}
      C: {capacity_limits: {ml.g5.xlarge: 2}, resource_sharing: {strategy: LEND}}
      D: {capacity_limits: {ml.g5.xlarge: 2}, resource_sharing: {strategy: RESERVE}}
"""
MINUTE = 60_000


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    file = tmp_path / "calibrated.yaml"
    file.write_text(DECLARATION)
    loaded = load_stack(str(file)).value
    assert loaded is not None
    return loaded


def play(emulator: Emulator, seed: int) -> None:
    """Submit 150 jobs over some hours, as teams do: bursts, several sizes and priorities; then let all of them end."""
    draw = random.Random(seed)
    batch = emulator.client("batch")
    for number in range(150):
        minutes, share, count = draw.randint(1, 40), draw.choice("AABBBCD"), draw.choice([1, 1, 2, 3])
        batch.submit_service_job(
            jobName=f"job-{number}",
            jobQueue="training",
            quotaShareName=share,
            serviceJobType="SAGEMAKER_TRAINING",
            schedulingPriority=draw.randint(0, 3),
            serviceRequestPayload=payload(InstanceType=UNIT, InstanceCount=min(count, 2 if share in "CD" else 3)),
            tags={"quota-engine/duration": f"{minutes}m"},
        )
        emulator.advance(draw.choice([1_000, MINUTE, 2 * MINUTE]) + 7)  # no arrival in the very instant of an end
    emulator.advance(3000 * MINUTE)


def calibrated(start: StartEmulator, stack: Stack, folder: Path, seed: int, **settings: Any) -> Calibration:
    events = folder / "events.jsonl"
    emulator = start(stack=stack, events=str(events), **settings)
    play(emulator, seed)
    with events.open(encoding="utf-8") as lines:
        record = record_of_events(lines)
    assert (len(record.courses), record.bad) == (150, ())
    return calibrate(record, stack, 2_000)


def test_the_models_own_decisions_are_all_predicted(
    start_emulator: StartEmulator, stack: Stack, tmp_path: Path
) -> None:
    """The record of a queue that works as assumed leaves nothing to explain."""
    found = calibrated(start_emulator, stack, tmp_path, 1, scheduled_ms=1_000, starting_ms=30_000, stopping_ms=20_000)
    assert (found.score.wrong, found.adopted, found.better) == (0, (), ())
    assert found.score.recorded > 150, "some jobs were preempted"
    assert (found.timing.scheduled_ms + found.timing.starting_ms) == 31_000
    assert found.worse, "the record speaks against some other values"


@pytest.mark.parametrize(
    "assumption",
    [
        "victim_order=priority,oldest",
        "victim_order=youngest",
        "share_order=creation",
        "requeue_position=requeued",
        "backfill=true",
        "straddle_reclaims=true",
        "borrow_attribution=job",
        "borrow_fifo_strict=true",
    ],
)
def test_the_assumption_of_another_world_is_found(
    assumption: str, start_emulator: StartEmulator, stack: Stack, tmp_path: Path
) -> None:
    """What AWS really does is to be told from its record; here the truth is known."""
    switch, _, value = assumption.partition("=")
    found = calibrated(start_emulator, stack, tmp_path, 6, assumptions=Assumptions.of({switch: value}))
    assert found.score.wrong > 0, "this work does not tell the two worlds apart"
    assert found.best.wrong == 0
    best = {(one.switch, one.value) for one in found.better if one.score.wrong == 0}
    assert (switch, value) in best
    assert found.adopted[0].score.wrong == 0


@pytest.mark.parametrize(
    "truth",
    [{"victim_order": "priority,oldest", "backfill": "true"}, {"share_order": "creation", "straddle_reclaims": "true"}],
)
def test_two_assumptions_are_found_together(
    truth: dict[str, str], start_emulator: StartEmulator, stack: Stack, tmp_path: Path
) -> None:
    """One after the other, each explains more than was explained before."""
    found = calibrated(start_emulator, stack, tmp_path, 4, assumptions=Assumptions.of(truth))
    assert {one.switch: one.value for one in found.adopted} == truth
    assert found.best.wrong == 0
