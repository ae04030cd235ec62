"""What the queue's shares and its environment's limits are at each time of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..model.stack import Capacity, QuotaShare
from ..model.work import Scenario
from .agenda import agenda, queue_after, queue_of


@dataclass(frozen=True, slots=True)
class Settings:
    """The shares, in declared order, and the environment's limits from `at_ms` on."""

    at_ms: int
    shares: Mapping[str, QuotaShare]
    limits: Capacity


def settings_over_time(scenario: Scenario) -> list[Settings]:
    """Return the settings in order of time, the first from 0 on."""
    queue, environment = queue_of(scenario.stack, scenario.queue)
    settings = [Settings(0, queue.quota_shares, environment.capacity_limits)]
    for instant in agenda(replace(scenario, jobs=())):
        for event in instant.events:
            queue, environment = queue_after(event, queue, environment)
        found = Settings(instant.at_ms, queue.quota_shares, environment.capacity_limits)
        if (found.shares, found.limits) != (settings[-1].shares, settings[-1].limits):
            settings.append(found)
    return settings
