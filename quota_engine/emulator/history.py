"""How much each share used over the last hour, minute by minute: what the page draws.

Pure and fed by the scheduler's events, so that a replay gives the same history. Amounts are instances, averaged over
the minute by how long they were in use.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..scheduler.trace import Dispatched, Failed, Requeued, Succeeded

MINUTE_MS: Final = 60_000
MINUTES: Final = 60

Series = tuple[str, str]
"""Unit and share."""


@dataclass(slots=True)
class _Minute:
    """One minute from `at_ms` on: {series: instance-milliseconds}."""

    at_ms: int
    used_ms: dict[Series, int] = field(default_factory=dict)


class UseHistory:
    """The use of one queue's shares, in the present and in the minutes before."""

    def __init__(self) -> None:
        self._use: dict[Series, int] = {}
        self._held: dict[str, tuple[str, Mapping[str, int]]] = {}
        self._minutes: deque[_Minute] = deque(maxlen=MINUTES)
        self._until_ms = 0

    def take(self, event: Any) -> None:
        """Note what a job was given, or gives back."""
        match event:
            case Dispatched(at_ms=at_ms, job=job, share=share, need=need):
                self._bring(at_ms)
                self._held[job] = (share, need)
                self._add(share, need, 1)
            case Requeued(at_ms=at_ms, job=job) | Succeeded(at_ms=at_ms, job=job) | Failed(at_ms=at_ms, job=job):
                if job in self._held:
                    self._bring(at_ms)
                    share, need = self._held.pop(job)
                    self._add(share, need, -1)

    def _add(self, share: str, need: Mapping[str, int], sign: int) -> None:
        for unit, count in need.items():
            series = (unit, share)
            self._use[series] = self._use.get(series, 0) + sign * count
            if not self._use[series]:
                del self._use[series]

    def _bring(self, at_ms: int) -> None:
        """Count the present use up to `at_ms`. Minutes that are no longer shown are passed over."""
        self._until_ms = max(self._until_ms, _first_minute_ms(at_ms))
        while self._until_ms < at_ms:
            minute_ms = self._until_ms // MINUTE_MS * MINUTE_MS
            if not self._minutes or self._minutes[-1].at_ms != minute_ms:
                self._minutes.append(_Minute(minute_ms))
            until_ms = min(at_ms, minute_ms + MINUTE_MS)
            used_ms = self._minutes[-1].used_ms
            for series, count in self._use.items():
                used_ms[series] = used_ms.get(series, 0) + count * (until_ms - self._until_ms)
            self._until_ms = until_ms

    def averages(self, unit: str, share: str, now_ms: int) -> list[float]:
        """Return the share's average use in each of the last sixty minutes, oldest first; the present one is so far."""
        self._bring(now_ms)
        known = {minute.at_ms: minute.used_ms.get((unit, share), 0) for minute in self._minutes}
        first_ms = _first_minute_ms(now_ms)
        return [
            round(known.get(minute_ms, 0) / max(1, min(MINUTE_MS, now_ms - minute_ms)), 2)
            for minute_ms in range(first_ms, first_ms + MINUTES * MINUTE_MS, MINUTE_MS)
        ]


def _first_minute_ms(now_ms: int) -> int:
    """Return when the first of the last sixty minutes began; a minute that begins just now is none of them yet."""
    return ((now_ms - 1) // MINUTE_MS - MINUTES + 1) * MINUTE_MS
