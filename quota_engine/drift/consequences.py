"""What a difference means for the jobs, in one sentence without a full stop. Text only; nothing is decided here.

Amounts come from the two declarations' numbers (own limits, borrow allowances, what the others lend), never from a
schedule: who runs at this moment is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..model.durations import format_duration
from ..model.observation import Observation
from ..model.stack import (
    Capacity,
    JobQueue,
    Path,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    borrow_allowance,
)
from .changes import Value
from .normal import BORROW_LIMIT, ENVIRONMENT, IN_SHARE, POLICY, PRIORITY, STATE, STRATEGY, Resource


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a sentence may need beside the two values: both sides, and the queue a share or queue belongs to."""

    desired: Stack
    observation: Observation
    queue: JobQueue | None = None

    def live_shares(self) -> Mapping[str, QuotaShare]:
        return self.observation.shares_of(self.queue.name) if self.queue else {}

    def queues_on(self, environment: str) -> list[JobQueue]:
        return [queue for queue in self.desired.job_queues.values() if environment in queue.service_environments]


def of_change(
    desired: Resource, live: Resource | None, attribute: Path, before: Value, after: Value, around: Surroundings
) -> str:
    """Return the consequence of one attribute's live value `after` where `before` is declared."""
    head, last = attribute[0], str(attribute[-1])
    if head == "tags":
        return "none for the schedule; cost reports and access rules may read the tag"
    if head == "type":
        return f"{desired.name} is of a type that quota management does not know, so none of it works as declared"
    if isinstance(desired, QuotaShare) and isinstance(live, QuotaShare):
        if head == "capacity_limits":
            return _share_capacity(desired, live, last)
        return _share_attribute(desired, live, attribute, after, around)
    if isinstance(desired, ServiceEnvironment):
        if head == "capacity_limits":
            return _environment_capacity(desired, last, _count(before), _count(after), around)
        return _environment_state(desired, after, around)
    if isinstance(desired, JobQueue):
        return _queue_attribute(desired, attribute, before, after)
    return (
        f"{desired.name} is not a quota-share policy, so idle capacity is not lent under it; the kind of a policy "
        "can't be changed: delete it, then deploy again"
    )


def of_missing(desired: Resource, around: Surroundings) -> str:
    """Return the consequence of a declared resource that does not exist."""
    match desired:
        case QuotaShare():
            lost = f", and the other shares can't borrow its {amounts(desired.capacity_limits)}"
            return f"no job can be submitted to {desired.name}{lost if desired.strategy.can_lend else ''}"
        case JobQueue():
            return f"no job can be submitted to {desired.name}"
        case ServiceEnvironment():
            queues = listed(queue.name for queue in around.queues_on(desired.name)) or "any queue"
            return f"there is no capacity for the jobs of {queues}"
        case SchedulingPolicy():
            return "queues that are to use it can't be created"


def of_rename(renamed: QuotaShare | JobQueue) -> str:
    """Return the consequence of a name that the declaration has changed already."""
    old = renamed.renamed_from
    what = (
        f"{old} with its shares and the jobs in them" if isinstance(renamed, JobQueue) else f"{old} with the jobs in it"
    )
    return f"it still lives as {old}; a name can't be changed, so deploying deletes {what}, then creates {renamed.name}"


def of_unmanaged(share: QuotaShare, around: Surroundings) -> str:
    """Return what a share that nobody declared does to the declared ones."""
    own = amounts(share.capacity_limits)
    parts = [f"{share.name} lends up to {own}" if share.strategy.can_lend else f"{share.name} keeps {own} to itself"]
    if share.strategy.can_borrow:
        parts.append(f"may borrow {_allowances(share) or 'nothing'}")
    crowded = _crowding(around)
    return ", ".join(parts) + (f"; {crowded}" if crowded else "; nobody predicted its part in the borrowing pool")


def of_undeclared(resource: Resource) -> str:
    """Return what a queue, environment or policy that nobody declared means."""
    match resource:
        case JobQueue(quota_shares=shares) if shares:
            return f"jobs run through it in {listed(sorted(shares))}, which no declaration here predicts"
        case JobQueue():
            return "jobs run through it that no declaration here predicts"
        case ServiceEnvironment(capacity_limits=limits):
            return f"it holds {amounts(limits)} that no declaration here divides"
        case _:
            return "none for the declared queues"


def _crowding(around: Surroundings) -> str:
    """Name the units whose live own limits add up to more than the environment holds."""
    environments = around.observation.stack.service_environments
    environment = environments.get(around.queue.service_environment or "") if around.queue else None
    if environment is None:
        return ""
    totals = _totals(around.live_shares().values())
    over = [
        f"{totals[unit]} {unit} against the environment's {environment.capacity_limits[unit]}"
        for unit in sorted(totals)
        if unit in environment.capacity_limits and totals[unit] > environment.capacity_limits[unit]
    ]
    return f"the shares' own limits now add up to {listed(over)}, so not all can be honoured at once" if over else ""


def _totals(shares: Iterable[QuotaShare]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for share in shares:
        for unit, count in share.capacity_limits.items():
            totals[unit] = totals.get(unit, 0) + count
    return totals


def _share_capacity(desired: QuotaShare, live: QuotaShare, unit: str) -> str:
    name, before, after = live.name, desired.capacity_limits.get(unit, 0), live.capacity_limits.get(unit, 0)
    if after == 0:
        parts = [f"{name} has no {unit} of its own (declared {before}), so its jobs of that type can't run"]
    elif before == 0:
        parts = [f"{name} has {after} {unit} of its own that nobody declared"]
    else:
        parts = [f"{name} has {_compared(before, after, unit)} of its own"]
        parts += [f"its running jobs above {after} may be preempted"] if after < before else []
    may_borrow = _allowance(desired, unit), _allowance(live, unit)
    if after and before and None not in may_borrow and may_borrow[0] != may_borrow[1]:
        parts.append(f"it may borrow {may_borrow[1]} instead of {may_borrow[0]}")
    if live.strategy.can_lend:
        parts.append(f"the other shares can borrow up to {abs(after - before)} {'more' if after > before else 'fewer'}")
    return "; ".join(parts)


def _share_attribute(desired: QuotaShare, live: QuotaShare, attribute: Path, after: Value, around: Surroundings) -> str:
    name = live.name
    if attribute == STRATEGY:
        return _strategy(desired, live)
    if attribute == BORROW_LIMIT:
        return _borrow_limit(desired, live, around)
    if attribute == IN_SHARE:
        if after == "ENABLED":
            return f"a higher-priority job of {name} preempts lower-priority jobs of {name} instead of waiting"
        return f"a higher-priority job of {name} waits instead of preempting lower-priority jobs of {name}"
    return _takes_jobs(name, after)


def _takes_jobs(name: str, state: Value) -> str:
    if state == "DISABLED":
        return f"{name} takes no new jobs; those already submitted still run"
    return f"{name} takes new jobs although it is declared DISABLED"


def _strategy(desired: QuotaShare, live: QuotaShare) -> str:
    name, own = live.name, amounts(live.capacity_limits)
    parts = []
    if desired.strategy.can_borrow and not live.strategy.can_borrow:
        parts.append(f"{name} borrows nothing any more, and its running jobs above the own limit may be preempted")
    if live.strategy.can_borrow and not desired.strategy.can_borrow:
        parts.append(f"{name} may borrow {_allowances(live) or 'nothing'}, where none is declared")
    if desired.strategy.can_lend and not live.strategy.can_lend:
        parts.append(f"{name} keeps its idle capacity (up to {own}) instead of lending it")
    if live.strategy.can_lend and not desired.strategy.can_lend:
        parts.append(f"{name} lends its idle capacity (up to {own}) instead of keeping it")
    return "; ".join(parts)


def _borrow_limit(desired: QuotaShare, live: QuotaShare, around: Surroundings) -> str:
    name = live.name
    if not live.strategy.can_borrow:
        return f"{name} borrows nothing: the limit went with the strategy"
    if not desired.strategy.can_borrow:
        return f"{name} may borrow {_allowances(live) or 'nothing'}, where none is declared"
    parts = []
    for unit in sorted({*desired.capacity_limits, *live.capacity_limits}):
        before, after = _allowance(desired, unit), _allowance(live, unit)
        if before == after:
            continue
        if after is None:
            lent = sum(
                share.capacity_limits.get(unit, 0)
                for share in around.live_shares().values()
                if share.strategy.can_lend and share.name != name
            )
            parts.append(f"whatever the others lend, up to {lent} {unit} (unlimited; declared {before})")
        elif before is None:
            parts.append(f"{f'at most {after}' if after else 'no'} {unit} (declared unlimited)")
        else:
            parts.append(_compared(before, after, unit))
    if not parts:
        return f"none yet: {name} may borrow as many whole instances as declared"
    return f"{name} may borrow {listed(parts)}"


def _allowance(share: QuotaShare, unit: str) -> int | None:
    percent = share.effective_borrow_limit_percent
    own = share.capacity_limits.get(unit, 0)
    return borrow_allowance(own, percent) if percent is not None and own else 0


def _allowances(share: QuotaShare) -> str:
    """Say what a borrowing share may borrow, "" for nothing."""
    parts = []
    for unit in sorted(share.capacity_limits):
        allowance = _allowance(share, unit)
        if allowance is None:
            parts.append(f"{unit} without limit")
        elif allowance:
            parts.append(f"up to {allowance} {unit}")
    return listed(parts)


def _environment_capacity(desired: ServiceEnvironment, unit: str, before: int, after: int, around: Surroundings) -> str:
    queues = around.queues_on(desired.name)
    shares = [share for queue in queues for share in around.observation.shares_of(queue.name).values()]
    total = _totals(shares).get(unit, 0)
    if after == 0:
        return f"{desired.name} has no {unit} (declared {before}), so no job of that type can run"
    sentence = (
        f"{desired.name} has {after} {unit} that nobody declared"
        if before == 0
        else f"{desired.name} has {_compared(before, after, unit)}"
    )
    if after < total:
        sentence += f"; the shares' own limits add up to {total}, so not all can be honoured at once"
    elif after > total and after > before:
        shares_total = f"the shares' own limits add up to {total}" if total else "no share has a limit for it"
        sentence += f"; {shares_total}, so {'the rest' if total else 'it'} stays unused"
    return sentence


def _environment_state(desired: ServiceEnvironment, after: Value, around: Surroundings) -> str:
    queues = listed(queue.name for queue in around.queues_on(desired.name)) or "its queue"
    if after == "DISABLED":
        return f"no job of {queues} is placed any more; running jobs go on"
    return f"jobs of {queues} are placed although {desired.name} is declared DISABLED"


def _queue_attribute(queue: JobQueue, attribute: Path, before: Value, after: Value) -> str:
    name = queue.name
    if attribute == STATE:
        return _takes_jobs(name, after)
    if attribute == PRIORITY:
        return f"none for the schedule: no other queue shares {name}'s environment"
    if attribute == ENVIRONMENT:
        return f"the jobs of {name} run on the capacity of {_named(after)} instead of {_named(before)}"
    if attribute == POLICY:
        if after is None:
            return (
                f"{name} has no scheduling policy, so it is not quota-managed; a queue made without one can't get one "
                "later: delete it, then deploy again"
            )
        return f"{name} hands out idle capacity by {_named(after)} instead of {_named(before)}"
    return _time_limit(str(attribute[-1]), before, after)


def _time_limit(reason: str, before: Value, after: Value) -> str:
    stuck = f"a job stuck at the head of its share for {reason}"
    if not isinstance(after, Mapping):
        return f"{stuck} is never ended, and blocks the jobs behind it"
    if not isinstance(before, Mapping):
        return f"{stuck} is ended after {time_limit(after)}, which nobody declared"
    return f"{stuck} is ended after {time_limit(after)} instead of {time_limit(before)}"


def time_limit(action: Mapping[str, object]) -> str:
    """Return how long a time-limit action waits, as a declaration writes it."""
    return format_duration(int(str(action["max_time_seconds"])) * 1000)


def _named(value: Value) -> str:
    if value is None:
        return "nothing"
    return listed(value) if isinstance(value, tuple) else str(value)


def _count(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _compared(before: int, after: int, unit: str) -> str:
    direction = "more" if after > before else "fewer"
    return f"{abs(after - before)} {direction} {unit} than declared ({after} instead of {before})"


def amounts(capacity: Capacity) -> str:
    """Return {unit: instances} as words, e.g. "2 ml.g5.xlarge and 1 ml.p5.48xlarge"."""
    return listed(f"{capacity[unit]} {unit}" for unit in sorted(capacity))


def listed(parts: Iterable[str]) -> str:
    """Join with commas and a final "and"."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last
