"""Instances over time: what each share uses, borrows and lends, and what the environment has, integrated.

Only states that last count; what comes and goes within one instant leaves no mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model.stack import Capacity, QuotaShare
from ..model.work import Scenario
from ..scheduler.trace import Dispatched, Failed, Requeued, Submitted, Succeeded, TraceEvent
from .agenda import agenda, queue_after, queue_of


@dataclass(frozen=True, slots=True)
class Amounts:
    """Instances of one unit over time: the most at once, and the integral in instance-milliseconds."""

    most: int
    instance_ms: int


@dataclass(frozen=True, slots=True)
class _Settings:
    """The shares and the environment's limits from `at_ms` on."""

    at_ms: int
    shares: Mapping[str, QuotaShare]
    limits: Capacity


class Areas:
    """Reads a trace event by event. `limit_ms` and `used_ms` are {unit: instance-milliseconds} of the whole queue."""

    def __init__(self, scenario: Scenario) -> None:
        self.settings = _settings_over_time(scenario)
        self.at_ms = 0
        self.use: dict[str, dict[str, int]] = {}
        self.jobs: dict[str, tuple[str, Capacity]] = {}
        self.placed: dict[str, None] = {}
        self.limit_ms: dict[str, int] = {}
        self.used_ms: dict[str, int] = {}
        self._sums: dict[tuple[str, str, str], list[int]] = {}

    def take_in(self, event: TraceEvent) -> None:
        """Let the time up to the event pass, then count what it changes."""
        self.close(event.at_ms)
        match event:
            case Submitted(job=job, share=share, need=need):
                self.jobs[job] = (share, need)
            case Dispatched(job=job):
                self._place(job, 1)
            case Requeued(job=job) | Succeeded(job=job) | Failed(job=job):
                self._place(job, -1)
            case _:
                pass

    def close(self, at_ms: int) -> None:
        """Let time pass up to `at_ms`, under the settings as they were."""
        while len(self.settings) > 1 and self.settings[1].at_ms <= at_ms:
            self._pass(self.settings[1].at_ms)
            del self.settings[0]
        self._pass(at_ms)

    def of(self, share: str, what: str) -> dict[str, Amounts]:
        """Return {unit: amounts} of used, borrowed or lent, by unit name."""
        found = {unit: sums for (name, kind, unit), sums in self._sums.items() if (name, kind) == (share, what)}
        return {unit: Amounts(*found[unit]) for unit in sorted(found)}

    def _place(self, job: str, sign: int) -> None:
        """Count a job in or out; one that held no capacity leaves none."""
        if sign > 0:
            self.placed[job] = None
        elif job not in self.placed:
            return
        else:
            del self.placed[job]
        share, need = self.jobs[job]
        amounts = self.use.setdefault(share, {})
        for unit, count in need.items():
            amounts[unit] = amounts.get(unit, 0) + sign * count

    def _pass(self, at_ms: int) -> None:
        """Add the time since the last call to every sum."""
        lasted_ms = at_ms - self.at_ms
        self.at_ms = max(self.at_ms, at_ms)
        if lasted_ms <= 0:
            return
        now = self.settings[0]
        for unit, limit in now.limits.items():
            self.limit_ms[unit] = self.limit_ms.get(unit, 0) + limit * lasted_ms
        units = dict.fromkeys([*(unit for share in now.shares.values() for unit in share.capacity_limits), *now.limits])
        for unit in dict.fromkeys([*units, *(unit for amounts in self.use.values() for unit in amounts)]):
            self._pass_unit(now, unit, lasted_ms)

    def _pass_unit(self, now: _Settings, unit: str, lasted_ms: int) -> None:
        over_sum = 0
        idle: dict[str, int] = {}
        for name, share in now.shares.items():
            used = self.use.get(name, {}).get(unit, 0)
            nominal = share.capacity_limits.get(unit, 0)
            over_sum += max(0, used - nominal)
            if share.strategy.can_lend:
                idle[name] = max(0, nominal - used)
            if used or nominal:
                self._add(name, "used", unit, used, lasted_ms)
                self._add(name, "borrowed", unit, max(0, used - nominal), lasted_ms)
                self.used_ms[unit] = self.used_ms.get(unit, 0) + used * lasted_ms
        for name, lent in divide(over_sum, idle).items():
            self._add(name, "lent", unit, lent, lasted_ms)

    def _add(self, share: str, what: str, unit: str, amount: int, lasted_ms: int) -> None:
        sums = self._sums.setdefault((share, what, unit), [0, 0])
        sums[0] = max(sums[0], amount)
        sums[1] += amount * lasted_ms


def divide(amount: int, idle: Mapping[str, int]) -> dict[str, int]:
    """Divide what is borrowed among lenders in proportion to their idle instances, whole instances only.

    At most what is idle is given out. Remainders go to the largest fractions first, then in order.
    """
    total = sum(idle.values())
    given = min(amount, total)
    if not given:
        return {}
    parts = {name: given * count // total for name, count in idle.items()}
    by_fraction = sorted(idle, key=lambda name: -(given * idle[name] % total))
    for name in by_fraction[: given - sum(parts.values())]:
        parts[name] += 1
    return {name: part for name, part in parts.items() if part}


def _settings_over_time(scenario: Scenario) -> list[_Settings]:
    queue, environment = queue_of(scenario.stack, scenario.queue)
    settings = [_Settings(0, queue.quota_shares, environment.capacity_limits)]
    for instant in agenda(scenario):
        for event in instant.events:
            queue, environment = queue_after(event, queue, environment)
        found = _Settings(instant.at_ms, queue.quota_shares, environment.capacity_limits)
        if (found.shares, found.limits) != (settings[-1].shares, settings[-1].limits):
            settings.append(found)
    return settings
