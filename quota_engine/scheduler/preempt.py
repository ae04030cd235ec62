"""Whom to stop so that a head can run: the search for victims, greedy in victim order, then pruned.

It chooses and changes nothing. Candidates come from lists per share and unit that are kept only for shares in which
victims have been looked for, so that a queue without preemption pays nothing for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .ledger import Trial
from .life import index_victim
from .state import Candidates, JobRecord, SchedulerState, ShareState, VictimEntry, put_candidate

Source = tuple[ShareState, int, Candidates]
"""A share above its limit in a unit, that unit, and the share's candidates that use it."""


class _Search:
    """Hands out candidates in victim order; `restore` puts back what was not made a victim."""

    __slots__ = ("passed", "popped")

    def __init__(self) -> None:
        self.passed: dict[JobRecord, None] = {}
        self.popped: list[tuple[Candidates, VictimEntry]] = []

    def best(self, sources: Iterable[Candidates]) -> JobRecord | None:
        """Return the first candidate by victim order among those of some lists, and pass on from it."""
        found: VictimEntry | None = None
        passed = self.passed
        for candidates in sources:
            while candidates:
                entry = candidates[-1]
                record = entry[2]
                if record.entry_number != entry[1]:
                    candidates.pop()
                elif record in passed:
                    self.popped.append((candidates, candidates.pop()))
                else:
                    if found is None or entry[0] > found[0]:
                        found = entry
                    break
        if found is None:
            return None
        passed[found[2]] = None
        return found[2]

    def restore(self, victims: list[JobRecord] | None) -> None:
        chosen = victims or ()
        for candidates, entry in reversed(self.popped):
            if entry[2] not in chosen:
                put_candidate(candidates, entry)


def _all_candidates(state: SchedulerState, share: ShareState) -> dict[int, Candidates]:
    """Return a share's candidates per unit, taken from its dispatched jobs when they are first asked for."""
    share.victims = {}
    for record in share.running.values():
        if record.stopping is None:
            index_victim(state, record)
    return share.victims


def _candidates(state: SchedulerState, share: ShareState, unit: int) -> Candidates:
    """Return a share's candidates that use a unit."""
    victims = share.victims if share.victims is not None else _all_candidates(state, share)
    return victims.get(unit) or []


def has_lower(state: SchedulerState, share: ShareState, head: JobRecord) -> bool:
    """Whether the head's share may have a candidate of lower priority: a quick look before a search.

    A no is remembered in `has_no_lower` until the share is touched.
    """
    if not state.victims_by_priority_first:
        return True
    victims = share.victims if share.victims is not None else _all_candidates(state, share)
    for unit, _ in head.need.pairs:
        candidates = victims.get(unit)
        while candidates:
            _, number, record = candidates[-1]
            if record.entry_number == number:
                if record.priority < head.priority:
                    return True
                break
            candidates.pop()
    share.has_no_lower = True
    return False


def _over(state: SchedulerState, record: JobRecord) -> list[Source]:
    """Return the other shares that are above their limit, once per unit that a head needs."""
    own = record.share
    return [
        (share, unit, _candidates(state, share, unit))
        for unit, _ in record.need.pairs
        for share in state.shares.values()
        if share.use[unit] > share.cap[unit] and share is not own
    ]


def _still_over(trial: Trial, over: list[Source], share: ShareState) -> list[Source]:
    """Leave out a share, the last victim's, where it is no longer above its limit with the victims gone."""
    return [source for source in over if source[0] is not share or trial.over_after(share, source[1]) > 0]


def _lacked(over: list[Source], lacking: list[int]) -> list[Candidates]:
    """Return the candidates that use a unit that lacks."""
    return [candidates for _, unit, candidates in over if unit in lacking]


def cross_victims(state: SchedulerState, record: JobRecord) -> list[JobRecord] | None:
    """Return whom to stop in other shares for a head that fits its own limit; None when the room can't be made.

    While the head lacks room in some unit, the best candidate of the shares above their limit in such a unit is added.
    """
    trial = Trial(state.ledger, record.share, record.need.pairs)
    search = _Search()
    over = _over(state, record)
    victims: list[JobRecord] = []
    while lacking := trial.lacking():
        if victims:
            over = _still_over(trial, over, victims[-1].share)
        victim = search.best(_lacked(over, lacking))
        if victim is None:
            break
        victims.append(victim)
        trial.remove(victim.share, victim.need.pairs)
    found = _pruned_by_lack(trial, victims) if trial.has_room() else None
    search.restore(found)
    return found


def _pruned_by_lack(trial: Trial, victims: list[JobRecord]) -> list[JobRecord]:
    """Drop, from the last added to the first, each victim without whom the lack is no worse.

    One alone is never needless: there was a lack before it was added, and it made the room.
    """
    if len(victims) == 1:
        return victims
    lacks = trial.lacks()
    kept = []
    for victim in reversed(victims):
        trial.remove(victim.share, victim.need.pairs, -1)
        if any(trial.lack(unit) > lack for unit, lack in lacks.items()):
            trial.remove(victim.share, victim.need.pairs)
            kept.append(victim)
    kept.reverse()
    return kept


def straddle_victims(state: SchedulerState, record: JobRecord) -> list[JobRecord] | None:
    """Return whom to stop so that a head takes back its own idle part and borrows the rest (A-04, not the default).

    Only what is short because its own part is lent out may be taken back, so None when more than that is missing. Of
    two straddling jobs the earlier keeps its room, and none takes back in the instant in which it started: they would
    swap for ever.
    """
    share, ledger = record.share, state.ledger
    if record.scheduled_ms == state.now_ms or not share.borrows:
        return None
    if not any(share.idle(unit) for unit, _ in record.need.pairs):
        return None
    trial = Trial(ledger, share, record.need.pairs)
    if any(_borrow_lack(trial, unit) > share.idle(unit) for unit, _ in trial.pairs):
        return None
    search = _Search()
    over = _over(state, record)
    victims: list[JobRecord] = []
    while lacking := [unit for unit, _ in trial.pairs if _borrow_lack(trial, unit) > 0]:
        if victims:
            over = _still_over(trial, over, victims[-1].share)
        victim = search.best(_lacked(over, lacking))
        if victim is None:
            break
        if victim.seq < record.seq and _straddles(victim):
            continue
        victims.append(victim)
        trial.remove(victim.share, victim.need.pairs)
    found = _pruned_by_goal(trial, victims, trial.is_served_borrowing) if trial.is_served_borrowing() else None
    search.restore(found)
    return found


def _straddles(record: JobRecord) -> bool:
    """Whether a dispatched job uses both its share's own limit and borrowed capacity."""
    return bool(record.borrowed) and record.borrowed != record.need.pairs


def _borrow_lack(trial: Trial, unit: int) -> int:
    return max(trial.missing(unit), -trial.slack[unit], trial.pressure(unit))


def in_share_victims(state: SchedulerState, record: JobRecord) -> list[JobRecord] | None:
    """Return which jobs of the head's own share, of strictly lower priority, make room for it; None when none do.

    The head then runs within the own limit with no lack, or on capacity that may be borrowed.
    """
    share = record.share
    trial = Trial(state.ledger, share, record.need.pairs)

    def is_served() -> bool:
        return trial.is_served_own() or trial.is_served_borrowing()

    search = _Search()
    sources = [_candidates(state, share, unit) for unit, _ in trial.pairs]
    victims: list[JobRecord] = []
    served = False
    while not served:
        victim = search.best(sources)
        if victim is None:
            break
        if victim.priority >= record.priority:
            if state.victims_by_priority_first:
                break
            continue
        victims.append(victim)
        trial.remove(share, victim.need.pairs)
        served = is_served()
    found: list[JobRecord] | None = None
    if served:
        found = victims if len(victims) == 1 and not state.is_held_up else _pruned_by_goal(trial, victims, is_served)
    else:
        share.in_share_bar = trial.bar()
    search.restore(found)
    return found


def _pruned_by_goal(trial: Trial, victims: list[JobRecord], is_served: Callable[[], bool]) -> list[JobRecord]:
    """Drop, from the last added to the first, each victim without whom the head is served all the same."""
    kept = []
    for victim in reversed(victims):
        trial.remove(victim.share, victim.need.pairs, -1)
        if not is_served():
            trial.remove(victim.share, victim.need.pairs)
            kept.append(victim)
    kept.reverse()
    return kept


def lowered_limit_victims(share: ShareState, state: SchedulerState) -> list[JobRecord]:
    """Return whom to stop at once so that a share uses no more than it now may (A-12, not the default)."""
    excess = {unit: share.use[unit] - share.max_use[unit] for unit in range(len(share.use))}
    search = _Search()
    victims: list[JobRecord] = []
    while over := [_candidates(state, share, unit) for unit, amount in excess.items() if amount > 0]:
        victim = search.best(over)
        if victim is None:
            break
        victims.append(victim)
        for unit, count in victim.need.pairs:
            excess[unit] -= count
    search.restore(victims)
    return victims
