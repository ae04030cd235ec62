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
from dataclasses import dataclass
from pathlib import Path

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, Strategy
from quota_engine.model.work import Job
from quota_engine.scheduler import SchedulerState, Submit, advance, step
from quota_engine.scheduler.advance import run_out
from quota_engine.scheduler.trace import Sink, TraceEvent

from . import bare_loop, simpy_model
from .workloads import NOMINAL, REGIMES, SIZES, RawJob, Regime, generate

COMPARED_JOBS = 20_000
"""For the models that are slow; fewer jobs flatter them if anything."""
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
    """`bare_s` and `seconds`: the least CPU time of the bare loop and of the scheduler; `kept`: bytes per job."""

    bare_s: float
    seconds: float
    events: int
    preemptions: int
    kept: float


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


def measure(row: Row) -> Measured:
    raw = generate(row.jobs, row.shares, row.units, REGIMES[row.regime])
    jobs = make_jobs(raw, row.units)
    gc.collect()
    gc.freeze()
    bare_s = seconds = float("inf")
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
        started = time.process_time()
        bare_loop.run(raw, NOMINAL * row.shares * row.units)
        bare_s = min(bare_s, time.process_time() - started)
    return Measured(bare_s, seconds, events, preemptions, kept)


def simpy_rate() -> float:
    """Return jobs/s of the SimPy model on the storm."""
    raw = generate(COMPARED_JOBS, COMPARED_SHARES, 1, REGIMES["storm"])
    started = time.process_time()
    simpy_model.run(raw, COMPARED_SHARES, True)
    return COMPARED_JOBS / (time.process_time() - started)


def accasim_rate(python: str) -> float:
    """Return jobs/s of AccaSim on plain FIFO, in the interpreter that has it."""
    command = [python, "-m", "benchmarks.accasim_fifo", str(COMPARED_JOBS), str(COMPARED_SHARES), "contended"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


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
            f"| {found.seconds / found.bare_s:.1f} |",
            flush=True,
        )


def print_comparison(regime: str, name: str, rate: float) -> None:
    """Print the scheduler's jobs/s on a regime beside another model's."""
    found = measure(Row(COMPARED_JOBS, COMPARED_SHARES, 1, regime))
    own = COMPARED_JOBS / found.seconds
    print(
        f"\n{COMPARED_JOBS:,} jobs, {COMPARED_SHARES} shares, {regime} ({found.preemptions / COMPARED_JOBS:.2f} "
        f"preemptions/job): {own:,.0f} jobs/s; {name} {rate:,.0f} jobs/s; {own / rate:.1f} times",
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
        print_comparison("storm", "the SimPy model", simpy_rate())
    if arguments.accasim:
        print_comparison("contended", "AccaSim on plain FIFO", accasim_rate(arguments.accasim))


if __name__ == "__main__":
    main()
