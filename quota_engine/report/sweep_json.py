"""A sweep as data: what was varied, and for each combination and share the estimates; names with units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quota_engine import __version__

from ..sweep.grid import Combination
from ..sweep.intervals import CONFIDENCE_PERCENT, Estimate
from ..sweep.summary import Summary
from .sweep_view import notes

VERSION: Final = 1


def as_json(summary: Summary) -> Mapping[str, Any]:
    """Return the summary; docs/sweep.md describes the fields."""
    plan = summary.swept.plan
    scenario = plan.scenarios[0]
    return {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "scenario": scenario.description,
        "stack": scenario.stack.name,
        "queue": scenario.queue,
        "runs": plan.runs,
        "seeds": list(plan.seeds),
        "varied": [{"option": axis.option, "name": axis.name, "values": list(axis.values)} for axis in plan.axes],
        "interval": {"confidence_percent": CONFIDENCE_PERCENT, "method": "Student's t, mean over seeds"},
        "summary": [
            {
                "varied": _chosen(group.combination),
                "share": group.share,
                "estimates": {name: _estimate(found) for name, found in group.estimates.items()},
            }
            for group in summary.groups
        ],
        "notes": notes(summary),
    }


def _chosen(combination: Combination) -> dict[str, str]:
    return {choice.axis.name: choice.value for choice in combination}


def _estimate(found: Estimate | None) -> dict[str, float | int | None] | None:
    """Return the mean and its interval; `low` and `high` are None where there is but one seed."""
    if found is None:
        return None
    low, high = found.interval or (None, None)
    return {"mean": found.mean, "low": low, "high": high, "seeds": found.count}
