"""Rules across stacks: what several declarations of one account and region would do to each other.

A judge takes all stacks of one account and region, in order of their files. The first element of a fault's path is the
number of the stack it is about; that of the stack it clashes with stands behind `OTHER`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..model import service_facts as facts
from ..model.diagnostic import KEY, Diagnostic, Severity
from ..model.stack import Path, Stack
from .registry import Fault, of_scope, rule

OTHER: Final = "@other"
"""Element of a path behind which stands the path in the stack that a fault is also about."""

_NOUNS: Final = {
    "service_environments": "service environment",
    "scheduling_policies": "scheduling policy",
    "job_queues": "job queue",
}


@dataclass(frozen=True, slots=True)
class Clash:
    """A finding about stack number `index`; `other` and `other_path` name the place in another one, if any."""

    index: int
    diagnostic: Diagnostic
    other: int | None = None
    other_path: Path = ()


def check_accounts(stacks: Sequence[Stack]) -> list[Clash]:
    """Judge stacks together. Only those that state the same account and region share one: others are not compared."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, stack in enumerate(stacks):
        if stack.account is not None:
            groups.setdefault((stack.account, stack.region), []).append(index)
    return [clash for group in groups.values() if len(group) > 1 for clash in _check(stacks, group)]


def _check(stacks: Sequence[Stack], group: Sequence[int]) -> Iterator[Clash]:
    together = tuple(stacks[index] for index in group)
    for one in of_scope("account"):
        for found in one.run(together, ()):
            path = found.path
            split = path.index(OTHER) if OTHER in path else len(path)
            other, other_path = (path[split + 1], path[split + 2 :]) if split < len(path) else (None, ())
            yield Clash(
                index=group[int(path[0])],
                diagnostic=replace(found, path=path[1:split]),
                other=None if other is None else group[int(other)],
                other_path=other_path,
            )


def _names(stack: Stack) -> Iterator[tuple[str, str]]:
    """Yield (section, name) of all that has a name of its own in the account."""
    sections: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("service_environments", stack.service_environments),
        ("scheduling_policies", stack.scheduling_policies),
        ("job_queues", stack.job_queues),
    )
    for section, resources in sections:
        for name in resources:
            yield section, name


def _serves(stack: Stack, environment: str) -> str | None:
    """Return the queue that an environment serves in a stack."""
    return next((q.name for q in stack.job_queues.values() if environment in q.service_environments), None)


@rule(
    "QE450",
    "name-in-two-stacks",
    Severity.ERROR,
    scopes=("account",),
    source="Batch API Reference: CreateServiceEnvironment, CreateSchedulingPolicy, CreateJobQueue",
)
def name_in_two_stacks(stacks: tuple[Stack, ...]) -> Iterator[Fault]:
    """What it checks
      No two stacks of one account and region declare an environment, a policy or a queue of the same name. Only stacks
      that state their account are compared, and only those of one run.

    Why it is wrong
      A name is unique in an account and region: the second deployment fails, or both change one resource in turns.

    Example
      dev.yaml:     {account: "123456789012", region: us-west-2, job_queues: {training: {}}}
      staging.yaml: {account: "123456789012", region: us-west-2, job_queues: {training: {}}}

    Use instead
      staging.yaml: {account: "123456789012", region: us-west-2, job_queues: {training-staging: {}}}
    """
    first: dict[tuple[str, str], int] = {}
    for index, stack in enumerate(stacks):
        for section, name in _names(stack):
            before = first.setdefault((section, name), index)
            if before == index:
                continue
            serves_both = section == "service_environments" and _serves(stack, name) and _serves(stacks[before], name)
            if not serves_both:
                what = f"the {_NOUNS[section]} '{name}' is declared by the stack '{stacks[before].name}' too"
                why = f"a name is unique in account {stack.account} and region {stack.region}"
                fix = "give one of them another name, or another account or region"
                yield (index, section, name, KEY, OTHER, before, section, name, KEY), what, why, fix


@rule(
    "QE451",
    "environment-in-two-stacks",
    Severity.ERROR,
    scopes=("account",),
    source="AWS Batch User Guide, AWS Batch service quotas; AWS Batch User Guide, Create quota management resources",
)
def environment_in_two_stacks(stacks: tuple[Stack, ...]) -> Iterator[Fault]:
    """What it checks
      A service environment serves no queue in two stacks of one account and region.

    Why it is wrong
      A quota-managed environment serves one queue: their shares would count the same instances twice.

    Example
      dev.yaml:     {account: "123456789012", job_queues: {training: {service_environment: gpu}}}
      staging.yaml: {account: "123456789012", job_queues: {nightly: {service_environment: gpu}}}

    Use instead
      staging.yaml: {account: "123456789012", job_queues: {nightly: {service_environment: gpu-staging}}}
    """
    first: dict[str, tuple[int, str]] = {}
    for index, stack in enumerate(stacks):
        for queue in stack.job_queues.values():
            for name in queue.service_environments:
                before, other = first.setdefault(name, (index, queue.name))
                if before != index:
                    what = (
                        f"job queue '{queue.name}' uses the service environment '{name}', which serves "
                        f"job queue '{other}' of the stack '{stacks[before].name}'"
                    )
                    here: Path = (index, "job_queues", queue.name, "service_environment")
                    there: Path = (before, "job_queues", other, "service_environment")
                    why = "a quota-managed service environment serves one queue"
                    fix = "declare an environment of another name for one of the queues"
                    yield (*here, OTHER, *there), what, why, fix


@rule(
    "QE452",
    "too-many-resources-in-account",
    Severity.ERROR,
    scopes=("account",),
    source="AWS Batch User Guide, AWS Batch service quotas",
)
def too_many_resources_in_account(stacks: tuple[Stack, ...]) -> Iterator[Fault]:
    """What it checks
      The stacks of one account and region have at most 50 service environments and 50 job queues together.

    Why it is wrong
      The account has room for no more in a region, and the quotas can't be raised.

    Example
      two stacks of account 123456789012 in us-west-2 with 30 job queues each

    Use instead
      one of them in another account or region
    """
    for section, most in (
        ("service_environments", facts.SERVICE_ENVIRONMENTS_MAX),
        ("job_queues", facts.JOB_QUEUES_MAX),
    ):
        total = 0
        for index, stack in enumerate(stacks):
            own = len(getattr(stack, section))
            total += own
            if own <= most < total:
                noun = section.replace("_", " ")
                what = f"with this stack, account {stack.account} has {total} {noun} in {stack.region}"
                why = f"an account has at most {most} in a region, and the quota can't be raised"
                yield (index, section), what, why, "move a stack to another account or region"
                break
