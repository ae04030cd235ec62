"""A scenario's work put under another declaration: the same jobs, wherever that declaration has a place for them.

Work of a share that the declaration lacks goes to the share that it was renamed to or from, or to the one that the
caller names; else it stays where it is, and the scheduler refuses it, as the service would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..model.stack import JobQueue, QuotaShare, Stack
from ..model.work import Expectation, Scenario
from .agenda import ScenarioError, queue_of


@dataclass(frozen=True, slots=True)
class Side:
    """A scenario under one declaration. `moved` is {share of the work: share it is submitted to} where these differ.

    `has_queue` is False where the declaration has no such queue: nothing can be submitted then.
    """

    scenario: Scenario
    moved: Mapping[str, str]
    has_queue: bool = True


def sides(
    scenario: Scenario, old: Stack, new: Stack, moves: Mapping[str, str] | None = None
) -> tuple[Side, Side, Mapping[str, str]]:
    """Return the scenario under `old` and under `new`, and {job: its share in the scenario}.

    `moves` is {share: share}: where a side lacks the first, its work is submitted to the second. Raises ScenarioError
    where neither declaration has the queue.
    """
    before, after = _queue(scenario.queue, old, new), _queue(scenario.queue, new, old)
    if before is None and after is None:
        raise ScenarioError(f"neither declaration has a job queue {scenario.queue!r}")
    chosen = moves or {}
    work = {job.name: job.share for job in scenario.jobs}
    return (
        _side(scenario, (old, before), (new, after), chosen),
        _side(scenario, (new, after), (old, before), chosen),
        work,
    )


def _queue(name: str, stack: Stack, other: Stack) -> JobQueue | None:
    """Return the stack's queue of that name, or the one it was renamed to or from."""
    if name in stack.job_queues:
        return stack.job_queues[name]
    declared = other.job_queues.get(name)
    if declared is not None and declared.renamed_from in stack.job_queues:
        return stack.job_queues[str(declared.renamed_from)]
    return next((queue for queue in stack.job_queues.values() if queue.renamed_from == name), None)


def _side(
    scenario: Scenario,
    own: tuple[Stack, JobQueue | None],
    other: tuple[Stack, JobQueue | None],
    moves: Mapping[str, str],
) -> Side:
    stack, queue = own
    if queue is None:
        return Side(_without_queue(scenario, stack, other), {}, has_queue=False)
    shares = other[1].quota_shares if other[1] else {}
    moved = {
        share: target
        for share in dict.fromkeys(job.share for job in scenario.jobs)
        if share not in queue.quota_shares and (target := _target(share, queue, shares, moves)) is not None
    }
    jobs = tuple(replace(job, share=moved[job.share]) if job.share in moved else job for job in scenario.jobs)
    expectations = tuple(_moved(one, moved) for one in scenario.expectations)
    return Side(replace(scenario, stack=stack, queue=queue.name, jobs=jobs, expectations=expectations), moved)


def _target(share: str, queue: JobQueue, others: Mapping[str, QuotaShare], moves: Mapping[str, str]) -> str | None:
    """Return the share of the queue that takes another's work: 1. as told, 2. as renamed from, 3. as renamed to."""
    told = moves.get(share)
    if told in queue.quota_shares:
        return told
    renamed = next((one.name for one in queue.quota_shares.values() if one.renamed_from == share), None)
    former = others[share].renamed_from if share in others else None
    return renamed if renamed is not None else former if former in queue.quota_shares else None


def _moved(expectation: Expectation, moved: Mapping[str, str]) -> Expectation:
    share = expectation.arguments.get("share")
    if not isinstance(share, str) or share not in moved:
        return expectation
    return replace(expectation, arguments={**expectation.arguments, "share": moved[share]})


def _without_queue(scenario: Scenario, stack: Stack, other: tuple[Stack, JobQueue | None]) -> Scenario:
    """Return the scenario on a queue without shares that stands where the declaration has none."""
    queue, environment = queue_of(other[0], other[1].name if other[1] else "")
    stand_in = replace(
        stack,
        job_queues={queue.name: replace(queue, quota_shares={})},
        service_environments={environment.name: environment},
    )
    return replace(scenario, stack=stand_in, queue=queue.name)
