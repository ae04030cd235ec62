"""Why a job runs: on its share's own limit or on borrowed capacity, and whose claim would end it."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.service_facts import JOB_PRIORITY_MAX
from ..model.work import Job
from ..scheduler.inputs import Submit
from ..scheduler.restore import Situation, Standing
from ..scheduler.state import JobRecord, SchedulerState
from .result import Would
from .trial import Names, Outcome, attempt, with_priority

PROBE = "probe"
"""The job that stands for one submitted next; no id of a job looks so."""
SIZES_MAX = 64
"""How large a claim is tried, in instances."""


def reasons(state: SchedulerState, record: JobRecord) -> list[str]:
    """Return how the job's share stands in each unit that the job uses."""
    share = record.share
    found = []
    for unit, count in record.need.pairs:
        name, used, nominal = state.ledger.unit_names[unit], share.use[unit], share.cap[unit]
        line = f"it uses {count} {name}; {share.name} uses {used} of its own {nominal}"
        found.append(
            line + (f", so {used - nominal} of it is borrowed" if used > nominal else ", so nothing is borrowed")
        )
    if any(share.use[unit] > share.cap[unit] for unit, _ in record.need.pairs):
        found.append(f"every running job of {share.name} may have to give way, lowest priority first (A-11, A-41)")
    return found


def is_on_borrowed(state: SchedulerState, record: JobRecord) -> bool:
    """Whether the job's share is above its own limit in a unit of the job."""
    return any(record.share.use[unit] > record.share.cap[unit] for unit, _ in record.need.pairs)


def woulds(situation: Situation, job: str, names: Names) -> list[Would]:
    """Return whose claim would end the job, and which priority would spare it."""
    one = next(standing for standing in situation.jobs if standing.job.name == job)
    claims = list(_claims(situation, one))
    found = [Would(text, "it would be preempted (cross-share)") for text, _ in claims]
    found += _in_share(situation, one)
    if claims:
        found += _sparing(situation, one, claims[0][1], names)
    return found


def _claims(situation: Situation, one: Standing) -> Iterator[tuple[str, Job]]:
    """Try, for every other share and unit, jobs of growing size; yield the smallest that would end this one."""
    for name, share in situation.queue.quota_shares.items():
        if name == one.job.share:
            continue
        for unit in (unit for unit in share.capacity_limits if unit in one.job.need):
            for size in range(1, min(share.capacity_limits[unit], SIZES_MAX) + 1):
                claim = Job(PROBE, name, {unit: size}, submit_at_ms=situation.now_ms, priority=JOB_PRIORITY_MAX)
                if attempt(situation, [Submit(claim)]).is_preempted(one.job.name):
                    yield f"a job of {size} {unit} were submitted to {name}", claim
                    break


def _in_share(situation: Situation, one: Standing) -> Iterator[Would]:
    for priority in sorted(
        {standing.job.priority + 1 for standing in situation.jobs if standing.job.share == one.job.share}
    ):
        if priority > JOB_PRIORITY_MAX:
            return
        claim = Job(PROBE, one.job.share, one.job.need, submit_at_ms=situation.now_ms, priority=priority)
        if attempt(situation, [Submit(claim)]).is_preempted(one.job.name):
            yield Would(
                f"a job like it with priority {priority} were submitted to {one.job.share}",
                "it would be preempted (in-share)",
            )
            return


def _sparing(situation: Situation, one: Standing, claim: Job, names: Names) -> Iterator[Would]:
    """Try the lowest priority at which another job is stopped instead for the first claim."""
    others = {standing.job.priority for standing in situation.jobs if standing.job.share == one.job.share}
    for priority in sorted({other + 1 for other in others if other + 1 > one.job.priority}):
        if priority > JOB_PRIORITY_MAX:
            return
        outcome: Outcome = attempt(with_priority(situation, one.job.name, priority), [Submit(claim)])
        if not outcome.is_preempted(one.job.name) and outcome.starts(PROBE):
            victims = ", ".join(names.get(victim, victim) for victim in outcome.victims) or "nobody"
            yield Would(
                f"its priority were {priority} (now {one.job.priority})", f"that claim would stop {victims} instead"
            )
            return
