"""What AWS Batch leaves undocumented and the model decides, each point with its number, status and source.

`Assumptions` holds the points with a switch; a scenario or `--assume NAME=VALUE` sets them, and every value of every
switch is implemented. `POINTS` lists all points that the model rests on, with or without a switch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from ..model.durations import parse_duration

VICTIM_CRITERIA: Final = ("priority", "youngest", "oldest", "largest", "smallest", "most_borrowed")
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "share_order": ("oldest_head", "creation", "name", "round_robin"),
    "requeue_position": ("created", "requeued"),
    "blocked_reason_order": ("environment_first", "share_first"),
    "timeout_from": ("starting", "scheduled", "running"),
    "borrow_attribution": ("share", "job"),
}


_EITHER: Final = ("false", "true")
TRIED: Final[Mapping[str, tuple[str, ...]]] = {
    "borrow_unlisted_units": _EITHER,
    "straddle_reclaims": _EITHER,
    "unallocated_borrowable": _EITHER,
    "disabled_shares_lend": _EITHER,
    "backfill": _EITHER,
    "eager_limit_enforcement": _EITHER,
    "borrow_fifo_strict": _EITHER,
    **_CHOICES,
    "victim_order": (
        "priority,youngest",
        "priority,oldest",
        "priority,largest,youngest",
        "priority,smallest,youngest",
        "priority,most_borrowed,youngest",
        "most_borrowed,priority,youngest",
        "youngest",
        "oldest",
    ),
    "capacity_backoff": ("1s", "60s", "10m"),
    "timing.stopping": ("0s", "20s", "2m"),
}
"""{switch: the values a sensitivity run tries, as a user writes them}; a run's own value is passed over.

All values of a switch that lists its values; of the others those that lie far apart.
"""


class PointStatus(StrEnum):
    """How well a point is founded: stated by the service, following from what it states, or chosen by us."""

    DOCUMENTED = "documented"
    INFERRED = "inferred"
    ASSUMED = "assumed"


class AssumptionError(ValueError):
    """A name that is no assumption, or a value that it can't take. `name`, `value`, `legal` say it as data."""

    def __init__(self, name: str, value: object, legal: str) -> None:
        if name in ASSUMPTION_NAMES:
            text = f"assumption {name!r} can't be {value!r}; it takes {legal}"
        else:
            text = f"there is no assumption {name!r}; the assumptions are {legal}"
        super().__init__(text)
        self.name = name
        self.value = value
        self.legal = legal


@dataclass(frozen=True, slots=True)
class Assumptions:
    """One value per switch; the defaults are the model's. `Assumptions.of` builds one from a user's text."""

    borrow_unlisted_units: bool = False
    straddle_reclaims: bool = False
    unallocated_borrowable: bool = False
    share_order: str = "oldest_head"
    disabled_shares_lend: bool = True
    backfill: bool = False
    victim_order: tuple[str, ...] = ("priority", "youngest")
    eager_limit_enforcement: bool = False
    requeue_position: str = "created"
    blocked_reason_order: str = "environment_first"
    borrow_fifo_strict: bool = False
    timeout_from: str = "starting"
    borrow_attribution: str = "share"
    capacity_backoff_ms: int = 60_000

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise AssumptionError(name, getattr(self, name), " or ".join(choices))
        _check_victim_order(self.victim_order)
        if self.capacity_backoff_ms < 1:
            raise AssumptionError("capacity_backoff", self.capacity_backoff_ms, LEGAL["capacity_backoff"])

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Assumptions:
        """Build from {name: value as a user writes it}; raises AssumptionError for the first that is wrong."""
        values: dict[str, object] = {}
        for name, value in given.items():
            if name not in ASSUMPTION_NAMES:
                raise AssumptionError(name, value, ", ".join(ASSUMPTION_NAMES))
            values[_field_of(name)] = _read(name, value)
        return cls(**values)  # type: ignore[arg-type]

    def changed(self) -> dict[str, object]:
        """Return {name: value} of the switches that differ from the default."""
        return {
            _name_of(item.name): getattr(self, item.name)
            for item in fields(self)
            if getattr(self, item.name) != item.default
        }


def _field_of(name: str) -> str:
    return "capacity_backoff_ms" if name == "capacity_backoff" else name


def _name_of(field_name: str) -> str:
    return "capacity_backoff" if field_name == "capacity_backoff_ms" else field_name


ASSUMPTION_NAMES: Final = tuple(_name_of(item.name) for item in fields(Assumptions))
_FLAGS: Final = frozenset(item.name for item in fields(Assumptions) if isinstance(item.default, bool))
LEGAL: Final[Mapping[str, str]] = {
    **{name: "true or false" for name in ASSUMPTION_NAMES if name in _FLAGS},
    **{name: " or ".join(choices) for name, choices in _CHOICES.items()},
    "victim_order": f"a list of different criteria from {', '.join(VICTIM_CRITERIA)}, without opposites",
    "capacity_backoff": "a duration of at least 1ms, such as 60s",
}
"""{name: the legal values, in words}."""


def _read(name: str, value: object) -> object:
    """Turn one value, typed or text, into the field's type."""
    if name in _FLAGS:
        flag = {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
        if not isinstance(flag, bool):
            raise AssumptionError(name, value, LEGAL[name])
        return flag
    if name == "victim_order":
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
            raise AssumptionError(name, value, LEGAL[name])
        return tuple(item.strip() for item in items)
    if name == "capacity_backoff":
        return _read_duration(name, value)
    if not isinstance(value, str):
        raise AssumptionError(name, value, LEGAL[name])
    return value


def _read_duration(name: str, value: object) -> int:
    """Return milliseconds from text such as 1m30s, or from milliseconds already counted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = parse_duration(value) if isinstance(value, str) else None
    if found is None:
        raise AssumptionError(name, value, LEGAL[name])
    return found


def _check_victim_order(order: tuple[str, ...]) -> None:
    opposites = ({"youngest", "oldest"}, {"largest", "smallest"})
    sound = (
        bool(order)
        and len(set(order)) == len(order)
        and all(item in VICTIM_CRITERIA for item in order)
        and not any(pair <= set(order) for pair in opposites)
    )
    if not sound:
        raise AssumptionError("victim_order", list(order), LEGAL["victim_order"])


@dataclass(frozen=True, slots=True)
class Point:
    """One open point: what the model does (`statement`), what else could be (`alternatives`), and why.

    `switch` names the assumption that changes it, `timing.stopping` or a job's own field; None where there is none.
    """

    number: str
    title: str
    statement: str
    alternatives: str
    status: PointStatus
    source: str
    switch: str | None = None


_A = PointStatus.ASSUMED
_I = PointStatus.INFERRED

POINTS: Final[tuple[Point, ...]] = (
    Point(
        "A-01",
        "rounding of a borrow limit",
        "cap * borrow limit / 100 is rounded down to whole instances",
        "round, ceiling",
        _I,
        "counts are whole, so this equals the exact comparison (SM: QuotaShareResourceSharingConfiguration)",
    ),
    Point(
        "A-03",
        "borrowing a unit that the share doesn't list",
        "not possible: a percentage of nothing is nothing",
        "possible when the borrow limit is -1",
        _I,
        "the limit is defined per configured unit (SM: QuotaShareResourceSharingConfiguration)",
        "borrow_unlisted_units",
    ),
    Point(
        "A-04",
        "job that needs own and borrowed capacity while its own part is lent out",
        "waits; only a job that fits its share's own limit reclaims",
        "reclaims its own part; of two such jobs the earlier keeps its room",
        _I,
        "reclaiming is documented for jobs arriving in a lender (UG: Preemption)",
        "straddle_reclaims",
    ),
    Point(
        "A-05",
        "whose capacity was borrowed",
        "nobody's in particular: the pool is fungible",
        "a ledger per lender and borrower",
        _A,
        "no document tracks pairs; fewer preemptions",
    ),
    Point(
        "A-06",
        "environment capacity above the sum of the shares",
        "can't be borrowed, but spares victims while there is room",
        "can be borrowed",
        _I,
        "the documented example counts shares only (UG: Jobs stuck in RUNNABLE due to misconfiguration)",
        "unallocated_borrowable",
    ),
    Point(
        "A-07",
        "order of the shares in a scheduling pass",
        "the share whose head was submitted first, then order of creation, then name",
        "order of creation, by name, round robin (the share least recently served first)",
        _A,
        "agrees with FIFO (SM: QuotaSharePolicy)",
        "share_order",
    ),
    Point(
        "A-08",
        "sum of the shares above the environment",
        "allowed; the environment is a hard wall and only jobs above a share's limit are victims",
        "refused by the API",
        _I,
        "lowering an environment makes the state reachable (UG: Update a service environment)",
    ),
    Point(
        "A-09",
        "idle capacity of a DISABLED share",
        "is lent as before",
        "is kept from others",
        _I,
        "disabling is documented as stopping submissions only (SM: CreateQuotaShareRequest)",
        "disabled_shares_lend",
    ),
    Point(
        "A-10",
        "smaller job behind a head that can't go",
        "waits",
        "may go into room that is free now, preempting nobody",
        _I,
        "the guide speaks of blocking and advancing (UG: Jobs stuck in a RUNNABLE status)",
        "backfill",
    ),
    Point(
        "A-11",
        "choice of victims",
        "lowest priority first, then latest start; added until there is room, then the needless dropped",
        "any order of priority, youngest, oldest, largest, smallest, most_borrowed",
        _A,
        "an unpublished heuristic weighs instances borrowed, priority and duration (UG: Preemption)",
        "victim_order",
    ),
    Point(
        "A-12",
        "jobs above a lowered limit",
        "run on until another job needs the room",
        "are preempted at once down to the most their share may use",
        _I,
        "they become eligible (UG: Quota shares)",
        "eager_limit_enforcement",
    ),
    Point(
        "A-14",
        "place of a requeued job",
        "where its submission put it",
        "behind the jobs that were waiting when it came back",
        _A,
        "createdAt doesn't change",
        "requeue_position",
    ),
    Point(
        "A-15",
        "length of a preemption",
        "timing.stopping; meanwhile the preemptor holds a claim on the room",
        "any duration",
        _I,
        "a published sample shows 20 s (UG: Service job preemption events)",
        "timing.stopping",
    ),
    Point(
        "A-16",
        "borrow limit or strategy tightened while borrowing",
        "running jobs stay; those above their share's own limit are victims on need",
        "victims at once",
        _I,
        "documents mention lowered capacity limits only (UG: Quota shares)",
    ),
    Point(
        "A-17",
        "which blocked reason wins when several hold",
        "the environment's, then the share's in the guide's order",
        "the share's first",
        _A,
        "order of the page (UG: Jobs stuck in RUNNABLE due to misconfiguration)",
        "blocked_reason_order",
    ),
    Point(
        "A-20",
        "heads of the same age",
        "order of the shares' creation, then name",
        "none needed",
        _A,
        "determinism",
    ),
    Point(
        "A-21",
        "texts of in-share preemption and of used-up preemption retries",
        "our own, and the attempt's reason",
        "unknown",
        _A,
        "parallel to the published cross-share text (UG: Service job preemption events)",
    ),
    Point(
        "A-29",
        "borrower at the front that doesn't fit",
        "is skipped: a later, smaller borrower of another share may go",
        "holds up later borrowers",
        _A,
        "shares are separate virtual queues (UG: Quota management)",
        "borrow_fifo_strict",
    ),
    Point(
        "A-36",
        "from when an attempt's timeout counts",
        "from STARTING, when capacity has been acquired",
        "from SCHEDULED, from RUNNING",
        _A,
        "pending time is limited elsewhere",
        "timeout_from",
    ),
    Point(
        "A-37",
        "one head served by victims of both kinds",
        "never in one step",
        "combined",
        _A,
        "reclaiming and in-share preemption are described apart (UG: Preemption)",
    ),
    Point(
        "A-40",
        "time between SUBMITTED and RUNNABLE",
        "none",
        "any",
        _A,
        "no figure is published",
    ),
    Point(
        "A-41",
        "which jobs of a share above its limit are candidates",
        "all of its dispatched jobs",
        "those that borrowed when they were dispatched come first, whatever their priority",
        _A,
        "priority then protects the important job, as in the announcement's example",
        "borrow_attribution",
    ),
    Point(
        "A-43",
        "when a job sent back by a capacity error is placed again",
        "after capacity_backoff (60 s); meanwhile it stays the head of its share",
        "any duration",
        _A,
        "an instant retry would never end",
        "capacity_backoff",
    ),
    Point(
        "A-44",
        "work kept by a preempted or retried job",
        "none, unless the job states a checkpoint",
        "from the last checkpoint",
        _I,
        "Batch restarts the training job; checkpoints are the job's own affair",
        "a job's checkpoint",
    ),
)
"""Every open point that the model rests on, by number."""
