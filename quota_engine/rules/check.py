"""Run the rules: on one resource, on a whole stack, on a scenario."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, TypeVar

from ..model.diagnostic import KEY, Diagnostic, Severity
from ..model.stack import JobQueue, Path, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack
from ..model.work import Scenario
from .registry import Rule, of_scope

Resource = TypeVar("Resource")

_LIMITS: Final = "capacity_limits"

JUDGED_MAX: Final = 200
"""Environments, queues, and shares of a queue that are judged one by one: several times what the service allows."""


def check_share(share: QuotaShare, path: Path = ()) -> list[Diagnostic]:
    """Judge one quota share, which stands at `path`."""
    return _check("share", share, path)


def check_environment(environment: ServiceEnvironment, path: Path = ()) -> list[Diagnostic]:
    """Judge one service environment, which stands at `path`."""
    return _check("environment", environment, path)


def check_queue(queue: JobQueue, path: Path = ()) -> list[Diagnostic]:
    """Judge one job queue, which stands at `path`, without its shares."""
    return _check("queue", queue, path)


def check_policy(policy: SchedulingPolicy, path: Path = ()) -> list[Diagnostic]:
    """Judge one scheduling policy, which stands at `path`."""
    return _check("policy", policy, path)


def check_stack(stack: Stack, broken: Collection[Path] = ()) -> list[Diagnostic]:
    """Judge a stack: every resource, then all of them together. Findings come without spans, in a fixed order.

    `broken` are paths whose values could not be read and were left out: nothing is said about what stands there, and
    what only the whole stack can tell is not said at all. Where an amount or a unit is an error, nothing is said about
    how the amounts add up either: it would be its consequence.
    """
    found = list(_resources(stack))
    wrong = [one.path for one in found if one.severity is Severity.ERROR and _LIMITS in one.path]
    for rule in of_scope("stack"):
        if _can_judge(rule, broken, wrong):
            found += [one for one in rule.run(stack, ()) if not any(_touches(one.path, path) for path in wrong)]
    return [one for one in found if not any(_touches(one.path, path) for path in broken)]


def _can_judge(rule: Rule, broken: Collection[Path], wrong: Collection[Path]) -> bool:
    """Whether what a rule of the whole stack reads is there, with values at `broken` missing and at `wrong` refused."""
    if any((section,) in broken for section in rule.reads):
        return False
    if rule.severity is Severity.ERROR:
        return True
    if rule.is_local:
        return not any(path[:1] == ("service_environments",) for path in (*broken, *wrong))
    return not broken and not wrong


def check_scenario(scenario: Scenario) -> list[Diagnostic]:
    """Judge the work of a scenario that can be run; its stack is judged by `check_stack`."""
    return _check("scenario", scenario, ())


def _check(scope: str, value: Any, path: Path) -> list[Diagnostic]:
    return [found for rule in of_scope(scope) for found in rule.run(value, path)]


def _resources(stack: Stack) -> Iterator[Diagnostic]:
    """Yield the findings of every resource, in declared order."""
    yield from _section("environment", _first(stack.service_environments), ("service_environments",))
    yield from _section("policy", stack.scheduling_policies.items(), ("scheduling_policies",))
    for name, queue in _first(stack.job_queues):
        path: Path = ("job_queues", name)
        yield from _check("queue", queue, path)
        yield from _section("share", _first(queue.quota_shares), (*path, "quota_shares"))


def _first(resources: Mapping[str, Resource]) -> Iterator[tuple[str, Resource]]:
    """Yield the resources to judge. That there are too many is a finding of its own; thousands more would hide it."""
    return islice(resources.items(), JUDGED_MAX)


def _section(scope: str, resources: Iterable[tuple[str, Any]], path: Path) -> Iterator[Diagnostic]:
    rules: list[Rule] = of_scope(scope)
    for name, resource in resources:
        for rule in rules:
            yield from rule.run(resource, (*path, name))


def _touches(path: Path, broken: Path) -> bool:
    """Whether one of two paths lies within the other."""
    plain = path[:-1] if path[-1:] == (KEY,) else path
    shorter = min(len(plain), len(broken))
    return plain[:shorter] == broken[:shorter]
