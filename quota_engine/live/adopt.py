"""What lives and is to be declared: whole queues with what they need, as a stack, and what can't be declared, with why.

Only what quota management knows can be declared: queues of SageMaker Training jobs with one service environment and a
quota-share policy. Everything else is named in `left_out`, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import boto3

from ..model.observation import Observation
from ..model.service_facts import NUM_INSTANCES
from ..model.stack import SAGEMAKER_TRAINING, JobQueue, Path, SchedulingPolicy, ServiceEnvironment, Stack
from .observe import Progress, observe
from .settle import TRANSITIONS
from .trouble import LiveTrouble


@dataclass(frozen=True, slots=True)
class Adopted:
    """`stack` declares what was found; `observation` is what it was found in; `left_out` says what is not declared."""

    stack: Stack
    observation: Observation
    left_out: tuple[str, ...]


def adopt(
    name: str,
    region: str,
    queues: Iterable[str] | None,
    session: boto3.Session | None = None,
    *,
    account: str | None = None,
    with_tags: bool = True,
    progress: Progress | None = None,
) -> Adopted:
    """Return the named queues with their shares, environments and policies, or with None everything there is.

    Raises LiveTrouble when something needed can't be read, is absent, is changing, or (for a named queue) can't be
    declared.
    """
    wanted = None if queues is None else tuple(dict.fromkeys(queues))
    look = Stack("", region, account)
    if wanted is None:
        observation = observe(look, session, whole_account=True, with_tags=with_tags, progress=progress)
        _refuse_unreadable(observation)
        found = observation.stack
    else:
        found = _found_queues(look, wanted, session, progress)
        observation = observe(found, session, with_tags=with_tags, progress=progress)
        _refuse_unreadable(observation)
        found = observation.stack
    declared, left_out = _declarable(found, is_named=wanted is not None)
    _refuse_changing(declared, observation)
    return Adopted(replace(declared, name=name), observation, left_out)


def _found_queues(
    look: Stack, wanted: tuple[str, ...], session: boto3.Session | None, progress: Progress | None
) -> Stack:
    """Return a stack that names the queues, their shares, environments and policies, to be observed in full."""
    asked = {name: JobQueue(name, (), None) for name in wanted}
    first = observe(replace(look, job_queues=asked), session, with_tags=False, progress=progress)
    _refuse_unreadable(first)
    found = first.stack.job_queues
    absent = [name for name in wanted if name not in found]
    if absent:
        raise LiveTrouble(
            f"there is no job queue {', '.join(absent)} in account {first.stack.account}, {look.region}",
            fix="check the name, --region and the credentials; --all imports every queue there is",
        )
    environments = {name for queue in found.values() for name in queue.service_environments}
    policies = {queue.scheduling_policy for queue in found.values() if queue.scheduling_policy is not None}
    return replace(
        look,
        service_environments={name: ServiceEnvironment(name, {}) for name in sorted(environments)},
        scheduling_policies={name: SchedulingPolicy(name) for name in sorted(policies)},
        job_queues={name: found[name] for name in wanted},
    )


def _declarable(found: Stack, *, is_named: bool) -> tuple[Stack, tuple[str, ...]]:
    """Split what was found into what can be declared and why the rest can't; a named queue must be declarable."""
    left_out: list[str] = []
    queues: dict[str, JobQueue] = {}
    for name, queue in found.job_queues.items():
        reason = _why_not(queue, found)
        if reason and is_named:
            raise LiveTrouble(f"job queue {name} can't be declared", why=reason)
        if reason:
            left_out.append(f"job queue {name}: {reason}")
        else:
            queues[name] = queue
    environments = dict(found.service_environments)
    policies = dict(found.scheduling_policies)
    for environment in found.service_environments.values():
        if reason := _why_not_environment(environment):
            left_out.append(reason)
            del environments[environment.name]
    for policy in found.scheduling_policies.values():
        if reason := _why_not_policy(policy):
            left_out.append(reason)
            del policies[policy.name]
    return (
        replace(found, job_queues=queues, service_environments=environments, scheduling_policies=policies),
        tuple(left_out),
    )


def _why_not(queue: JobQueue, found: Stack) -> str:
    """Return why a queue can't be declared, "" when it can."""
    if queue.type != SAGEMAKER_TRAINING:
        return f"it is of type {queue.type}"
    if queue.service_environment is None:
        return f"it has {len(queue.service_environments)} service environments"
    if queue.scheduling_policy is None:
        return "it has no scheduling policy, so no quota shares"
    environment = found.service_environments.get(queue.service_environment)
    policy = found.scheduling_policies.get(queue.scheduling_policy)
    if environment is None:
        return f"its service environment {queue.service_environment} was not found"
    if policy is None:
        return f"its scheduling policy {queue.scheduling_policy} was not found, or is no quota-share policy"
    return _why_not_environment(environment) or _why_not_policy(policy)


def _why_not_environment(environment: ServiceEnvironment) -> str:
    if environment.type != SAGEMAKER_TRAINING:
        return f"service environment {environment.name} is of type {environment.type}"
    if NUM_INSTANCES in environment.capacity_limits:
        return f"service environment {environment.name} counts instances of any type ({NUM_INSTANCES})"
    return ""


def _why_not_policy(policy: SchedulingPolicy) -> str:
    fair = policy.idle_resource_assignment is None
    return f"scheduling policy {policy.name} is no quota-share policy" if fair else ""


def _refuse_unreadable(observation: Observation) -> None:
    """Raise for the first thing that could not be read: a declaration of a part would have Pulumi see the rest gone."""
    for path, problem in sorted(observation.unreadable.items(), key=lambda item: [str(part) for part in item[0]]):
        raise LiveTrouble(
            f"could not read {_shown(path)}",
            why=f"{problem.operation}: {problem.code}: {problem.message}",
            fix="allow the call or try again; nothing was written",
            problem=problem,
        )


def _refuse_changing(stack: Stack, observation: Observation) -> None:
    for path, condition in sorted(observation.conditions.items(), key=lambda item: [str(part) for part in item[0]]):
        section = {
            "service_environments": stack.service_environments,
            "scheduling_policies": stack.scheduling_policies,
            "job_queues": stack.job_queues,
        }[str(path[0])]
        if path[1] in section and condition.status in TRANSITIONS:
            raise LiveTrouble(
                f"{_shown(path)} is {condition.status}", why="what it will be is not known yet", fix="try again later"
            )


def _shown(path: Path) -> str:
    return "/".join(str(part) for part in path)
