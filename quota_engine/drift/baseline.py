"""Accepted differences: known, with a reason and a last day. After that day they count again.

Pure: today is an argument. An entry accepts one path, and only the live value it names; another value is new drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..model.supplements import Accepted, Baseline
from .changes import Change, DriftReport, Value


@dataclass(frozen=True, slots=True)
class Weighed:
    """The reports with accepted changes tolerated, and the entries that were of no use: expired, or fitting nothing."""

    reports: tuple[DriftReport, ...]
    expired: tuple[Accepted, ...]
    unused: tuple[Accepted, ...]


def weigh(reports: Sequence[DriftReport], baseline: Baseline, today: str) -> Weighed:
    """Tolerate what `baseline` accepts on the day `today` (YYYY-MM-DD)."""
    valid = [entry for entry in baseline.accept if entry.until >= today]
    used: list[Accepted] = []
    weighed = tuple(_weighed(report, valid, used) for report in reports)
    expired = tuple(entry for entry in baseline.accept if entry.until < today)
    return Weighed(weighed, expired, tuple(entry for entry in valid if entry not in used))


def _weighed(report: DriftReport, valid: Sequence[Accepted], used: list[Accepted]) -> DriftReport:
    changes = []
    for change in report.changes:
        entry = next((one for one in valid if _accepts(one, report.name, change)), None)
        if entry is not None:
            used.append(entry)
            change = replace(change, tolerated=f"accepted until {entry.until}: {entry.reason}")
        changes.append(change)
    return replace(report, changes=tuple(changes))


def _accepts(entry: Accepted, stack: str, change: Change) -> bool:
    return (
        entry.stack in (None, stack)
        and tuple(str(part) for part in change.path) == entry.path
        and (not entry.has_live or _plain(change.live) == entry.live)
    )


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value
