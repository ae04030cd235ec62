"""Rules across resources about what is legal but hardly meant: amounts that don't add up, loans that can't happen.

But for the local ones they need the whole stack: with values missing they would judge something that nobody declared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..model import service_facts as facts
from ..model.diagnostic import KEY, Severity
from ..model.stack import (
    UNLIMITED,
    JobQueue,
    Path,
    QuotaShare,
    ServiceEnvironment,
    Stack,
    Strategy,
    borrow_allowance,
)
from .names import label
from .registry import Fault, rule

_STUCK = "AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration"
_SHARES = "AWS Batch User Guide, Quota shares"


def _pairs(stack: Stack) -> Iterator[tuple[JobQueue, ServiceEnvironment]]:
    """Yield each queue with its environment, where that is declared and counts instance types."""
    for queue in stack.job_queues.values():
        environment = stack.service_environments.get(queue.service_environment or "")
        if environment is not None and facts.NUM_INSTANCES not in environment.capacity_limits:
            yield queue, environment


def _share_path(queue: JobQueue, share: QuotaShare, *below: str) -> Path:
    return ("job_queues", queue.name, "quota_shares", share.name, *below)


def _limit_path(environment: ServiceEnvironment, unit: str) -> Path:
    return ("service_environments", environment.name, "capacity_limits", unit)


def _total(queue: JobQueue, unit: str) -> int:
    """Return the sum of the shares' own limits for a unit."""
    return sum(share.capacity_limits.get(unit, 0) for share in queue.quota_shares.values())


def _borrowers(stack: Stack) -> Iterator[tuple[JobQueue, QuotaShare, dict[str, int]]]:
    """Yield each share that borrows, with what the others could lend of each of its types at most."""
    for queue in stack.job_queues.values():
        lendable: Counter[str] = Counter()
        for share in queue.quota_shares.values():
            if share.strategy.can_lend:
                lendable.update(share.capacity_limits)
        for share in queue.quota_shares.values():
            if share.strategy.can_borrow:
                yield queue, share, {unit: lendable[unit] - own for unit, own in share.capacity_limits.items()}


@rule("QE420", "unit-not-in-environment", Severity.WARNING, scopes=("stack",), source=_STUCK, is_local=True)
def unit_not_in_environment(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A share's instance types are among those of its queue's service environment.

    Why it is wrong
      The environment has none of the type, so a job that asks for it never runs and blocks its share.

    Example
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 8}}}
      quota_shares: {QS1: {capacity_limits: {ml.p5.48xlarge: 1}}}

    Use instead
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 1}}}
    """
    for queue, environment in _pairs(stack):
        for share in queue.quota_shares.values():
            for unit in share.capacity_limits:
                if unit not in environment.capacity_limits and unit != facts.NUM_INSTANCES:
                    what = f"{label(share)} has {unit}, which {label(environment)} has none of"
                    why = "jobs of this share that ask for it can never run"
                    fix = f"remove it, or give {label(environment)} a limit for {unit}"
                    yield _share_path(queue, share, "capacity_limits", unit, KEY), what, why, fix


@rule("QE421", "share-exceeds-environment", Severity.WARNING, scopes=("stack",), source=_STUCK, is_local=True)
def share_exceeds_environment(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A share's own limit is no larger than its environment's.

    Why it is wrong
      The share can never use all that it calls its own.

    Example
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 2}}}
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 3}}}

    Use instead
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 2}}}
    """
    for queue, environment in _pairs(stack):
        for share in queue.quota_shares.values():
            for unit, count in share.capacity_limits.items():
                there = environment.capacity_limits.get(unit)
                if there is not None and count > there:
                    what = f"{label(share)} owns {count} {unit}, and {label(environment)} has only {there}"
                    why = "the environment is a wall that no share can pass"
                    yield _share_path(queue, share, "capacity_limits", unit), what, why, f"write at most {there}"


@rule(
    "QE422", "shares-exceed-environment", Severity.WARNING, scopes=("stack",), source="UpdateServiceEnvironment; A-08"
)
def shares_exceed_environment(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The shares' own limits add up to no more than the environment has.

    Why it is wrong
      Not all of them can be honoured at once: a share may wait for capacity of its own, and preemption can't help,
      as it takes only what others use beyond their limits.

    Example
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 2}}}
      quota_shares:
        QS1: {capacity_limits: {ml.g5.xlarge: 2}}
        QS2: {capacity_limits: {ml.g5.xlarge: 1}}

    Use instead
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 3}}}
    """
    for queue, environment in _pairs(stack):
        for unit, there in environment.capacity_limits.items():
            total = _total(queue, unit)
            largest = max((share.capacity_limits.get(unit, 0) for share in queue.quota_shares.values()), default=0)
            if total > there and largest <= there:
                what = f"the shares of {label(queue)} own {total} {unit}, and {label(environment)} has only {there}"
                why = "not all of them can be honoured at once, and preemption can't help"
                fix = f"raise {unit} to {total}, or lower the shares by {total - there}"
                yield _limit_path(environment, unit), what, why, fix


@rule("QE423", "capacity-without-share", Severity.WARNING, scopes=("stack",), source=f"{_SHARES}; A-06")
def capacity_without_share(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The shares' own limits add up to all that the environment has of each type that any share uses.

    Why it is wrong
      What no share owns is no share's to use or to lend: it lies idle.

    Example
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 4}}}
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 3}}}

    Use instead
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 4}}}
    """
    for queue, environment in _pairs(stack):
        for unit, there in environment.capacity_limits.items():
            total = _total(queue, unit)
            if 0 < total < there:
                what = f"{label(environment)} has {there} {unit}, and the shares of {label(queue)} own only {total}"
                why = f"{there - total} of them are no share's to use or to lend"
                fix = f"lower {unit} to {total}, or give the rest to a share with LEND"
                yield _limit_path(environment, unit), what, why, fix


@rule("QE424", "unit-without-share", Severity.WARNING, scopes=("stack",), source=_SHARES)
def unit_without_share(stack: Stack) -> Iterator[Fault]:
    """What it checks
      Every instance type of an environment is in some share.

    Why it is wrong
      Nobody can use it.

    Example
      service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 2, ml.p5.48xlarge: 1}}}
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 2}}}

    Use instead
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 2, ml.p5.48xlarge: 1}}}
    """
    for queue, environment in _pairs(stack):
        for unit in environment.capacity_limits:
            if queue.quota_shares and _total(queue, unit) == 0:
                what = f"no share of {label(queue)} has {unit}, which {label(environment)} has"
                yield (
                    (*_limit_path(environment, unit), KEY),
                    what,
                    "nobody can use it",
                    f"give a share {unit}, or remove it",
                )


@rule("QE425", "nothing-to-borrow", Severity.WARNING, scopes=("stack",), source=_SHARES)
def nothing_to_borrow(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A share with LEND_AND_BORROW has another share that lends one of its types.

    Why it is wrong
      There is nobody to borrow from: it behaves like LEND.

    Example
      quota_shares:
        QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND_AND_BORROW}}
        QS2: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: RESERVE}}

    Use instead
      quota_shares:
        QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND_AND_BORROW}}
        QS2: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND}}
    """
    for queue, share, lendable in _borrowers(stack):
        if share.borrow_limit_percent != 0 and not any(lendable.values()):
            what = f"{label(share)} may borrow, but no other share lends any of its instance types"
            path = _share_path(queue, share, "resource_sharing", "strategy")
            yield path, what, "there is nothing to borrow", "let another share LEND, or choose LEND here"


@rule(
    "QE426",
    "borrows-nothing",
    Severity.WARNING,
    scopes=("stack",),
    source="Batch API Reference, QuotaShareResourceSharingConfiguration; A-01",
    is_local=True,
)
def borrows_nothing(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A borrow limit allows at least one whole instance of every type.

    Why it is wrong
      It is a percentage of the own limit, rounded down: 50 percent of one instance is none.

    Example
      capacity_limits: {ml.g5.xlarge: 1}
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 50}

    Use instead
      capacity_limits: {ml.g5.xlarge: 1}
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 100}
    """
    for queue, share, _ in _borrowers(stack):
        percent = share.borrow_limit_percent
        if percent is None or percent == UNLIMITED:
            continue
        none = [unit for unit, count in share.capacity_limits.items() if borrow_allowance(count, percent) == 0]
        if none:
            what = (
                f"{label(share)} may borrow {percent} percent of its own limits, which is no whole {' or '.join(none)}"
            )
            enough = max(-(-100 // max(1, share.capacity_limits[unit])) for unit in none)
            fix = f"write at least {enough}, or choose {Strategy.LEND}"
            yield _share_path(queue, share, "resource_sharing", "borrow_limit"), what, "it borrows nothing there", fix


@rule("QE427", "borrow-limit-exceeds-lendable", Severity.NOTE, scopes=("stack",), source=_STUCK)
def borrow_limit_exceeds_lendable(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A borrow limit is within what the other shares can lend.

    Why it is wrong
      It isn't: the loan just ends where the others have no more to lend, so the number promises more than there is.

    Example
      QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 200}}
      QS2: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND}}

    Use instead
      QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 100}}
      QS2: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND}}
    """
    for queue, share, lendable in _borrowers(stack):
        percent = share.borrow_limit_percent
        if percent is None:
            continue
        for unit, count in share.capacity_limits.items():
            allowed = borrow_allowance(count, percent)
            there = lendable[unit]
            if allowed is not None and 0 < there < allowed:
                what = f"{label(share)} may borrow {allowed} {unit}, but the others lend {there} at most"
                path = _share_path(queue, share, "resource_sharing", "borrow_limit")
                yield path, what, "the loan ends there, whatever the limit", "nothing, if that is meant"


@rule(
    "QE428", "queue-without-shares", Severity.WARNING, scopes=("stack",), source="Batch API Reference, SubmitServiceJob"
)
def queue_without_shares(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A queue has at least one quota share.

    Why it is wrong
      A job names the share it is submitted to; without one there is nothing to submit to.

    Example
      job_queues: {training: {service_environment: gpu, scheduling_policy: quota-fifo}}

    Use instead
      job_queues: {training: {service_environment: gpu, scheduling_policy: quota-fifo, quota_shares: {QS1: {}}}}
    """
    for queue in stack.job_queues.values():
        if not queue.quota_shares:
            what = f"{label(queue)} has no quota shares"
            yield ("job_queues", queue.name, KEY), what, "no job can be submitted to it", "declare a share"


@rule("QE429", "nobody-to-lend-to", Severity.WARNING, scopes=("stack",), source=_SHARES)
def nobody_to_lend_to(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A queue's only share does not lend.

    Why it is wrong
      There is no other share that could borrow.

    Example
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND}}}

    Use instead
      quota_shares: {QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: RESERVE}}}
    """
    for queue in stack.job_queues.values():
        shares = list(queue.quota_shares.values())
        if len(shares) == 1 and shares[0].strategy is Strategy.LEND:
            what = f"{label(shares[0])} lends, but it is the only share of {label(queue)}"
            path = _share_path(queue, shares[0], "resource_sharing", "strategy")
            yield path, what, "there is nobody to lend to", f"choose {Strategy.RESERVE}, or declare another share"


@rule(
    "QE430",
    "no-time-limit-action",
    Severity.WARNING,
    scopes=("stack",),
    source="AWS Batch User Guide, Jobs stuck in a RUNNABLE status",
)
def no_time_limit_action(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A queue with shares ends jobs that are blocked by a misconfiguration, by both MISCONFIGURATION reasons.

    Why it is wrong
      A job that can never run stays at the head of its share, and all jobs behind it wait for ever.

    Example
      training: {service_environment: gpu, scheduling_policy: quota-fifo}

    Use instead
      training:
        service_environment: gpu
        scheduling_policy: quota-fifo
        job_state_time_limit_actions:
          - {reason: "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", max_time: 1h}
          - {reason: "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE", max_time: 1h}
    """
    wanted = (facts.QUOTA_LIMIT_EXCEEDED, facts.SERVICE_ENVIRONMENT_MAX_RESOURCE)
    for queue in stack.job_queues.values():
        stated = {action.reason for action in queue.time_limit_actions}
        missing = [reason for reason in wanted if reason not in stated]
        if missing and queue.quota_shares:
            what = f"{label(queue)} does not end jobs that are blocked by {' or '.join(missing)}"
            why = "one job that can never run holds up its share for ever"
            path: Path = ("job_queues", queue.name, *(("job_state_time_limit_actions",) if stated else (KEY,)))
            entries = " and ".join(f'{{reason: "{reason}", max_time: 1h}}' for reason in missing)
            yield path, what, why, f"add to its job_state_time_limit_actions: {entries}"
