"""What a workload draws from: when its jobs arrive, and how its durations, priorities and needs are distributed.

Values only; `workloads` turns them into jobs. Times are integer milliseconds, rates are jobs per hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")
HOURS: Final = 24


@dataclass(frozen=True, slots=True)
class Constant:
    """Always `value`."""

    value: int


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every whole number from `low` to `high`, both included, equally often."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Exponential:
    mean_ms: int


@dataclass(frozen=True, slots=True)
class LogNormal:
    """The logarithm of the duration is normal, with deviation `sigma`; half of the durations are below the median."""

    median_ms: int
    sigma: float


@dataclass(frozen=True, slots=True)
class Weibull:
    """`shape` below 1 has a heavy tail, 1 is the exponential distribution, above 1 gathers around `scale_ms`."""

    scale_ms: int
    shape: float


@dataclass(frozen=True, slots=True)
class Empirical:
    """Durations that were observed, in ascending order, each equally often. `source` names the file in reports."""

    values: tuple[int, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One of the options, each as often as its weight says; weights are not negative, and one of them is positive."""

    options: tuple[T, ...]
    weights: tuple[float, ...]


Durations = Constant | Uniform | Exponential | LogNormal | Weibull | Empirical
Priorities = Constant | Uniform | Choice[int]


@dataclass(frozen=True, slots=True)
class Poisson:
    """Arrivals that know nothing of each other, so many in an hour on average."""

    per_hour: float


@dataclass(frozen=True, slots=True)
class Every:
    """An arrival when the time begins, and one after each `every_ms`."""

    every_ms: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Poisson arrivals whose rate is that of the hour of the day, one of `HOURS`, on weekdays and at weekends."""

    weekday: tuple[float, ...]
    weekend: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Burst:
    """`jobs` arrivals at once."""

    at_ms: int
    jobs: int


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When a workload's jobs are submitted: from `from_ms` on, before `until_ms`, and no more than `jobs` of them.

    The end of the scenario ends the arrivals too; the earlier of the two counts.
    """

    process: Poisson | Every | Profile | Burst
    from_ms: int = 0
    until_ms: int | None = None
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """The date that a scenario's time 0 stands for, with the offset of its zone, which does not change meanwhile."""

    epoch_ms: int
    offset_ms: int = 0

    @property
    def local_ms(self) -> int:
        """Milliseconds between 1970-01-01T00:00 and the start, both on the zone's clock."""
        return self.epoch_ms + self.offset_ms
