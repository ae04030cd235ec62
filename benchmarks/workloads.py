"""Synthetic histories for the benchmarks: the same jobs, in plain integers, for every contender.

A regime sets the load and how much of it fights: idle (a third of the capacity asked for), contended (95 %, borrowing),
storm (95 %, ten priorities and in-share preemption, so that most jobs are preempted once), backlog (all jobs arrive in
a hundredth of the time they take, so that nearly all of them wait at once).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

SIZES = (1, 2, 4, 8)
SIZE_WEIGHTS = (70, 15, 10, 5)
MEAN_SIZE = sum(size * weight for size, weight in zip(SIZES, SIZE_WEIGHTS, strict=True)) / 100
MEAN_DURATION_MS = 3_600_000
NOMINAL = 16
"""Instances per share and unit."""


@dataclass(frozen=True, slots=True)
class Regime:
    """`load`: instances asked for over instances there; `priorities`: how many levels; `in_share`: whether in-share
    preemption is on."""

    load: float
    priorities: int
    in_share: bool


REGIMES = {
    "idle": Regime(load=0.33, priorities=1, in_share=False),
    "contended": Regime(load=0.95, priorities=1, in_share=False),
    "storm": Regime(load=0.95, priorities=10, in_share=True),
    "backlog": Regime(load=100, priorities=10, in_share=False),
}


@dataclass(frozen=True, slots=True)
class RawJob:
    """One job as every contender takes it; `unit` is an index."""

    submit_at_ms: int
    share: int
    unit: int
    size: int
    duration_ms: int
    priority: int


def generate(count: int, shares: int, units: int, regime: Regime, seed: int = 7) -> list[RawJob]:
    """Return `count` jobs sorted by arrival: Poisson arrivals, exponential durations, sizes 1/2/4/8 at 70/15/10/5 %."""
    stream = random.Random(f"{seed}/{count}/{shares}/{units}/{regime}")
    capacity = NOMINAL * shares * units
    gap_ms = MEAN_SIZE * MEAN_DURATION_MS / (capacity * regime.load)
    now = 0.0
    jobs: list[RawJob] = []
    while len(jobs) < count:
        now += stream.expovariate(1 / gap_ms)
        share, unit = stream.randrange(shares), stream.randrange(units)
        jobs.append(
            RawJob(
                submit_at_ms=int(now),
                share=share,
                unit=unit,
                size=stream.choices(SIZES, SIZE_WEIGHTS)[0],
                duration_ms=max(1, int(stream.expovariate(1 / MEAN_DURATION_MS))),
                priority=stream.randrange(regime.priorities),
            )
        )
    return jobs
