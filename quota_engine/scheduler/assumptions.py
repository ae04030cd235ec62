"""What AWS Batch leaves undocumented and can be set: the switches of the model, their legal values and defaults.

`Assumptions` holds the points with a switch; a scenario or `--assume NAME=VALUE` sets them, and every value of every
switch is implemented. `points.POINTS` lists all points that the model rests on, with or without a switch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
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
