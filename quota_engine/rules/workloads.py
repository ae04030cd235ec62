"""Rules about workloads, judged as they are declared: no job is generated for them. And what other rules ask of one."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.arrivals import JOBS_MAX, expected_jobs
from ..model.diagnostic import Severity
from ..model.sampling import Choice, Constant, Uniform
from ..model.stack import Capacity, Path
from ..model.work import Scenario, Workload
from .registry import Fault, rule


def priorities_of(workload: Workload) -> set[int]:
    """Return priorities that jobs of a workload have: more than one where they differ."""
    match workload.priority:
        case Constant(value):
            return {value}
        case Uniform(low, high):
            return {low, high}
        case Choice(options, weights):
            return {option for option, weight in zip(options, weights, strict=True) if weight}


def needs_of(workload: Workload) -> Iterator[tuple[Path, Capacity]]:
    """Yield each need that jobs of a workload have, with the path to it."""
    path: Path = ("workloads", workload.name, "instances")
    options, weights = workload.needs.options, workload.needs.weights
    for index, (need, weight) in enumerate(zip(options, weights, strict=True)):
        if weight:
            yield (path if len(options) == 1 else (*path, "choice", index, 0)), need


def is_of(job: str, workload: Workload) -> bool:
    """Whether a name is one that a workload's jobs have."""
    stem, _, number = job.rpartition("-")
    return stem == workload.name and number.isdigit()


def always_exits(workload: Workload) -> bool:
    """Whether each of the workload's jobs ends by its own failure."""
    return workload.template.exit is not None and workload.exit_probability >= 1


@rule("QE523", "workload-without-jobs", Severity.WARNING, scopes=("scenario",), source="docs/scenario.md")
def workload_without_jobs(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      A workload has an arrival: a rate above 0 in some hour of its time, or a burst within it.

    Why it is wrong
      It brings no job, and what is expected of it is about nothing.

    Example
      until: 24h
      workloads:
        - {name: w, share: QS1, arrivals: {burst: {at: 30h, jobs: 4}}, instances: {ml.g5.xlarge: 1}, duration: 1h}

    Use instead
      until: 48h
      workloads:
        - {name: w, share: QS1, arrivals: {burst: {at: 30h, jobs: 4}}, instances: {ml.g5.xlarge: 1}, duration: 1h}
    """
    for workload in scenario.workloads:
        if expected_jobs(workload.arrivals, scenario.start, scenario.until_ms) == 0:
            what = f"workload '{workload.name}' brings no job"
            why = "no hour of its time has a rate above 0, and no burst falls into it"
            yield ("workloads", workload.name, "arrivals"), what, why, "raise a rate, or move its time"


@rule("QE524", "too-many-jobs", Severity.ERROR, scopes=("scenario",), source="docs/scenario.md")
def too_many_jobs(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      All workloads of a scenario together bring at most 2,000,000 jobs, on average.

    Why it is wrong
      They would fill the memory; a rate or a time is most likely not the one that is meant.

    Example
      until: 365d
      workloads:
        - {name: w, share: QS1, arrivals: {every: 1s}, instances: {ml.g5.xlarge: 1}, duration: 1h}

    Use instead
      until: 365d
      workloads:
        - {name: w, share: QS1, arrivals: {every: 1h}, instances: {ml.g5.xlarge: 1}, duration: 1h}
    """
    expected = {one.name: expected_jobs(one.arrivals, scenario.start, scenario.until_ms) for one in scenario.workloads}
    total = sum(expected.values())
    if total > JOBS_MAX:
        most = max(expected, key=lambda name: expected[name])
        what = f"the workloads bring {total:,.0f} jobs, {expected[most]:,.0f} of them '{most}'"
        fix = "lower the rate, or shorten the time"
        yield ("workloads", most, "arrivals"), what, f"{JOBS_MAX:,} at most are allowed", fix
