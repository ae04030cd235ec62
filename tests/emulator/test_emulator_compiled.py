"""State that is kept by the pure scheduler is gone on with by the compiled one, and the other way round."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.compiled import ROOT, build_compiled
from tests.conftest import Remote
from tests.emulator.killed import Killed
from tests.emulator.resources import make_blog_queue, submit


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the PYTHONPATH of either build."""
    return {"pure": str(ROOT), "compiled": build_compiled(tmp_path_factory.mktemp("compiled"))}


def begin(emulator: Remote) -> None:
    """Leave jobs that run, wait, have ended, and one that is just being preempted for another's claim."""
    batch = emulator.client("batch")
    make_blog_queue(batch)
    for number in range(4):
        submit(batch, f"job-{number}", "QS1", number, clientToken=f"token-{number}")
    ended = submit(batch, "ended", "QS3")
    emulator.advance(60_000)
    batch.terminate_service_job(jobId=ended, reason="enough")
    submit(batch, "qs3_job", "QS3", tags={"quota-engine/duration": "5m"})
    submit(batch, "qs2_job", "QS2", tags={"quota-engine/duration": "5m"})
    emulator.advance(5_000)


def go_on(emulator: Remote) -> None:
    """Let the preemption end, and others follow."""
    emulator.advance(20_000)
    submit(emulator.client("batch"), "later", "QS1", 9)
    emulator.advance(600_000)


def told(emulator: Remote) -> tuple[Any, Any]:
    return emulator.control("dump")["regions"], emulator.control("trace?queue=training")


@pytest.fixture
def lives() -> Iterator[Callable[..., Killed]]:
    """Return a function that starts an emulator of a build on a state file; none outlives the test."""
    started: list[Killed] = []

    def start(state: Path, paths: str) -> Killed:
        started.append(Killed(str(state), checkpoint_after=5, clock="manual", PYTHONPATH=paths))
        return started[-1]

    yield start
    for one in started:
        one.kill()


@pytest.mark.long
@pytest.mark.parametrize("second", ["pure", "compiled"])
@pytest.mark.parametrize("first", ["pure", "compiled"])
def test_a_killed_emulator_goes_on_with_either_build(
    first: str, second: str, builds: dict[str, str], lives: Callable[..., Killed], tmp_path: Path
) -> None:
    """kill -9, a start that replays and keeps a checkpoint, and a start of either build from that checkpoint alone."""
    straight = lives(tmp_path / "straight.db", builds["pure"])
    begin(straight)
    halfway = told(straight)
    state = tmp_path / "state.db"
    emulator = lives(state, builds[first])
    begin(emulator)
    assert told(emulator) == halfway
    emulator.kill()
    emulator = lives(state, builds[first])
    assert told(emulator) == halfway
    emulator.kill()
    with closing(sqlite3.connect(state)) as database, database:
        database.execute("DELETE FROM entry WHERE seq <= (SELECT seq FROM checkpoint)")
    emulator = lives(state, builds[second])
    assert told(emulator) == halfway
    go_on(emulator)
    go_on(straight)
    assert told(emulator) == told(straight)
