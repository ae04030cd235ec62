"""The emulator's time, in integer milliseconds since the epoch: real (perhaps faster) or moved by hand.

The only module of the emulator that asks the machine what time it is.
"""

from __future__ import annotations

import time
from typing import Protocol

from .settings import MANUAL_CLOCK_START_MS, ClockKind, Settings


class Clock(Protocol):
    """What the world needs to know about time. It never runs backwards."""

    kind: ClockKind

    def now_ms(self) -> int: ...


class RealClock:
    """Time that passes by itself from `start_ms`, `speed` times as fast as the wall clock."""

    kind = ClockKind.REAL

    def __init__(self, start_ms: int, speed: float = 1.0) -> None:
        self._start_ms = start_ms
        self._speed = speed
        self._origin_ns = time.monotonic_ns()

    def now_ms(self) -> int:
        return self._start_ms + int((time.monotonic_ns() - self._origin_ns) * self._speed) // 1_000_000


class ManualClock:
    """Time that stands still until `advance` or `set_ms` moves it forward."""

    kind = ClockKind.MANUAL

    def __init__(self, start_ms: int) -> None:
        self._now_ms = start_ms

    def now_ms(self) -> int:
        return self._now_ms

    def set_ms(self, at_ms: int) -> None:
        """Move to `at_ms`. Raises ValueError when that lies in the past."""
        if at_ms < self._now_ms:
            raise ValueError(f"the clock stands at {self._now_ms} and can't go back to {at_ms}")
        self._now_ms = at_ms


def make_clock(settings: Settings, not_before_ms: int = 0) -> RealClock | ManualClock:
    """Return the clock the settings ask for; it starts no earlier than a former life had come to."""
    start_ms = settings.start_ms
    if settings.clock is ClockKind.MANUAL:
        return ManualClock(max(not_before_ms, MANUAL_CLOCK_START_MS if start_ms is None else start_ms))
    return RealClock(max(not_before_ms, time.time_ns() // 1_000_000 if start_ms is None else start_ms), settings.speed)
