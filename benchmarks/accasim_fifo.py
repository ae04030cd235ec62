"""AccaSim on plain FIFO over the benchmarks' jobs: `PYTHON -m benchmarks.accasim_fifo JOBS SHARES REGIME`.

PYTHON is an interpreter of an environment with `accasim` (`pip install accasim`): it needs old names of the standard
library, which are given back here, and plotting libraries that this project has no use for. It knows neither shares
nor preemption; each job takes its instances of one pool for as long as it lasts, in order of arrival.
"""

from __future__ import annotations

import collections
import collections.abc
import importlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .workloads import NOMINAL, REGIMES, RawJob, generate


def swf_line(number: int, job: RawJob) -> str:
    """Return a job as a line of the Standard Workload Format, times in whole seconds."""
    seconds = max(1, job.duration_ms // 1000)
    fields = [number, job.submit_at_ms // 1000, 0, seconds, job.size, -1, -1, job.size, seconds]
    return " ".join(map(str, [*fields, -1, 1, 1, 1, 1, 1, 1, -1, -1]))


def run(jobs: list[RawJob], shares: int) -> float:
    """Return the CPU seconds of a simulation, reading the jobs' file included as AccaSim does it."""
    vars(collections)["Mapping"] = collections.abc.Mapping
    allocators, schedulers, simulators = (
        importlib.import_module(f"accasim.base.{name}_class") for name in ("allocator", "scheduler", "simulator")
    )

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workload, system = folder / "jobs.swf", folder / "system.json"
        workload.write_text("\n".join(swf_line(n + 1, job) for n, job in enumerate(jobs)) + "\n")
        config: dict[str, Any] = {"groups": {"share": {"core": NOMINAL}}, "resources": {"share": shares}}
        system.write_text(json.dumps(config))
        simulator = simulators.Simulator(
            str(workload),
            str(system),
            schedulers.FirstInFirstOut(allocators.FirstFit()),
            scheduling_output=False,
            statistics_output=False,
            show_statistics=False,
            RESULTS_FOLDER_PATH=name,
            LOG_LEVEL="ERROR",
        )
        started = time.process_time()
        simulator.start_simulation()
        return time.process_time() - started


def main() -> None:
    count, shares, regime = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    print(count / run(generate(count, shares, 1, REGIMES[regime]), shares))


if __name__ == "__main__":
    main()
