"""Rules about capacity over time: what is declared against what its windows hold."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.capacity import CapacityPlan
from ..model.diagnostic import KEY, Severity
from ..model.durations import format_duration
from ..model.stack import JobQueue, ServiceEnvironment
from ..model.work import Scenario
from .registry import Fault, rule


@rule("QE525", "limit-exceeds-window", Severity.WARNING, scopes=("scenario",), source="docs/scenario.md")
def limit_exceeds_window(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      The service environment's limit of a type, and the own limits of all shares together, are no more than what each
      window of the scenario's capacity holds.

    Why it is wrong
      AWS Batch knows limits, not windows: it hands SageMaker jobs for which there are no instances, and a share whose
      own limit is not there takes it from the others.

    Example
      capacity:
        ml.g5.xlarge: [{from: 0s, until: 24h, instances: 1}] # the environment's limit is 2

    Use instead
      capacity:
        ml.g5.xlarge: [{from: 0s, until: 24h, instances: 2}]
    """
    queue = scenario.stack.job_queues[scenario.queue]
    environment = scenario.stack.service_environments[queue.service_environments[0]]
    for plan in scenario.capacity:
        for limit, whose, where in _limits(plan.unit, queue, environment):
            short = [
                window for window in plan.windows if window.instances < limit and _is_seen(window.from_ms, scenario)
            ]
            if short:
                yield _exceeds(plan, limit, whose, where, min(window.from_ms for window in short))
                break


def _is_seen(from_ms: int, scenario: Scenario) -> bool:
    return scenario.until_ms is None or from_ms < scenario.until_ms


def _limits(unit: str, queue: JobQueue, environment: ServiceEnvironment) -> Iterator[tuple[int, str, str]]:
    """Yield what is declared of a type: its number, whose it is, and what to lower."""
    own = sum(share.capacity_limits.get(unit, 0) for share in queue.quota_shares.values())
    yield own, f"the shares of job queue '{queue.name}' own", "the shares' limits"
    limit = environment.capacity_limits.get(unit, 0)
    yield limit, f"service environment '{environment.name}' has a limit of", "its limit"


def _exceeds(plan: CapacityPlan, limit: int, whose: str, where: str, from_ms: int) -> Fault:
    there = plan.instances(from_ms)
    what = f"{whose} {limit} {plan.unit}, and the window from {format_duration(from_ms)} on holds {there}"
    return (
        ("capacity", plan.unit, KEY),
        what,
        "Batch places jobs by its limits, whether their instances are there or not",
        f"lower {where} while that window lasts (an apply event), or let it hold {limit}",
    )
