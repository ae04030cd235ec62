"""A long history from end to end: `python -m benchmarks.simulate [--jobs N ...] [--regime NAME] [--folder DIR]`.

A history of N jobs over 20 shares is written as a CSV file. Then, each in a process of its own: the whole command
(`quota-engine simulate`: read, validate, run, measure, judge, report), and the scheduler alone on the same jobs in
memory. Times are CPU times of the process and its children; memory is the most that it had.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from quota_engine.config import load_scenario
from quota_engine.history import read_history
from quota_engine.scheduler import SchedulerState, Submit, advance
from quota_engine.scheduler.advance import run_out
from quota_engine.scheduler.trace import PreemptionStarted, TraceEvent
from quota_engine.simulate.agenda import queue_of

from .workloads import NOMINAL, REGIMES, generate

SHARES = 20
UNIT = "ml.p5.48xlarge"
TARGET_RATIO = 3.0
TARGET_MIB = 2048


def write_history(path: Path, count: int, regime: str) -> None:
    """Write the jobs of a regime, a line each."""
    with path.open("w", encoding="utf-8") as file:
        file.write("id,team,instances,submitted_ms,run_ms,priority\n")
        for number, job in enumerate(generate(count, SHARES, 1, REGIMES[regime])):
            file.write(f"{number},t{job.share:02},{job.size},{job.submit_at_ms},{job.duration_ms},{job.priority}\n")


def write_scenario(folder: Path, history: Path, regime: str) -> Path:
    in_share = "ENABLED" if REGIMES[regime].in_share else "DISABLED"
    shares = "".join(
        f"      s{number:02}: {{capacity_limits: {{{UNIT}: {NOMINAL}}}, "
        f"resource_sharing: {{strategy: LEND_AND_BORROW}}, preemption: {{in_share: {in_share}}}}}\n"
        for number in range(SHARES)
    )
    (folder / "stack.yaml").write_text(
        "kind: stack\nversion: 1\nname: benchmark\nregion: us-west-2\n"
        f"service_environments: {{gpu: {{capacity_limits: {{{UNIT}: {NOMINAL * SHARES}}}}}}}\n"
        "scheduling_policies: {fifo: {}}\n"
        "job_queues:\n  training:\n    service_environment: gpu\n    scheduling_policy: fifo\n    quota_shares:\n"
        + shares,
        encoding="utf-8",
    )
    shares_of = ", ".join(f"t{number:02}: s{number:02}" for number in range(SHARES))
    scenario = folder / "scenario.yaml"
    scenario.write_text(
        "kind: scenario\nversion: 1\nstack: stack.yaml\n"
        f"replay:\n  file: {history.name}\n  share: {{column: team, map: {{{shares_of}}}}}\n"
        f"  instances: {{column: instances, type: {UNIT}}}\n  submit: submitted_ms\n  duration: run_ms\n"
        "  priority: {column: priority}\n  name: id\n"
        "expect:\n  - {wait: {share: s00, p95: {at_most: 365d}}}\n  - {no_blocked_jobs: true}\n",
        encoding="utf-8",
    )
    return scenario


def measure_command(scenario: Path) -> tuple[float, float]:
    """Return (CPU seconds, MiB at most) of the whole command, output and all."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [sys.executable, "-m", "quota_engine", "simulate", str(scenario)], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise SystemExit(run.stderr or run.stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, after.ru_maxrss / 1024


class _Preemptions:
    """A sink that only counts."""

    def __init__(self) -> None:
        self.seen = 0

    def __call__(self, event: TraceEvent) -> None:
        if type(event) is PreemptionStarted:
            self.seen += 1


def run_scheduler_alone(scenario: Path) -> tuple[float, float, int]:
    """Return (CPU seconds to read, to schedule, preemptions): the same jobs in memory, to a sink that only counts."""
    declared = load_scenario(scenario).value
    assert declared is not None
    assert declared.replay is not None
    started = time.process_time()
    jobs = read_history(declared.replay).jobs
    read_s = time.process_time() - started
    count = _Preemptions()
    started = time.process_time()
    state = SchedulerState.create(*queue_of(declared.stack, declared.queue))
    for job in jobs:
        advance(state, job.submit_at_ms, (Submit(job),), count)
    run_out(state, count)
    return read_s, time.process_time() - started, count.seen


def measure_alone(scenario: Path) -> tuple[float, float, int]:
    """Run the scheduler alone in a process of its own."""
    code = (
        "import sys; from pathlib import Path; from benchmarks.simulate import run_scheduler_alone; "
        "print(*run_scheduler_alone(Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(scenario)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    read_s, alone_s, preemptions = run.stdout.split()
    return float(read_s), float(alone_s), int(preemptions)


def print_row(folder: Path, count: int, regime: str, repeat: int) -> None:
    history = folder / f"history-{count}-{regime}.csv"
    write_history(history, count, regime)
    scenario = write_scenario(folder, history, regime)
    rounds = [(measure_alone(scenario), measure_command(scenario)) for _ in range(repeat)]
    read_s, alone_s = (min(alone[index] for alone, _ in rounds) for index in (0, 1))
    whole_s, mib = (min(whole[index] for _, whole in rounds) for index in (0, 1))
    preemptions = rounds[0][0][2]
    ratio = whole_s / alone_s
    verdict = "yes" if ratio <= TARGET_RATIO and mib <= TARGET_MIB else "NO"
    size = os.path.getsize(history) / 2**20
    times = f"{read_s:.1f} | {alone_s:.1f} | {whole_s:.1f} | {ratio:.2f}"
    print(
        f"| {count:,} | {regime} | {size:.0f} | {preemptions / count:.2f} | {times} | {mib:,.0f} | {verdict} |",
        flush=True,
    )
    history.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the replay of a long history.")
    parser.add_argument("--jobs", type=int, nargs="+", default=[100_000])
    parser.add_argument("--regime", choices=list(REGIMES), nargs="+", default=["contended"])
    parser.add_argument("--repeat", type=int, default=1, help="the least of so many rounds is told")
    parser.add_argument("--folder", type=Path, help="where to write the history; a temporary folder by default")
    arguments = parser.parse_args()
    print("| jobs | regime | file MiB | preemptions/job | reading s | scheduler s | whole s | ratio | MiB | reached |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for count in arguments.jobs:
            for regime in arguments.regime:
                print_row(Path(folder), count, regime, arguments.repeat)


if __name__ == "__main__":
    main()
