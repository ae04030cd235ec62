"""Capacity limits as requests carry them: a list, whose faults must be told before it becomes a mapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...model.service_facts import CAPACITY_LIMITS_MAX, MAX_CAPACITY_MIN, NUM_INSTANCES
from ..texts import refuse
from ..wire.models import known_instance_types

Limits = Sequence[dict[str, Any]]


def check_environment_limits(limits: Limits) -> None:
    """Refuse limits no service environment may have."""
    _check_common(limits)
    units = [limit["capacityUnit"] for limit in limits]
    if NUM_INSTANCES in units and len(units) > 1:
        raise refuse("mixed-units")
    _check_known([unit for unit in units if unit != NUM_INSTANCES])


def check_share_limits(limits: Limits) -> None:
    """Refuse limits no quota share may have: it counts instance types only."""
    _check_common(limits)
    for limit in limits:
        if limit["capacityUnit"] == NUM_INSTANCES:
            raise refuse("share-unit", unit=NUM_INSTANCES)
    _check_known([limit["capacityUnit"] for limit in limits])


def _check_common(limits: Limits) -> None:
    if not limits:
        raise refuse("no-limits")
    if len(limits) > CAPACITY_LIMITS_MAX:
        raise refuse("too-many-limits")
    seen: set[str] = set()
    for limit in limits:
        unit = limit.get("capacityUnit")
        if not unit:
            raise refuse("unit-missing")
        if limit.get("maxCapacity", 0) < MAX_CAPACITY_MIN:
            raise refuse("limit-below-one")
        if unit in seen and unit != NUM_INSTANCES:
            raise refuse("unit-twice", unit=unit)
        seen.add(unit)


def _check_known(units: Sequence[str]) -> None:
    for unit in units:
        if unit not in known_instance_types():
            raise refuse("unknown-unit", unit=unit, known=", ".join(sorted(known_instance_types())))
