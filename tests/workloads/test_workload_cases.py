"""Golden cases: a scenario with workloads, and beside it (NAME.jobs) every job that comes of it, one on a line.

The numbers were checked against a calculation with 50 decimal digits that shares no code with ours.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from quota_engine.config import load_scenario
from quota_engine.model.sampling import (
    Arrivals,
    Choice,
    Durations,
    Exponential,
    LogNormal,
    Poisson,
    Profile,
    Start,
    Uniform,
    Weibull,
)
from quota_engine.model.work import Job, Workload
from quota_engine.workloads import jobs_of, prepare

CASES = Path(__file__).resolve().parent.parent / "cases" / "workloads"

DRAWN: tuple[tuple[Poisson | Profile, Durations], ...] = (
    (Poisson(6), LogNormal(2_400_000, 1.1)),
    (Profile(tuple(range(24)), (0.5,) * 24), Weibull(3_600_000, 0.7)),
    (Poisson(100), Exponential(3_600_000)),
    (Poisson(100), LogNormal(10**9, 2.0)),
)


def line(job: Job) -> str:
    """Write what is drawn of a job: name, time of submission, need, duration (both in ms), priority, failure."""
    need = " ".join(f"{count}x{unit}" for unit, count in job.need.items())
    return f"{job.name},{job.submit_at_ms},{need},{job.duration_ms},{job.priority},{'fails' if job.exit else ''}"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.jobs")), ids=lambda path: path.stem)
def test_the_same_seed_gives_these_jobs_for_ever(path: Path) -> None:
    """A prediction that changes with the machine, or with an upgrade, can't be reviewed or compared."""
    scenario = load_scenario(path.with_suffix(".yaml")).value
    assert scenario is not None
    assert [line(job) for job in prepare(scenario).jobs] == path.read_text(encoding="utf-8").splitlines()


def test_twenty_thousand_jobs_have_one_digest_everywhere() -> None:
    """Found the same under Python 3.11, 3.12 and 3.13: no library's last digit may come through."""
    digest = sha256()
    for number, (process, duration) in enumerate(DRAWN):
        workload = Workload(
            template=Job(f"w{number}", "a", {"x": 1}),
            arrivals=Arrivals(process, jobs=5_000),
            needs=Choice(({"x": 1}, {"x": 2}), (1.0, 2.0)),
            duration=duration,
            priority=Uniform(1, 9),
        )
        for job in jobs_of(workload, 7, Start(0), None):
            digest.update(line(job).encode())
    assert digest.hexdigest()[:20] == "829282269a95cc00829d"
