"""Waiting until nothing is being created, updated or deleted any more, before a comparison is taken for final."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..model.observation import Observation

TRANSITIONS = frozenset({"CREATING", "UPDATING", "DELETING"})
PAUSE_SECONDS = 5.0


def observe_settled(
    look: Callable[[], Observation],
    *,
    timeout_seconds: float,
    pause_seconds: float = PAUSE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Observation:
    """Look until no resource is in transition, or until another pause would exceed the timeout; return the last look.

    What is still in transition then is told as such by the comparison.
    """
    deadline = clock() + timeout_seconds
    while True:
        observation = look()
        moving = any(condition.status in TRANSITIONS for condition in observation.conditions.values())
        if not moving or clock() + pause_seconds > deadline:
            return observation
        sleep(pause_seconds)
