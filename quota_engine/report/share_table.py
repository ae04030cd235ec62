"""What was measured of each share, as rows of text: its jobs' waits and preemptions, then its capacity by type.

The figures' definitions stand in `simulate/metrics.py`. Amounts of work are instance-hours, so that no reader takes
them for a time that somebody waited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..model.capacity import CapacityPlan
from ..model.durations import format_duration
from ..simulate import Measures
from ..simulate.metrics import ShareMeasures, Utilisation, Waits
from .times import instance_hours, rough
from .visible import visible, width_of

NONE: Final = "-"
GAP: Final = 2
"""Blanks before each column (`visible.aligned`)."""
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as they are, the header first. `names` columns name a row; `groups` counts those that belong together."""

    rows: tuple[Row, ...]
    names: int
    groups: tuple[int, ...]


def work_table(measures: Measures) -> Table:
    """Return a row a share: jobs, waits, those that never started; then preemptions, and the work lost to them.

    Columns that no share has anything for are left out: waits after a preemption, and preemptions in the share.
    """
    shares = measures.shares.values()
    again = any(share.wait_after_preemption.values_ms for share in shares)
    inside = any(share.in_share_preemptions for share in shares)
    waits = ("jobs", "wait p50", "p95", "max", *(("again p95",) if again else ()), "never started")
    hits = ("preempted", *(("in share",) if inside else ()), "preempts", "lost work")
    rows = (_work(share, again, inside) for share in shares)
    return Table((("share", *waits, *hits), *rows), 1, (len(waits), len(hits)))


def _work(share: ShareMeasures, again: bool, inside: bool) -> Row:
    return (
        share.share,
        str(share.submitted),
        *(_wait(share.wait, percent) for percent in (50, 95, 100)),
        *((_wait(share.wait_after_preemption, 95),) if again else ()),
        _unstarted(share.wait),
        str(share.cross_share_preemptions + share.in_share_preemptions),
        *((str(share.in_share_preemptions),) if inside else ()),
        str(share.caused_preemptions),
        instance_hours(share.lost_instance_ms),
    )


def _wait(waits: Waits, percent: int) -> str:
    value = waits.percentile_ms(percent)
    return NONE if value is None else rough(value)


def _unstarted(waits: Waits) -> str:
    """Return how many jobs never started, and how long the one that waits longest has waited."""
    return f"{waits.unstarted} ({rough(waits.unstarted_ms[-1])})" if waits.unstarted_ms else str(waits.unstarted)


def capacity_table(measures: Measures) -> Table:
    """Return a row for each share and type that it has or used: use and what was left; then what was borrowed and lent.

    Where there is a single type it is not named.
    """
    is_one = len({unit for share in measures.shares.values() for unit in share.used}) < 2
    names = ("share",) if is_one else ("share", "type")
    use, loans = ("limit", "used", "left idle", "served"), ("borrowed", "at most", "lent", "at most")
    rows = (
        (share.share, *(() if is_one else (unit,)), *cells)
        for share in measures.shares.values()
        for unit, cells in _capacity(share)
    )
    return Table(((*names, *use, *loans), *rows), len(names), (len(use), len(loans)))


def _capacity(share: ShareMeasures) -> Iterator[tuple[str, Row]]:
    idle = share.idle_instance_ms
    for unit, used in share.used.items():
        borrowed, lent, wanted = share.borrowed[unit], share.lent[unit], share.wanted[unit]
        served = (used.instance_ms - borrowed.instance_ms) / wanted.instance_ms if wanted.instance_ms else None
        yield (
            unit,
            (
                str(share.nominal[unit].most),
                instance_hours(used.instance_ms),
                instance_hours(idle[unit]),
                percent(served),
                instance_hours(borrowed.instance_ms),
                str(borrowed.most),
                instance_hours(lent.instance_ms),
                str(lent.most),
            ),
        )


def percent(ratio: float | None) -> str:
    return NONE if ratio is None else f"{ratio * 100:.0f} %"


def whole_lines(measures: Measures) -> list[str]:
    """Return sentences about the whole queue: utilisation, fairness, and what RESERVE kept from those who waited."""
    found = [_used(unit, one) for unit, one in measures.utilisation.items() if one.ratio is not None]
    if measures.fairness is not None:
        found.append(
            f"fairness: {measures.fairness:.2f} of 1, by Jain's index of the part that each share had of the own "
            "instances it wanted"
        )
    for unit, kept in measures.reserved.items():
        idle, wanted = instance_hours(kept.idle_instance_ms), instance_hours(kept.wanted_instance_ms)
        found.append(
            f"RESERVE kept {idle} instance-hours of {visible(unit)} idle while jobs of shares that may borrow waited, "
            f"and {wanted} of these would have served them"
        )
    return found


def _used(unit: str, one: Utilisation) -> str:
    used, there = instance_hours(one.used_instance_ms), instance_hours(one.available_instance_ms)
    beyond = (
        f"; {instance_hours(one.beyond_instance_ms)} of the use beyond what was there, when the limit was lowered"
        if one.beyond_instance_ms
        else ""
    )
    return f"utilisation of {visible(unit)}: {percent(one.ratio)}, {used} of {there} instance-hours{beyond}"


def capacity_lines(plans: Sequence[CapacityPlan], end_ms: int) -> list[str]:
    """Return a line for each type of which there are not always as many: "capacity of …: 4 to 1d, 0 to 2d, then 4"."""
    return [f"capacity of {visible(plan.unit)}: {_stretches(plan, end_ms)}" for plan in plans]


def _stretches(plan: CapacityPlan, end_ms: int) -> str:
    seen = [one for one in plan.stretches() if one.from_ms < end_ms or not one.from_ms]
    parts = [f"{one.instances} to {format_duration(one.until_ms)}" for one in seen[:-1] if one.until_ms is not None]
    return ", ".join([*parts, f"then {seen[-1].instances}" if parts else f"{seen[-1].instances}"])


def bands(table: Table, width: int) -> list[list[Row]]:
    """Return the table's rows; where they are wider than `width`, a table for each group that no longer fits."""
    widths = [max(map(width_of, column)) + GAP for column in zip(*table.rows, strict=True)]
    names = [*range(table.names)]
    found: list[list[int]] = [names]
    first = table.names
    for size in table.groups:
        group = [*range(first, first + size)]
        first += size
        if found[-1] == names or sum(widths[column] for column in [*found[-1], *group]) <= width:
            found[-1] = [*found[-1], *group]
        else:
            found.append([*names, *group])
    return [[tuple(row[column] for column in band) for row in table.rows] for band in found]
