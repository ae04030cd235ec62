"""How much faster a sweep is on several processes than as a plain loop in one: whole sweeps, by the wall clock.

    python -m benchmarks.sweep [--runs 64] [--workers 2] [--jobs 5000] [--rounds 2] [--dask]

Each run simulates a contended queue with jobs of its own seed, a second or so of work. Loop and pool take turns, so
that what else the machine does hits both, and have to give the same. The pool's time holds starting its processes; with
--dask a cluster on this machine takes its turn, too, already started.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager

from quota_engine.model.stack import SchedulingPolicy, Stack
from quota_engine.model.work import Scenario
from quota_engine.sweep import Engine, Plan, Swept, loop, open_journal, process_pool, sweep
from quota_engine.sweep.cluster import dask_cluster

from .scheduler import make_jobs, make_queue
from .workloads import REGIMES, generate

SHARES = 8


def plan_of(runs: int, jobs: int) -> Plan:
    """Return a plan of so many runs with so many jobs each, every one of its own seed."""
    regime = REGIMES["contended"]
    queue, environment = make_queue(SHARES, 1, regime)
    stack = Stack("bench", "us-west-2", None, {"e": environment}, {"p": SchedulingPolicy("p")}, {"q": queue})
    scenarios = [
        Scenario(f"seed {seed}", stack, "q", tuple(make_jobs(generate(jobs, SHARES, 1, regime, seed), 1)))
        for seed in range(runs)
    ]
    return Plan((), (None,), ((),) * runs, tuple(scenarios))


def timed(plan: Plan, engine: Engine) -> tuple[float, float, Swept]:
    """Return the seconds it took, the CPU seconds of this process and those it started and ended, and the result."""
    with open_journal(None) as journal:
        started, cpu = time.perf_counter(), cpu_seconds()
        swept = sweep(plan, engine, journal)
        return time.perf_counter() - started, cpu_seconds() - cpu, swept


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def local_cluster(workers: int, wanted: bool) -> Iterator[Engine | None]:
    """Give an engine on a Dask cluster of processes on this machine, None where it is not wanted."""
    if not wanted:
        yield None
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        yield dask_cluster(cluster.scheduler_address)


def joined(values: list[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name, default in (("runs", 64), ("workers", 2), ("jobs", 5000), ("rounds", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--dask", action="store_true")
    options = parser.parse_args()
    plan = plan_of(options.runs, options.jobs)
    with local_cluster(options.workers, options.dask) as dask:
        engines: dict[str, Engine] = {"loop": loop, f"pool of {options.workers}": process_pool(options.workers)}
        engines |= {f"Dask, {options.workers} workers": dask} if dask else {}
        times: dict[str, list[float]] = {name: [] for name in engines}
        cpu: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(options.rounds):
            results = []
            for name, engine in engines.items():
                seconds, used, swept = timed(plan, engine)
                times[name].append(seconds)
                cpu[name].append(used)
                results.append(swept)
            assert all(swept == results[0] for swept in results)
    print(f"{options.runs} runs of {options.jobs:,} jobs, {SHARES} shares; {options.rounds} rounds by turns\n")
    print("| engine | seconds, each round | CPU seconds | x loop, median of the rounds |")
    print("|---|---|---|---|")
    for name, seconds_of in times.items():
        ratio = statistics.median(a / b for a, b in zip(times["loop"], seconds_of, strict=True))
        cpu_of = "elsewhere" if name.startswith("Dask") else joined(cpu[name])
        print(f"| {name} | {joined(seconds_of)} | {cpu_of} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
