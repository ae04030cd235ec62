"""The scheduling model's speed: `python -m benchmarks.scheduler [--jobs N ...] [--shares N ...] [--no-simpy]`.

Each row is a process of its own: the same jobs by turns through the scheduler and through a bare event loop, the least
CPU time of each. Causes are recorded and the trace is streamed to a sink that drops it. Kept memory is what the process
has grown by with the first run, per job.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, Strategy
from quota_engine.model.work import Job
from quota_engine.scheduler import SchedulerState, Submit, advance, step
from quota_engine.scheduler.advance import run_out
from quota_engine.scheduler.trace import Sink, TraceEvent

from . import bare_loop, simpy_model
from .workloads import NOMINAL, REGIMES, SIZES, RawJob, Regime, generate

COMPARED_JOBS = {"storm": 100_000, "contended": 20_000}
"""How many jobs the other models get: SimPy a storm, AccaSim, which is slower, what it can do of a contended queue."""
COMPARED_SHARES = 8
ONCE_FROM = 500_000
"""From so many jobs on, one run each has to do."""


@dataclass(frozen=True, slots=True)
class Row:
    jobs: int
    shares: int
    units: int
    regime: str


@dataclass(frozen=True, slots=True)
class Measured:
    """`other_s` and `seconds`: the least CPU time of the other, mostly the bare loop, and of the scheduler; `kept`:
    bytes per job."""

    other_s: float
    seconds: float
    events: int
    preemptions: int
    kept: float


Other = Callable[[list[RawJob], Row], float]
"""Runs the same jobs another way and returns its CPU time."""


def make_queue(shares: int, units: int, regime: Regime) -> tuple[JobQueue, ServiceEnvironment]:
    """Return a queue with equal shares that lend and borrow everything, and its environment."""
    names = [f"ml.u{number}.large" for number in range(units)]
    in_share = State.ENABLED if regime.in_share else State.DISABLED
    quota_shares = {
        f"s{number:02}": QuotaShare(
            f"s{number:02}", dict.fromkeys(names, NOMINAL), Strategy.LEND_AND_BORROW, -1, in_share
        )
        for number in range(shares)
    }
    environment = ServiceEnvironment("e", dict.fromkeys(names, NOMINAL * shares))
    return JobQueue("q", ("e",), "p", quota_shares=quota_shares), environment


def make_state(shares: int, units: int, regime: Regime) -> SchedulerState:
    return SchedulerState.create(*make_queue(shares, units, regime))


def make_jobs(raw: list[RawJob], units: int) -> list[Job]:
    needs = {(unit, size): {f"ml.u{unit}.large": size} for unit in range(units) for size in SIZES}
    return [
        Job(f"j{n}", f"s{job.share:02}", needs[job.unit, job.size], job.submit_at_ms, job.duration_ms, job.priority)
        for n, job in enumerate(raw)
    ]


def simulate(jobs: list[Job], row: Row) -> SchedulerState:
    """Run the jobs to their end; the trace goes to where it is dropped without being looked at."""
    state = make_state(row.shares, row.units, REGIMES[row.regime])
    null: Sink = deque[TraceEvent](maxlen=0).append
    for job in jobs:
        advance(state, job.submit_at_ms, (Submit(job),), null)
    run_out(state, null)
    return state


def count_events(state: SchedulerState) -> tuple[int, int]:
    """Return how many events and preemptions the trace of a finished run had.

    An arrival and an end per job, three events per placement (Dispatched, Starting, Running) and three per preemption
    (started, completed, Requeued): these jobs do nothing else.
    """
    placements = sum(record.placements for record in state.jobs.values())
    preemptions = sum(record.preempted_count for record in state.jobs.values())
    return 2 * len(state.jobs) + 3 * (placements + preemptions), preemptions


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run_bare(raw: list[RawJob], row: Row) -> float:
    """Return the CPU time of the bare event loop."""
    started = time.process_time()
    bare_loop.run(raw, NOMINAL * row.shares * row.units)
    return time.process_time() - started


def run_simpy(raw: list[RawJob], row: Row) -> float:
    """Return the CPU time of the SimPy model."""
    started = time.process_time()
    simpy_model.run(raw, row.shares, REGIMES[row.regime].in_share)
    return time.process_time() - started


def accasim_in(python: str) -> Other:
    """Return what times AccaSim on plain FIFO, in the interpreter that has it."""

    def run(raw: list[RawJob], row: Row) -> float:
        command = [python, "-m", "benchmarks.accasim_fifo", str(row.jobs), str(row.shares), row.regime]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return row.jobs / float(told.split()[-1])

    return run


def measure(row: Row, other: Other = run_bare) -> Measured:
    raw = generate(row.jobs, row.shares, row.units, REGIMES[row.regime])
    jobs = make_jobs(raw, row.units)
    gc.collect()
    gc.freeze()
    other_s = seconds = float("inf")
    events, preemptions, kept = 0, 0, 0.0
    for turn in range(1 if row.jobs >= ONCE_FROM else 3):
        before = resident_bytes()
        started = time.process_time()
        state = simulate(jobs, row)
        seconds = min(seconds, time.process_time() - started)
        if turn == 0:
            kept = (resident_bytes() - before) / row.jobs
            events, preemptions = count_events(state)
        del state
        gc.collect()
        other_s = min(other_s, other(raw, row))
        gc.collect()
    return Measured(other_s, seconds, events, preemptions, kept)


def print_table(jobs: list[int], shares: list[int], units: list[int], regimes: list[str]) -> None:
    print("| jobs | shares | units | regime | jobs/s | events/s | preemptions/job | bytes/job | x bare loop |")
    print("|---|---|---|---|---|---|---|---|---|")
    context = multiprocessing.get_context("spawn")
    rows = [
        Row(count, share, unit, regime) for count in jobs for share in shares for unit in units for regime in regimes
    ]
    for row in rows:
        with context.Pool(1) as pool:
            found = pool.apply(measure, (row,))
        print(
            f"| {row.jobs:,} | {row.shares} | {row.units} | {row.regime} | {row.jobs / found.seconds:,.0f} "
            f"| {found.events / found.seconds:,.0f} | {found.preemptions / row.jobs:.2f} | {found.kept:,.0f} "
            f"| {found.seconds / found.other_s:.1f} |",
            flush=True,
        )


def print_comparison(regime: str, name: str, other: Other) -> None:
    """Print the scheduler's jobs/s on a regime beside another model's."""
    row = Row(COMPARED_JOBS[regime], COMPARED_SHARES, 1, regime)
    found = measure(row, other)
    print(
        f"\n{row.jobs:,} jobs, {row.shares} shares, {regime} ({found.preemptions / row.jobs:.2f} preemptions/job): "
        f"{row.jobs / found.seconds:,.0f} jobs/s; {name} {row.jobs / found.other_s:,.0f} jobs/s; "
        f"{found.other_s / found.seconds:.1f} times",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the scheduling model.")
    parser.add_argument("--jobs", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--shares", type=int, nargs="+", default=[1, 5, 20])
    parser.add_argument("--units", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--regimes", nargs="+", choices=tuple(REGIMES), default=list(REGIMES))
    parser.add_argument("--no-simpy", action="store_true", help="leave out the SimPy model")
    parser.add_argument("--accasim", metavar="PYTHON", help="an interpreter that has accasim; left out without it")
    arguments = parser.parse_args()
    print("pure Python" if str(step.__file__).endswith(".py") else "compiled", end="\n\n")
    print_table(arguments.jobs, arguments.shares, arguments.units, arguments.regimes)
    if not arguments.no_simpy:
        print_comparison("storm", "the SimPy model", run_simpy)
    if arguments.accasim:
        print_comparison("contended", "AccaSim on plain FIFO", accasim_in(arguments.accasim))


if __name__ == "__main__":
    main()
