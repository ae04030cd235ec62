"""A run's measures for programs: every figure under a name with its unit; null where there was nothing to measure.

Fields are documented in docs/measures.md; `simulate/definitions.py` says what each figure is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.capacity import CapacityPlan
from ..simulate import Measures
from ..simulate.metrics import ShareMeasures, Waits


def measures_as_json(measures: Measures) -> dict[str, Any]:
    """Return the measures as plain data; shares in declared order, types by name."""
    return {
        "window_ms": measures.window_ms,
        "shares": {name: _share(share) for name, share in measures.shares.items()},
        "utilisation": {
            unit: {
                "used_instance_ms": one.used_instance_ms,
                "available_instance_ms": one.available_instance_ms,
                "beyond_instance_ms": one.beyond_instance_ms,
                "ratio": one.ratio,
            }
            for unit, one in measures.utilisation.items()
        },
        "reserved": {
            unit: {"idle_instance_ms": one.idle_instance_ms, "wanted_instance_ms": one.wanted_instance_ms}
            for unit, one in measures.reserved.items()
        },
        "fairness": measures.fairness,
    }


def _share(share: ShareMeasures) -> dict[str, Any]:
    return {
        "submitted": share.submitted,
        "succeeded": share.succeeded,
        "failed": share.failed,
        "unfinished": share.unfinished,
        "wait": _waits(share.wait),
        "wait_after_preemption": _waits(share.wait_after_preemption),
        "cross_share_preemptions": share.cross_share_preemptions,
        "in_share_preemptions": share.in_share_preemptions,
        "caused_preemptions": share.caused_preemptions,
        "lost_instance_ms": share.lost_instance_ms,
        "served": share.served,
        "capacity": {unit: _capacity(share, unit) for unit in share.used},
    }


def _waits(waits: Waits) -> dict[str, int | None]:
    return {
        "started": len(waits.values_ms),
        "mean_ms": waits.mean_ms,
        "p50_ms": waits.percentile_ms(50),
        "p95_ms": waits.percentile_ms(95),
        "max_ms": waits.percentile_ms(100),
        "never_started": waits.unstarted,
        "never_started_longest_ms": waits.unstarted_ms[-1] if waits.unstarted_ms else None,
    }


def _capacity(share: ShareMeasures, unit: str) -> dict[str, int]:
    return {
        "nominal_most": share.nominal[unit].most,
        "used_most": share.used[unit].most,
        "used_instance_ms": share.used[unit].instance_ms,
        "borrowed_most": share.borrowed[unit].most,
        "borrowed_instance_ms": share.borrowed[unit].instance_ms,
        "lent_most": share.lent[unit].most,
        "lent_instance_ms": share.lent[unit].instance_ms,
        "wanted_instance_ms": share.wanted[unit].instance_ms,
        "idle_instance_ms": share.idle_instance_ms[unit],
    }


def capacity_as_json(plans: Sequence[CapacityPlan]) -> dict[str, list[dict[str, int | None]]]:
    """Return {type: stretches of time}, without gaps; the last has no end."""
    return {
        plan.unit: [
            {"from_ms": one.from_ms, "until_ms": one.until_ms, "instances": one.instances} for one in plan.stretches()
        ]
        for plan in plans
    }
