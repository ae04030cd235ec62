"""What a forecast yields: which jobs are hit and when, which start, what each share may borrow. Values only.

Groups of hits answer different questions. `at_once` needs no assumption about how long jobs run. `later` holds under
the assumed durations alone, or the middling ones of a history, and `possible` under its short or long ones alone.
`exposed` could be hit as soon as every share claims its own limit, and could not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..model.observation import Problem
from ..model.stack import Capacity

DEFAULT_WITHIN_MS = 24 * 3_600_000
"""How far ahead is looked with an assumed duration."""


class HitKind(StrEnum):
    """What becomes of a job: preempted in one of the scheduler's ways, or ended with what it lives in."""

    CROSS_SHARE = "cross-share"
    IN_SHARE = "in-share"
    LIMIT_LOWERED = "limit-lowered"
    SHARE_DELETED = "share deleted"
    QUEUE_REPLACED = "queue replaced"
    TIME_LIMIT = "time limit"


@dataclass(frozen=True, slots=True)
class Hit:
    """One job that is preempted or ended, `after_ms` after deploying. `by` is the job that gains, "" for none.

    `ran_ms` is how long it had been RUNNING when it is hit, `was_running` whether it is dispatched now; `is_final`
    says that it ends FAILED instead of waiting again. `spread_ms` is `after_ms` with short, middling and long
    durations, None where it is not hit then; () where durations are not from a history.
    """

    job: str
    name: str
    share: str
    need: Capacity
    kind: HitKind
    after_ms: int
    by: str = ""
    by_name: str = ""
    by_share: str = ""
    ran_ms: int = 0
    was_running: bool = True
    is_final: bool = False
    spread_ms: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """One waiting job that starts, `after_ms` after deploying; `borrowed` is what of it is borrowed.

    `spread_ms` is as in `Hit`.
    """

    job: str
    name: str
    share: str
    need: Capacity
    start: str
    after_ms: int
    borrowed: Mapping[str, int]
    spread_ms: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """What a share has of one unit: its own limit, what it may borrow at most, and what its jobs use."""

    nominal: int
    may_borrow: int
    used: int


@dataclass(frozen=True, slots=True)
class RoomChange:
    """A share's room in one unit before and after; None where the share is not there."""

    share: str
    unit: str
    before: Room | None
    after: Room | None

    @property
    def differs(self) -> bool:
        """Whether limits or borrowing change, whatever the use."""
        before, after = self.before, self.after
        if before is None or after is None:
            return before is not after
        return (before.nominal, before.may_borrow) != (after.nominal, after.may_borrow)


@dataclass(frozen=True, slots=True)
class DurationBasis:
    """What the durations of so many live `jobs` of a share rest on.

    `records` counts the recorded durations of the share, of that size alone where `need` is not None; `quantiles_ms`
    are their short, middling and long ones. () says that too few ran as long as these jobs have: they last as assumed,
    or have no end.
    """

    share: str
    need: Capacity | None
    jobs: int
    records: int
    quantiles_ms: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueForecast:
    """The forecast of one queue. `lives` False: it is created, and nothing runs in it yet.

    `anyway` are the hits that the model expects without the deployment too. `doubts` say what the model could not take
    over as it is.
    """

    queue: str
    lives: bool = True
    running: int = 0
    waiting: int = 0
    at_once: tuple[Hit, ...] = ()
    later: tuple[Hit, ...] = ()
    possible: tuple[Hit, ...] = ()
    exposed: tuple[Hit, ...] = ()
    anyway: tuple[Hit, ...] = ()
    starts: tuple[Start, ...] = ()
    possible_starts: tuple[Start, ...] = ()
    rooms: tuple[RoomChange, ...] = ()
    durations: tuple[DurationBasis, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The running jobs that deploying hits, at once or later."""
        return tuple(hit for hit in (*self.at_once, *self.later) if hit.was_running)

    @property
    def fewest(self) -> int:
        """How many running jobs are hit, whatever their durations and whoever submits next."""
        return sum(hit.was_running for hit in self.at_once)

    @property
    def most(self) -> int:
        """How many are hit at the most: under any durations looked at, and if every share claims its own limit."""
        return len({hit.job for hit in (*self.hits, *self.possible, *self.exposed) if hit.was_running})


@dataclass(frozen=True, slots=True)
class Forecast:
    """The whole answer for one declaration. With anything `unreadable` nothing is certain: exit code 2.

    `has_history`: durations are from recorded jobs, where there are enough.
    """

    name: str
    account: str
    region: str
    queues: tuple[QueueForecast, ...]
    unreadable: tuple[Problem, ...] = ()
    assume_duration_ms: int | None = None
    has_history: bool = False
    within_ms: int = DEFAULT_WITHIN_MS
    assumptions: Mapping[str, object] | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(hit for queue in self.queues for hit in queue.hits)

    @property
    def exit_code(self) -> int:
        """0: no running job is hit; 1: some are; 2: could not tell."""
        return 2 if self.unreadable else int(bool(self.hits))
