"""`--seed`: a scenario played by the emulator does what the model says it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quota_engine.config import load_scenario
from quota_engine.emulator import Settings
from quota_engine.model.work import Scenario
from quota_engine.scheduler.assumptions import Assumptions
from quota_engine.scheduler.trace import Dispatched, Failed, PreemptionStarted, Succeeded
from quota_engine.simulate import run
from tests.conftest import StartEmulator

ROOT = Path(__file__).resolve().parent.parent.parent
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
TOLD = (Dispatched, PreemptionStarted, Succeeded, Failed)


def scenario_of(path: Path) -> Scenario:
    scenario = load_scenario(path).value
    assert scenario is not None
    return scenario


def settings_for(scenario: Scenario) -> dict[str, Any]:
    return {
        "scenario": scenario,
        "scheduled_ms": scenario.timing.scheduled_ms,
        "starting_ms": scenario.timing.starting_ms,
        "stopping_ms": scenario.timing.stopping_ms,
        "assumptions": Assumptions.of(scenario.assumptions),
    }


def played(emulator: Any, scenario: Scenario, until_ms: int) -> list[tuple[Any, ...]]:
    """Let the scenario's time pass; return what happened, by job name, in the scenario's time."""
    start_ms = emulator.control("clock")["now_ms"]
    emulator.advance(until_ms)
    scope = f"account={scenario.stack.account or '000000000000'}&region={scenario.stack.region}"
    events = emulator.control(f"trace?queue={scenario.queue}&{scope}")["events"]
    kinds = {kind.__name__ for kind in TOLD}
    return [(e["at_ms"] - start_ms, e["event"], e["job_name"]) for e in events if e["event"] in kinds]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_seeded_scenario_goes_as_simulated(start_emulator: StartEmulator, path: Path) -> None:
    """The same starts, preemptions and ends at the same times: submitting over the API loses nothing."""
    scenario = scenario_of(path)
    expected = run(scenario)
    until_ms = expected.end_ms
    emulator = start_emulator(**settings_for(scenario))
    happened = played(emulator, scenario, until_ms)
    wanted = [(e.at_ms, type(e).__name__, e.job) for e in expected.trace if isinstance(e, TOLD)]
    assert happened == [event for event in wanted if event[0] <= until_ms]
    assert happened


def test_a_restart_plays_the_rest(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """Killed in the middle, the emulator goes on with the scenario, and does not begin again."""
    scenario = scenario_of(ROOT / "scenarios" / "lend-and-borrow.yaml")
    state = str(tmp_path / "state.db")
    first = start_emulator(**settings_for(scenario), state_file=state)
    whole = start_emulator(**settings_for(scenario))
    first.advance(15 * 60_000)
    first.world.journal.close()
    second = start_emulator(**settings_for(scenario), state_file=state)
    second.advance(15 * 60_000)
    whole.advance(30 * 60_000)
    assert second.control("trace?queue=training") == whole.control("trace?queue=training")


def test_a_refused_step_is_passed_over(start_emulator: StartEmulator, caplog: pytest.LogCaptureFixture) -> None:
    """Somebody ended the job that the scenario gives another priority: that is said, and the rest goes on."""
    scenario = scenario_of(ROOT / "scenarios" / "lend-and-borrow.yaml")
    emulator = start_emulator(**settings_for(scenario))
    emulator.advance(2_000)
    batch = emulator.client("batch", account=scenario.stack.account or Settings().account, region=scenario.stack.region)
    filters = [{"name": "JOB_NAME", "values": ["qs1_job_low"]}]
    (low,) = batch.list_service_jobs(jobQueue="training", filters=filters)["jobSummaryList"]
    batch.terminate_service_job(jobId=low["jobId"], reason="not needed")
    emulator.advance(25 * 60_000)
    assert "UpdateServiceJob" in caplog.text
    assert len(batch.list_service_jobs(jobQueue="training")["jobSummaryList"]) == 2
