"""Why a job waits: what is ahead of it, which limit binds, what would have to end, and what would start it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..model.service_facts import JOB_PRIORITY_MAX
from ..model.stack import UNLIMITED, State, Strategy
from ..scheduler.blocked import misconfiguration
from ..scheduler.inputs import PutEnvironment, PutShare
from ..scheduler.restore import Situation
from ..scheduler.state import JobRecord, SchedulerState, ShareState
from .result import Would
from .trial import Names, Outcome, attempt, dispatched, with_priority, without

ENDINGS_MAX = 5
"""How many running jobs are named whose end would start a job."""
NAMED_MAX = 3
TRIED_MAX = 200
"""How many running jobs are tried, latest started first: each trial costs a look at the whole queue."""


def reasons(state: SchedulerState, record: JobRecord, names: Names) -> list[str]:
    """Return why a job that the pass did not start waits, the binding reason last."""
    share = record.share
    line = share.in_order()
    ahead = line[: line.index(record)] if record in line else []
    found: list[str] = []
    if ahead:
        found.append(
            f"{_counted(len(ahead))} of {share.name} {'is' if len(ahead) == 1 else 'are'} ahead of it: "
            f"{_listed([_described(one, names) for one in ahead])}"
        )
        if not state.assumptions.backfill:
            found.append("a job behind the first of its share waits, even where it would fit (A-10)")
        record = ahead[0]
    return [*found, *_reasons_of_head(state, record, names, is_self=not ahead)]


def _reasons_of_head(state: SchedulerState, record: JobRecord, names: Names, *, is_self: bool) -> list[str]:
    share = record.share
    who = "it" if is_self else names.get(record.key, record.key)
    stuck = misconfiguration(state, share, record.need)
    if stuck:
        return [f"{who} can never run as things are set: {stuck}"]
    if not state.is_placing:
        return ["the service environment is DISABLED, so nothing is placed"]
    if record.capacity_blocked:
        return [f"{who} was sent back by SageMaker and is tried again later: {record.status_reason}"]
    units = [(unit, state.ledger.unit_names[unit], count) for unit, count in record.need.pairs]
    found = [_own_limit(share, who, unit, name, count) for unit, name, count in units]
    if share.fits_own(record.need.pairs):
        found += [_room(state, unit, name) for unit, name, count in units]
        found.append("no job of a share above its own limit can be stopped that would make enough room")
    else:
        found += [line for unit, name, count in units for line in _borrowing(state, share, unit, name, count)]
        found.append(_in_share(share, record, names))
    return found


def _own_limit(share: ShareState, who: str, unit: int, name: str, count: int) -> str:
    return f"{who} needs {count} {name}; {share.name} uses {share.use[unit]} of its own {share.cap[unit]}"


def _room(state: SchedulerState, unit: int, name: str) -> str:
    ledger = state.ledger
    return (
        f"the service environment has {ledger.limit[unit]} {name}: {ledger.committed[unit]} in use, "
        f"{ledger.reserved[unit]} kept for shares that don't lend"
    )


def _borrowing(state: SchedulerState, share: ShareState, unit: int, name: str, count: int) -> Iterator[str]:
    """Say which bound keeps a head from borrowing."""
    ledger = state.ledger
    beyond = share.use[unit] + count - share.cap[unit]
    if beyond <= 0:
        return
    if not share.borrows:
        yield f"{share.name} is {share.settings.strategy.value}, so it borrows nothing"
        return
    if share.use[unit] + count > share.max_use[unit]:
        yield (
            f"its borrow limit lets {share.name} use {share.max_use[unit]} {name} at most, "
            f"and it would use {share.use[unit] + count}"
        )
    idle = sum(other.idle(unit) for other in state.shares.values() if other.lends and other is not share)
    lent = sum(other.over(unit) for other in state.shares.values())
    free = max(0, idle - lent)
    needed = min(beyond, count)
    if free < needed:
        yield f"it would have to borrow {needed} {name}, but {free} of what others lend is idle"
    room = ledger.limit[unit] - ledger.committed[unit]
    if room < count:
        yield f"the service environment has {max(0, room)} of {ledger.limit[unit]} {name} free"
    elif free >= needed and ledger.reserved[unit] > room - count:
        yield f"{ledger.reserved[unit]} {name} of the environment's free {room} are kept for shares that don't lend"


def _in_share(share: ShareState, record: JobRecord, names: Names) -> str:
    if not share.has_in_share:
        return f"in-share preemption is DISABLED in {share.name}"
    lower = [one for one in share.running.values() if one.priority < record.priority]
    if not lower:
        return f"no running job of {share.name} has a priority below its {record.priority}"
    return f"the running jobs of {share.name} with a lower priority don't make enough room"


def _described(record: JobRecord, names: Names) -> str:
    return f"{names.get(record.key, record.key)} (priority {record.priority})"


def _listed(items: list[str]) -> str:
    rest = len(items) - NAMED_MAX
    shown = items[:NAMED_MAX] if rest > 0 else items
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _counted(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"


# What would start it. Each is tried.


def woulds(situation: Situation, job: str, names: Names) -> list[Would]:
    """Return the changes that start the job at once, smallest first: an end, a priority, a setting."""
    return [*_endings(situation, job, names), *_priorities(situation, job, names), *_settings(situation, job, names)]


def _endings(situation: Situation, job: str, names: Names) -> Iterator[Would]:
    """Try the end of each running job alone; where none suffices, of more and more of them."""
    holding = dispatched(situation)[:TRIED_MAX]
    alone = [one.job.name for one in holding if attempt(without(situation, [one.job.name])).starts(job)]
    for name in alone[:ENDINGS_MAX]:
        yield Would(f"{names.get(name, name)} ends", "it starts")
    if len(alone) > ENDINGS_MAX:
        yield Would(f"any of {len(alone) - ENDINGS_MAX} more running jobs ends", "it starts")
    if alone:
        return
    gone: list[str] = []
    for one in holding:
        gone.append(one.job.name)
        if attempt(without(situation, gone)).starts(job):
            needed = _needed(situation, gone, job)
            yield Would(f"{_listed([names.get(name, name) for name in needed])} end", "it starts")
            return


def _needed(situation: Situation, gone: list[str], job: str) -> list[str]:
    """Drop each job whose end is not needed."""
    needed = list(gone)
    for name in gone:
        fewer = [one for one in needed if one != name]
        if attempt(without(situation, fewer)).starts(job):
            needed = fewer
    return needed


def _priorities(situation: Situation, job: str, names: Names) -> Iterator[Would]:
    """Try the priorities just above those of its share's other jobs; the lowest that starts it is told."""
    one = next(standing for standing in situation.jobs if standing.job.name == job)
    others = {standing.job.priority for standing in situation.jobs if standing.job.share == one.job.share}
    for priority in sorted({other + 1 for other in others if other + 1 > one.job.priority}):
        if priority > JOB_PRIORITY_MAX:
            return
        outcome = attempt(with_priority(situation, job, priority))
        if outcome.starts(job):
            yield Would(f"its priority were {priority} (now {one.job.priority})", _effect(outcome, job, names))
            return


def _settings(situation: Situation, job: str, names: Names) -> Iterator[Would]:
    """Try one edit of its share, or of the environment, at a time."""
    one = next(standing for standing in situation.jobs if standing.job.name == job)
    share = situation.queue.quota_shares[one.job.share]
    edits: list[tuple[str, PutShare | PutEnvironment]] = []
    if share.in_share_preemption is State.DISABLED:
        edits.append(
            (f"{share.name} had in-share preemption", PutShare(replace(share, in_share_preemption=State.ENABLED)))
        )
    if not share.strategy.can_borrow:
        borrowing = replace(share, strategy=Strategy.LEND_AND_BORROW, borrow_limit_percent=UNLIMITED)
        edits.append((f"{share.name} were LEND_AND_BORROW without limit", PutShare(borrowing)))
    elif share.effective_borrow_limit_percent != UNLIMITED:
        edits.append(
            (f"{share.name}'s borrow limit were lifted", PutShare(replace(share, borrow_limit_percent=UNLIMITED)))
        )
    raised = {unit: share.capacity_limits.get(unit, 0) + count for unit, count in one.job.need.items()}
    shown = ", ".join(f"{count} {unit}" for unit, count in sorted(raised.items()))
    edits.append(
        (
            f"{share.name}'s own limit were {shown}",
            PutShare(replace(share, capacity_limits={**share.capacity_limits, **raised})),
        )
    )
    environment = situation.environment
    if environment.state is State.DISABLED:
        edits.append(
            ("the service environment were ENABLED", PutEnvironment(replace(environment, state=State.ENABLED)))
        )
    for change, edit in edits:
        outcome = attempt(situation, [edit])
        if outcome.starts(job):
            yield Would(change, _effect(outcome, job, names))


def _effect(outcome: Outcome, job: str, names: Names) -> str:
    borrowed = outcome.borrowed_by(job)
    amount = ", ".join(f"{count} {unit}" for unit, count in sorted(borrowed.items()))
    borrowing = f", borrowing {amount}" if amount else ""
    victims = [names.get(victim, victim) for victim in outcome.victims]
    preempting = f", preempting {_listed(victims)}" if victims else ""
    return f"it would start at once{borrowing}{preempting}"
