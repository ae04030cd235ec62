"""The scheduling model's speed: `python -m benchmarks.scheduler [--jobs N ...] [--shares N ...] [--no-simpy]`.

Each row is a process of its own: the same jobs through a bare event loop and through the scheduler, causes recorded and
the trace streamed to a sink that only counts. Times are CPU times; kept memory is what the run added per job.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import time
from dataclasses import dataclass

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, Strategy
from quota_engine.model.work import Job
from quota_engine.scheduler import SchedulerState, Submit, advance
from quota_engine.scheduler.advance import run_out
from quota_engine.scheduler.trace import PreemptionStarted, TraceEvent

from . import bare_loop, simpy_model
from .workloads import NOMINAL, REGIMES, SIZES, RawJob, Regime, generate

SIMPY_JOBS = 20_000
"""SimPy's model is slow; its jobs/s on fewer jobs flatters it if anything."""


@dataclass(frozen=True, slots=True)
class Row:
    jobs: int
    shares: int
    units: int
    regime: str


@dataclass(slots=True)
class Count:
    """A sink that counts."""

    events: int = 0
    preemptions: int = 0

    def __call__(self, event: TraceEvent) -> None:
        self.events += 1
        if type(event) is PreemptionStarted:
            self.preemptions += 1


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


def measure(row: Row) -> tuple[float, float, Count, float]:
    """Return (CPU seconds of the bare loop, of the scheduler, counts, bytes kept per job)."""
    regime = REGIMES[row.regime]
    raw = generate(row.jobs, row.shares, row.units, regime)
    started = time.process_time()
    bare_loop.run(raw, NOMINAL * row.shares * row.units)
    bare_s = time.process_time() - started
    jobs = make_jobs(raw, row.units)
    del raw
    gc.collect()
    gc.freeze()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count = Count()
    started = time.process_time()
    state = make_state(row.shares, row.units, regime)
    for job in jobs:
        advance(state, job.submit_at_ms, (Submit(job),), count)
    run_out(state, count)
    seconds = time.process_time() - started
    kept = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / row.jobs
    return bare_s, seconds, count, kept


def measure_simpy(shares: int) -> float:
    """Return jobs/s of the SimPy model on the storm."""
    raw = generate(SIMPY_JOBS, shares, 1, REGIMES["storm"])
    started = time.process_time()
    simpy_model.run(raw, shares, True)
    return SIMPY_JOBS / (time.process_time() - started)


def print_table(jobs: list[int], shares: list[int], units: list[int]) -> None:
    print("| jobs | shares | units | regime | jobs/s | events/s | preemptions/job | bytes/job | x bare loop |")
    print("|---|---|---|---|---|---|---|---|---|")
    context = multiprocessing.get_context("spawn")
    rows = [
        Row(count, share, unit, regime) for count in jobs for share in shares for unit in units for regime in REGIMES
    ]
    for row in rows:
        with context.Pool(1) as pool:
            bare_s, seconds, count, kept = pool.apply(measure, (row,))
        print(
            f"| {row.jobs:,} | {row.shares} | {row.units} | {row.regime} | {row.jobs / seconds:,.0f} "
            f"| {count.events / seconds:,.0f} | {count.preemptions / row.jobs:.2f} | {kept:,.0f} "
            f"| {seconds / bare_s:.1f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the scheduling model.")
    parser.add_argument("--jobs", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--shares", type=int, nargs="+", default=[1, 5, 20])
    parser.add_argument("--units", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--no-simpy", action="store_true", help="leave out the SimPy model")
    arguments = parser.parse_args()
    print_table(arguments.jobs, arguments.shares, arguments.units)
    if not arguments.no_simpy:
        _, seconds, count, _ = measure(Row(SIMPY_JOBS, 8, 1, "storm"))
        simpy_rate = measure_simpy(8)
        print(
            f"\n{SIMPY_JOBS:,} jobs, 8 shares, storm ({count.preemptions / SIMPY_JOBS:.2f} preemptions/job): "
            f"{SIMPY_JOBS / seconds:,.0f} jobs/s; the SimPy model {simpy_rate:,.0f} jobs/s; "
            f"{SIMPY_JOBS / seconds / simpy_rate:.1f} times"
        )


if __name__ == "__main__":
    main()
