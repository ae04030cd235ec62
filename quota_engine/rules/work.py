"""Rules about the work of a scenario: jobs that can never run, and settings that its jobs never use.

What a scenario refers to is checked where it is read; these judge a scenario that could be run. A path names a job, or
the first of its copies, by its name: a scenario's jobs are in submit order, and only `config` knows their entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import service_facts as facts
from ..model.diagnostic import Severity
from ..model.stack import JobQueue, QuotaShare, State, borrow_allowance
from ..model.work import ApplyStack, Fail, Job, Scenario, SetCapacity, Terminate, UpdatePriority
from .names import label
from .registry import Fault, rule


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
    changed = {event.job for event in scenario.events if isinstance(event, UpdatePriority)}
    by_share: dict[str, list[Job]] = {}
    for job in scenario.jobs:
        by_share.setdefault(job.share, []).append(job)
    for share in scenario.stack.job_queues[scenario.queue].quota_shares.values():
        jobs = by_share.get(share.name, [])
        varied = len({job.priority for job in jobs}) > 1 or any(job.name in changed for job in jobs)
        if share.in_share_preemption is State.ENABLED and len(jobs) > 1 and not varied:
            what = (
                f"{label(share)} has in-share preemption, and all its {len(jobs)} jobs have priority {jobs[0].priority}"
            )
            yield ("jobs",), what, "only a higher priority preempts", "nothing, if that is meant"


@rule(
    "QE521",
    "job-that-can-never-run",
    Severity.ERROR,
    scopes=("scenario",),
    source="AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration; A-01",
)
def job_that_can_never_run(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      A job asks for no more of a type than its environment has, and no more than its share can own and borrow, unless
      an expectation says that it is blocked. Not judged where an event changes the queue, or with other assumptions.

    Why it is wrong
      It stays RUNNABLE at the head of its share for ever, or until a time limit ends it, and all behind it wait.

    Example
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 99}}

    Use instead
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}}
    """
    changes = any(isinstance(event, ApplyStack | SetCapacity) for event in scenario.events)
    if changes or scenario.assumptions:
        return
    queue = scenario.stack.job_queues[scenario.queue]
    environment = scenario.stack.service_environments[queue.service_environments[0]]
    meant = {one.arguments.get("job") for one in scenario.expectations if one.kind == "blocked"}
    known: dict[tuple[str, tuple[tuple[str, int], ...]], tuple[str, str, int] | None] = {}
    told: set[object] = set()
    for job in scenario.jobs:
        key = (job.share, tuple(sorted(job.need.items())))
        if key not in known:
            known[key] = _blocked(job, queue, environment.capacity_limits)
        blocked = known[key]
        if blocked is not None and job.name not in meant and key not in told:
            told.add(key)
            reason, unit, most = blocked
            what = f"job '{job.name}' asks for {job.need[unit]} {unit}, and at most {most} can be had in '{job.share}'"
            fix = f"ask for at most {most}, or expect it: {{blocked: {{job: {job.name}}}}}"
            yield ("jobs", job.name, "instances", unit), what, f"it would be blocked for ever by {reason}", fix


def _blocked(job: Job, queue: JobQueue, there: Mapping[str, int]) -> tuple[str, str, int] | None:
    """Return (reason, unit, what can be had at most) of a need that can't be met; a unit nobody has is QE508's."""
    share = queue.quota_shares[job.share]
    for unit, count in job.need.items():
        if unit in there and count > there[unit]:
            return facts.SERVICE_ENVIRONMENT_MAX_RESOURCE, unit, there[unit]
    for unit, count in job.need.items():
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
    if endless:
        others = f" and {len(endless) - 1} more" if len(endless) > 1 else ""
        what = f"nothing ends job '{endless[0]}'{others}, and the scenario has no until"
        yield (
            ("jobs", endless[0]),
            what,
            "it keeps its instances for ever",
            "add a duration, or until: 24h to the scenario",
        )
