"""Capacity over time: how many instances of a type there are and when, as SageMaker training plans reserve them.

Times are integer milliseconds from the start of the scenario. A window begins at its first instant and ends before
`until_ms`; windows of one type don't overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .stack import Capacity


@dataclass(frozen=True, slots=True)
class Window:
    """Instances that are there for a while; `until_ms` None: to the end."""

    from_ms: int
    until_ms: int | None
    instances: int

    def holds(self, at_ms: int) -> bool:
        """Whether a time lies in it."""
        return self.from_ms <= at_ms and (self.until_ms is None or at_ms < self.until_ms)


@dataclass(frozen=True, slots=True)
class CapacityPlan:
    """One type's windows, in order of time; before, between and after them there are `base` instances."""

    unit: str
    windows: tuple[Window, ...]
    base: int = 0

    def instances(self, at_ms: int) -> int:
        """Return how many there are at a time."""
        return next((window.instances for window in self.windows if window.holds(at_ms)), self.base)

    @property
    def most(self) -> int:
        """The most instances that there ever are."""
        return max(stretch.instances for stretch in self.stretches())

    def stretches(self) -> list[Window]:
        """Return the plan without gaps, from 0 on: each stretch of time with its instances, the last without end."""
        borders = sorted({0, *(window.from_ms for window in self.windows), *_ends(self.windows)})
        found: list[Window] = []
        for index, from_ms in enumerate(borders):
            until_ms = borders[index + 1] if index + 1 < len(borders) else None
            instances = self.instances(from_ms)
            if found and found[-1].instances == instances:
                found[-1] = Window(found[-1].from_ms, until_ms, instances)
            else:
                found.append(Window(from_ms, until_ms, instances))
        return found


def _ends(windows: Iterable[Window]) -> Iterator[int]:
    return (window.until_ms for window in windows if window.until_ms is not None)


def changes(plans: Sequence[CapacityPlan], restated_ms: Iterable[int] = ()) -> list[tuple[int, Capacity]]:
    """Return (at_ms, {unit: instances}) of each time at which a type begins to have another number, in order of time.

    At the times in `restated_ms`, and at 0, all types are stated: whatever else was set then does not count for them.
    """
    found: dict[int, dict[str, int]] = {at_ms: {} for at_ms in (0, *restated_ms)} if plans else {}
    whole = list(found)
    for plan in plans:
        for at_ms in whole:
            found[at_ms][plan.unit] = plan.instances(at_ms)
        for stretch in plan.stretches():
            found.setdefault(stretch.from_ms, {})[plan.unit] = stretch.instances
    return [(at_ms, found[at_ms]) for at_ms in sorted(found)]
