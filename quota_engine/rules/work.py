"""Rules about the work of a scenario: jobs that can never run, and settings that its jobs never use.

What a scenario refers to is checked where it is read; these judge a scenario that could be run. A path names a job, or
the first of its copies, or a workload, by its name: jobs are in submit order, and only `config` knows their entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ..model import service_facts as facts
from ..model.diagnostic import Severity
from ..model.stack import Capacity, JobQueue, Path, QuotaShare, State, borrow_allowance
from ..model.work import ApplyStack, Fail, Job, Scenario, SetCapacity, Terminate, UpdatePriority
from .names import label
from .registry import Fault, rule
from .workloads import always_exits, is_of, needs_of, priorities_of


@rule(
    "QE520",
    "in-share-preemption-without-priorities",
    Severity.NOTE,
    scopes=("scenario",),
    source="AWS Batch User Guide, Preemption",
)
def in_share_preemption_without_priorities(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      The jobs of a share with in-share preemption differ in priority, in a scenario that has several.

    Why it is wrong
      A job preempts only jobs of lower priority in its share: with one priority it never happens.

    Example
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 1}
        - {name: b, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 1}

    Use instead
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 1}
        - {name: b, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 2}
    """
    if scenario.replay is not None:
        return
    changed = {event.job for event in scenario.events if isinstance(event, UpdatePriority)}
    for share in scenario.stack.job_queues[scenario.queue].quota_shares.values():
        jobs = [job for job in scenario.jobs if job.share == share.name]
        workloads = [workload for workload in scenario.workloads if workload.share == share.name]
        priorities = {job.priority for job in jobs}.union(*map(priorities_of, workloads))
        is_varied = len(priorities) > 1 or any(job.name in changed for job in jobs)
        is_varied = is_varied or any(is_of(name, workload) for workload in workloads for name in changed)
        if share.in_share_preemption is State.ENABLED and (len(jobs) > 1 or workloads) and not is_varied:
            number = "" if workloads else f"{len(jobs)} "
            what = f"{label(share)} has in-share preemption, and all its {number}jobs have priority {min(priorities)}"
            path = ("jobs",) if jobs else ("workloads",)
            yield path, what, "only a higher priority preempts", "nothing, if that is meant"


@rule(
    "QE521",
    "job-that-can-never-run",
    Severity.ERROR,
    scopes=("scenario",),
    source="AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration; A-01",
)
def job_that_can_never_run(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      A job, or one that a workload may bring, asks for no more of a type than its environment has, and no more than
      its share can own and borrow, unless an expectation says that it is blocked. Of a type with windows of capacity
      there is what the largest holds. Not judged where an event changes the queue, or with other assumptions.

    Why it is wrong
      It stays RUNNABLE at the head of its share for ever, or until a time limit ends it, and all behind it wait.

    Example
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 99}}

    Use instead
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}}
    """
    if not _is_fixed(scenario):
        return
    queue = scenario.stack.job_queues[scenario.queue]
    there = _most_there(scenario, queue)
    meant = {str(one.arguments.get("job")) for one in scenario.expectations if one.kind == "blocked"}
    known: dict[tuple[str, tuple[tuple[str, int], ...]], tuple[str, str, int] | None] = {}
    told: set[object] = set()
    for job in scenario.jobs:
        key = (job.share, tuple(sorted(job.need.items())))
        if key not in known:
            known[key] = _blocked(job.share, job.need, queue, there)
        blocked = known[key]
        if blocked is not None and job.name not in meant and key not in told:
            told.add(key)
            yield _never_runs(("jobs", job.name, "instances"), f"job '{job.name}' asks", job.name, job, blocked)
    for workload in scenario.workloads:
        for path, need in needs_of(workload):
            blocked = _blocked(workload.share, need, queue, there)
            if blocked is not None and not any(is_of(name, workload) for name in meant):
                asks = f"workload '{workload.name}' brings jobs that ask"
                yield _never_runs(path, asks, f"{workload.name}-0001", replace(workload.template, need=need), blocked)


def refusal_of(scenario: Scenario) -> Callable[[str, Capacity], str]:
    """Return what tells why a job of a share and a need can't be taken or can never run, "" where it can.

    For jobs that are many and not declared. As for declared ones, only what can't change is judged.
    """
    queue = scenario.stack.job_queues[scenario.queue]
    there = _most_there(scenario, queue)
    applied = [event.stack for event in scenario.events if isinstance(event, ApplyStack)]
    shares = {*queue.quota_shares, *(name for stack in applied for name in stack.job_queues[queue.name].quota_shares)}
    is_fixed = _is_fixed(scenario)

    def refusal(share: str, need: Capacity) -> str:
        if share not in shares:
            return f"the queue has no quota share '{share}'"
        if not is_fixed:
            return ""
        missing = [unit for unit in need if unit not in there]
        if missing:
            return f"the queue's service environment has no {missing[0]}"
        blocked = _blocked(share, need, queue, there)
        if blocked is None:
            return ""
        _, unit, most = blocked
        return f"it asks for {need[unit]} {unit}, and at most {most} can be had in '{share}'"

    return refusal


def _is_fixed(scenario: Scenario) -> bool:
    """Whether the queue stays as it is declared, under the usual assumptions."""
    return not scenario.assumptions and not any(
        isinstance(event, ApplyStack | SetCapacity) for event in scenario.events
    )


def _most_there(scenario: Scenario, queue: JobQueue) -> dict[str, int]:
    """Return the most of each type that the environment ever has: its limits, or what the largest window holds."""
    environment = scenario.stack.service_environments[queue.service_environments[0]]
    return {**environment.capacity_limits, **{plan.unit: plan.most for plan in scenario.capacity}}


def _never_runs(path: Path, asks: str, name: str, job: Job, blocked: tuple[str, str, int]) -> Fault:
    """Say that a job can never run, and by what it would be blocked."""
    reason, unit, most = blocked
    what = f"{asks} for {job.need[unit]} {unit}, and at most {most} can be had in '{job.share}'"
    fix = f"ask for at most {most}, or expect it: {{blocked: {{job: {name}}}}}"
    return (*path, unit), what, f"it would be blocked for ever by {reason}", fix


def _blocked(
    share_name: str, need: Mapping[str, int], queue: JobQueue, there: Mapping[str, int]
) -> tuple[str, str, int] | None:
    """Return (reason, unit, what can be had at most) of a need that can't be met; a unit nobody has is QE508's."""
    share = queue.quota_shares[share_name]
    for unit, count in need.items():
        if unit in there and count > there[unit]:
            return facts.SERVICE_ENVIRONMENT_MAX_RESOURCE, unit, there[unit]
    for unit, count in need.items():
        if unit in there:
            most = _most(share, queue, unit)
            if count > most:
                return facts.QUOTA_LIMIT_EXCEEDED, unit, most
    return None


def _most(share: QuotaShare, queue: JobQueue, unit: str) -> int:
    """Return how many instances a share can use: its own, and what it may borrow of what the others lend."""
    own = share.capacity_limits.get(unit, 0)
    percent = share.effective_borrow_limit_percent
    if not share.strategy.can_borrow or percent is None:
        return own
    lendable = sum(
        other.capacity_limits.get(unit, 0)
        for other in queue.quota_shares.values()
        if other is not share and other.strategy.can_lend
    )
    allowed = borrow_allowance(own, percent)
    return own + (lendable if allowed is None else min(allowed, lendable))


@rule("QE522", "work-without-end", Severity.WARNING, scopes=("scenario",), source="docs/scenario.md")
def work_without_end(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      Every job has a duration or something else that ends it, or the scenario says until when to look.

    Why it is wrong
      A job that nothing ends keeps its instances to the end of the simulation, and nothing says when that is.

    Example
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}}

    Use instead
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}, duration: 4h}
    """
    if scenario.until_ms is not None:
        return
    ended = {event.job for event in scenario.events if isinstance(event, Fail | Terminate)}
    endless = [
        job.name
        for job in scenario.jobs
        if job.duration_ms is None and job.timeout_ms is None and job.exit is None and job.name not in ended
    ]
    for workload in scenario.workloads:
        if workload.duration is None and workload.template.timeout_ms is None and not always_exits(workload):
            what = f"nothing ends the jobs of workload '{workload.name}', and the scenario has no until"
            fix = "add a duration, or until: 24h to the scenario"
            yield ("workloads", workload.name), what, "they keep their instances for ever", fix
    if endless:
        others = f" and {len(endless) - 1} more" if len(endless) > 1 else ""
        what = f"nothing ends job '{endless[0]}'{others}, and the scenario has no until"
        yield (
            ("jobs", endless[0]),
            what,
            "it keeps its instances for ever",
            "add a duration, or until: 24h to the scenario",
        )
