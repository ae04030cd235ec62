"""Rules across resources that the service is known to refuse: what must exist, and what must not be shared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from ..model import service_facts as facts
from ..model.diagnostic import Severity
from ..model.stack import JobQueue, Path, Stack
from .names import label
from .registry import Fault, rule

_GUIDE = "AWS Batch User Guide, Create quota management resources"


_CHOICES_MAX = 1000
"""Names among which a similar one is looked for; an account has room for far fewer."""

_LENGTH_MAX = 200
"""Letters of a name for which a similar one is looked for; the service allows 128."""


def _queue_path(queue: JobQueue, *below: str) -> Path:
    return ("job_queues", queue.name, *below)


def suggest(name: str, known: Mapping[str, object]) -> str:
    """Return what to do about a name that nothing has."""
    if len(known) > _CHOICES_MAX or len(name) > _LENGTH_MAX:
        return "name one that is declared"
    match = get_close_matches(name, sorted(known), n=1)
    if match:
        return f"did you mean '{match[0]}'?"
    return f"declare it, or name one of {', '.join(sorted(known))}" if known else "declare it"


@rule(
    "QE401",
    "unknown-service-environment",
    Severity.ERROR,
    scopes=("stack",),
    source="the service's own refusal, as recorded by others",
    reads=("service_environments",),
)
def unknown_service_environment(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A queue's service environment is declared.

    Why it is wrong
      AWS Batch refuses a queue whose environment doesn't exist.

    Example
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 1}}}
      job_queues: {training: {service_environment: gpus, scheduling_policy: quota-fifo}}

    Use instead
      job_queues: {training: {service_environment: gpu, scheduling_policy: quota-fifo}}
    """
    for queue in stack.job_queues.values():
        for name in queue.service_environments:
            if name not in stack.service_environments:
                what = f"{label(queue)} names the service environment '{name}', which is not declared"
                why = "an environment exists before the queue that uses it"
                yield _queue_path(queue, "service_environment"), what, why, suggest(name, stack.service_environments)


@rule(
    "QE402",
    "shared-service-environment",
    Severity.ERROR,
    scopes=("stack",),
    source=f"AWS Batch User Guide, AWS Batch service quotas; {_GUIDE}",
)
def shared_service_environment(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A service environment serves one queue.

    Why it is wrong
      A quota-managed environment can't serve two: their shares would count the same instances twice.

    Example
      job_queues:
        training: {service_environment: gpu, scheduling_policy: quota-fifo}
        research: {service_environment: gpu, scheduling_policy: quota-fifo}

    Use instead
      job_queues:
        training: {service_environment: gpu-training, scheduling_policy: quota-fifo}
        research: {service_environment: gpu-research, scheduling_policy: quota-fifo}
    """
    user: dict[str, JobQueue] = {}
    for queue in stack.job_queues.values():
        for name in queue.service_environments:
            if name in user:
                what = f"{label(queue)} uses the service environment '{name}', which serves {label(user[name])} already"
                why = "a quota-managed service environment serves one queue"
                fix = "declare another environment for one of the queues"
                yield _queue_path(queue, "service_environment"), what, why, fix
            user.setdefault(name, queue)


@rule(
    "QE403",
    "environment-in-num-instances",
    Severity.ERROR,
    scopes=("stack",),
    source=f"{_GUIDE}; Batch API Reference, CapacityLimit",
)
def environment_in_num_instances(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The service environment behind a queue counts instance types.

    Why it is wrong
      Quota management needs limits per instance type; NUM_INSTANCES counts all types together.

    Example
      service_environments: {gpu: {capacity_limits: {NUM_INSTANCES: 8}}}

    Use instead
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 8}}}
    """
    for queue in stack.job_queues.values():
        for name in queue.service_environments:
            environment = stack.service_environments.get(name)
            if environment and tuple(environment.capacity_limits) == (facts.NUM_INSTANCES,):
                what = f"{label(environment)}, which serves {label(queue)}, counts {facts.NUM_INSTANCES}"
                path = ("service_environments", name, "capacity_limits", facts.NUM_INSTANCES, "@key")
                yield path, what, "quota management counts instances of each type", "name instance types"


@rule(
    "QE404",
    "unknown-scheduling-policy",
    Severity.ERROR,
    scopes=("stack",),
    source="the service's own refusal, as recorded by others",
    reads=("scheduling_policies",),
)
def unknown_scheduling_policy(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A queue's scheduling policy is declared.

    Why it is wrong
      AWS Batch refuses a queue whose policy doesn't exist.

    Example
      scheduling_policies: {quota-fifo: {}}
      job_queues: {training: {service_environment: gpu, scheduling_policy: fifo}}

    Use instead
      job_queues: {training: {service_environment: gpu, scheduling_policy: quota-fifo}}
    """
    for queue in stack.job_queues.values():
        name = queue.scheduling_policy
        if name is not None and name not in stack.scheduling_policies:
            what = f"{label(queue)} names the scheduling policy '{name}', which is not declared"
            why = "a policy exists before the queue that follows it"
            yield _queue_path(queue, "scheduling_policy"), what, why, suggest(name, stack.scheduling_policies)


@rule(
    "QE405",
    "too-many-resources",
    Severity.ERROR,
    scopes=("stack",),
    source="AWS Batch User Guide, AWS Batch service quotas",
)
def too_many_resources(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A stack has at most 50 service environments and 50 job queues.

    Why it is wrong
      An account has room for no more in a region, and the quotas can't be raised.

    Example
      a stack with 51 job queues

    Use instead
      two stacks in two accounts or regions
    """
    counted = (
        ("service_environments", len(stack.service_environments), facts.SERVICE_ENVIRONMENTS_MAX),
        ("job_queues", len(stack.job_queues), facts.JOB_QUEUES_MAX),
    )
    for section, count, most in counted:
        if count > most:
            what = f"the stack has {count} {section.replace('_', ' ')}, {most} at most are allowed"
            yield (section,), what, "an account has no more in a region", "divide the stack"


@rule(
    "QE406",
    "renamed-from-existing-share",
    Severity.ERROR,
    scopes=("stack",),
    source="Pulumi documentation, resource option aliases",
)
def renamed_from_existing_share(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A share's former name is no other share's name now, and no two shares had the same one.

    Why it is wrong
      One resource can't become two.

    Example
      quota_shares:
        QS1: {capacity_limits: {ml.g5.xlarge: 1}}
        QS2: {capacity_limits: {ml.g5.xlarge: 1}, renamed_from: QS1}

    Use instead
      quota_shares:
        QS2: {capacity_limits: {ml.g5.xlarge: 1}, renamed_from: QS1}
    """
    for queue in stack.job_queues.values():
        former: dict[str, str] = {}
        for share in queue.quota_shares.values():
            name = share.renamed_from
            if name is None or name == share.name:
                continue
            path = _queue_path(queue, "quota_shares", share.name, "renamed_from")
            other = name if name in queue.quota_shares else former.get(name)
            if other is not None:
                what = f"{label(share)} was renamed from '{name}', which is also where quota share '{other}' comes from"
                yield path, what, "one share can't become two", "remove one of them, or renamed_from"
            former.setdefault(name, share.name)


@rule(
    "QE407",
    "renamed-from-existing-queue",
    Severity.ERROR,
    scopes=("stack",),
    source="Pulumi documentation, resource option aliases",
)
def renamed_from_existing_queue(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A queue's former name is no queue's name now, and no two queues had the same one.

    Why it is wrong
      One resource can't become two.

    Example
      job_queues:
        training: {service_environment: gpu, scheduling_policy: quota-fifo}
        research: {service_environment: gpu-2, scheduling_policy: quota-fifo, renamed_from: training}

    Use instead
      job_queues:
        research: {service_environment: gpu, scheduling_policy: quota-fifo, renamed_from: training}
    """
    former: dict[str, str] = {}
    for queue in stack.job_queues.values():
        name = queue.renamed_from
        if name is None:
            continue
        other = name if name in stack.job_queues else former.get(name)
        if other is not None:
            what = f"{label(queue)} was renamed from '{name}', which is also where job queue '{other}' comes from"
            fix = "remove one of them, or renamed_from"
            yield _queue_path(queue, "renamed_from"), what, "one queue can't become two", fix
        former.setdefault(name, queue.name)
