"""A sweep that is stopped keeps what it finished and goes on: Ctrl-C, kill -9, a process or a cluster that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from quota_engine.config import load_scenario
from quota_engine.model.trouble import Trouble
from quota_engine.model.work import Scenario
from quota_engine.sweep import Task, process_pool
from quota_engine.sweep.digest import digest, run_key

from .conftest import SCENARIO, Sweep

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ("--vary", "gpu/ml.g5.xlarge=6..21", "--output", "r.csv")
RUNS = 16
JOURNAL = Path("r.csv.partial.jsonl")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
PATIENCE_SECONDS = 60


@pytest.fixture
def busy(folder: Path) -> str:
    """Write a scenario whose run takes some tenths of a second; return its name."""
    text = SCENARIO.replace("count: 8", "count: 400").replace("count: 3", "count: 300")
    (folder / "busy.yaml").write_text(text)
    return "busy.yaml"


def started(scenario: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "quota_engine", "sweep", scenario, *OPTIONS, *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True
    )


def until(is_so: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something is so; fail where it takes too long, or the process has ended before."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)


def finished_runs() -> int:
    return max(0, JOURNAL.read_bytes().count(b"\n") - 1) if JOURNAL.exists() else 0


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the processes of a process's session but itself."""
    found = subprocess.run(["ps", "-o", "pid=", "-s", str(process.pid)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split() if int(pid) != process.pid]


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_sweep_goes_on_where_it_was(sweep: Sweep, busy: str, stop: signal.Signals) -> None:
    """An hour's runs are not lost to a closed laptop, and the result is that of a sweep that ran through."""
    whole = sweep(*OPTIONS[:2], "--output", "whole.csv", "--workers", "1", scenario=busy)
    process = started(busy, "--workers", "2")
    until(lambda: finished_runs() >= 2, process)
    if stop is signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, stop)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == (130 if stop is signal.SIGINT else -9)
    assert out == ""
    assert "Traceback" not in err
    assert stop is signal.SIGKILL or "; the same command goes on from there" in err
    until(lambda: not workers_of(process))
    kept = finished_runs()
    assert 2 <= kept < RUNS
    lines = JOURNAL.read_bytes()
    resumed = sweep(*OPTIONS, "--workers", "1", scenario=busy)
    assert resumed.out == whole.out
    assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()
    assert not JOURNAL.exists()
    assert lines.count(b"\n") >= kept


def test_a_run_is_known_by_what_it_depends_on(folder: Path) -> None:
    """A journal must not answer for another declaration, seed or version; a comment is no other declaration."""

    def key(seed: int | None = None) -> str:
        loaded = load_scenario(folder / "burst.yaml").value
        assert loaded is not None
        return run_key(digest(loaded), seed)

    first = key()
    declared = (folder / "lab.yaml").read_text()
    (folder / "lab.yaml").write_text(f"# a comment\n{declared}")
    assert key() == first
    assert len({first, key(1), key(2)}) == 3
    (folder / "lab.yaml").write_text(declared.replace("ml.g5.xlarge: 6", "ml.g5.xlarge: 4"))
    assert key() != first


class Deadly:
    """What ends the process that unpickles it, as the system ends one for want of memory."""

    def __reduce__(self) -> tuple[Callable[[int], None], tuple[int]]:
        return os._exit, (9,)


def test_a_dead_process_of_the_pool_is_trouble() -> None:
    """Waiting for ever for its answer would be worse."""
    task = Task("key", cast(Scenario, Deadly()), None)
    with pytest.raises(Trouble, match="a process of the sweep died"):
        list(process_pool(2)([task]))


@contextmanager
def dask_cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler with a worker as processes of their own; give its address and the scheduler."""
    file = folder / "scheduler.json"
    arguments = ["--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = _dask("dask_scheduler", arguments)
    processes = [scheduler]
    try:
        until(lambda: file.exists() and file.read_text().strip().endswith("}"))
        address: str = json.loads(file.read_text())["address"]
        processes.append(_dask("dask_worker", [address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]))
        yield address, scheduler
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _dask(module: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)


def test_a_dask_cluster_gives_the_same_and_loses_nothing_when_it_dies(sweep: Sweep, busy: str, folder: Path) -> None:
    """Runs on a cluster are the runs of this machine; the journal lies here, whatever happens there."""
    pytest.importorskip("distributed")
    whole = sweep(*OPTIONS[:2], "--output", "whole.csv", "--workers", "2", scenario=busy)
    with dask_cluster(folder) as (address, scheduler):
        assert sweep(*OPTIONS, "--cluster", address, scenario=busy).out == whole.out
        assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()
        process = started(busy, "--cluster", address)
        until(lambda: finished_runs() >= 2, process)
        scheduler.kill()
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 2
    assert f"the Dask scheduler at {address} is gone" in err, err
    assert "; the same command goes on from there" in err
    assert finished_runs() >= 2
    assert sweep(*OPTIONS, "--workers", "1", scenario=busy).out == whole.out
    assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()
