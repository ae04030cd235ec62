"""A scenario's `capacity` → `CapacityPlan`s, and the findings about it: windows that are none, or of one time twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ..model.capacity import CapacityPlan, Window
from ..model.diagnostic import KEY, Diagnostic, Positions
from ..model.stack import Path
from .build_scenario import milliseconds
from .findings import finding
from .known import Known, complete

Data = Mapping[str, Any]
CAPACITY: Final = "capacity"
_WINDOWS: Final = "windows"


def build_capacity(data: Data) -> tuple[CapacityPlan, ...]:
    """Build the plans, types in the file's order; windows by time."""
    return tuple(
        CapacityPlan(unit, tuple(_window(window) for _, window in _in_order(plan)), _base(plan))
        for unit, plan in data.get(CAPACITY, {}).items()
    )


def _base(plan: Data | Sequence[Any]) -> int:
    return plan.get("base", 0) if isinstance(plan, Mapping) else 0


def _window(window: Data) -> Window:
    return Window(_from(window), milliseconds(window.get("until")), window["instances"])


def _from(window: Data) -> int:
    return milliseconds(window.get("from")) or 0


def _in_order(plan: Data | Sequence[Any]) -> list[tuple[Path, Data]]:
    """Return the windows of one type by time, each with its path below the type; faulty ones were reported before."""
    is_map = isinstance(plan, Mapping)
    listed: Sequence[Any] = (plan.get(_WINDOWS) or ()) if isinstance(plan, Mapping) else plan
    found = [((_WINDOWS, index) if is_map else (index,), window) for index, window in complete(listed, "instances")]
    return sorted(found, key=lambda one: _from(one[1]))


def check_capacity(data: Data, known: Known, where: Positions, broken: Collection[Path] = ()) -> Iterator[Diagnostic]:
    """Yield every finding about the capacity over time. A window of which a part is in `broken` is not judged."""
    plans = data.get(CAPACITY, {})
    faulty = {path[:length] for path in broken if path[:1] == (CAPACITY,) for length in range(1, len(path) + 1)}
    yield from known.need(plans, (CAPACITY,))
    for unit, plan in plans.items():
        windows = [((CAPACITY, unit, *path), window) for path, window in _in_order(plan)]
        whole = [(path, window) for path, window in windows if path not in faulty]
        for path, window in whole:
            yield from _empty(window, path)
            yield from known.time(window.get("from"), "this window begins at", (*path, "from"))
        lasting = [(path, window) for path, window in whole if not _is_empty(window)]
        for earlier, later in pairwise(lasting):
            yield from _overlap(earlier, later, unit, where)
    yield from _stated_twice(data, plans, where)


def _stated_twice(data: Data, plans: Data, where: Positions) -> Iterator[Diagnostic]:
    for index, event in complete(data.get("events", ()), "set_capacity"):
        for unit in event["set_capacity"] or ():
            if unit in plans:
                message = f"this event sets {unit}, of which the scenario's capacity says how many there are and when"
                path: Path = ("events", index, "set_capacity", unit, KEY)
                related = _beside(where, (CAPACITY, unit, KEY))
                yield finding("QE535", message, path=path, fix="say it there, with a window", related=related)


def _is_empty(window: Data) -> bool:
    until_ms = milliseconds(window.get("until"))
    return until_ms is not None and until_ms <= _from(window)


def _empty(window: Data, path: Path) -> Iterator[Diagnostic]:
    if _is_empty(window):
        message = f"this window begins at {window.get('from', '0s')} and ends at {window['until']}"
        yield finding("QE534", message, path=(*path, "until"), fix="let it end after it begins")


def _overlap(earlier: tuple[Path, Data], later: tuple[Path, Data], unit: str, where: Positions) -> Iterator[Diagnostic]:
    ends_ms = milliseconds(earlier[1].get("until"))
    if ends_ms is not None and ends_ms <= _from(later[1]):
        return
    ends = f"at {earlier[1]['until']}" if ends_ms is not None else "never"
    message = f"this window begins at {later[1].get('from', '0s')}, and one of {unit} that began before it ends {ends}"
    fix = "let one end where the other begins; where both hold, write a window with their sum"
    yield finding("QE534", message, path=later[0], fix=fix, related=_beside(where, earlier[0]))


def _beside(where: Positions, path: Path) -> list[tuple[Any, str]]:
    span = where.span(path)
    return [(span, "by this")] if span else []
