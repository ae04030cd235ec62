"""The unfinished service jobs of a live queue, as one reading found them.

`live` builds it, `forecast` and `explain` start the scheduling model from it. Times are the service's, in ms since the
epoch; `now_ms` is the service's too, so that this machine's clock plays no part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .observation import Problem
from .stack import Capacity
from .work import RetryRule


@dataclass(frozen=True, slots=True)
class LiveJob:
    """One unfinished job. `job_id` is unique, `name` need not be; `status` is the service's."""

    job_id: str
    name: str
    share: str
    status: str
    need: Capacity
    priority: int
    created_ms: int
    scheduled_ms: int | None = None
    started_ms: int | None = None
    attempts: int = 1
    attempts_used: int = 0
    evaluate_on_exit: tuple[RetryRule, ...] = ()
    timeout_ms: int | None = None
    preemption_retries: int | None = None
    preempted_count: int = 0
    status_reason: str = ""


@dataclass(frozen=True, slots=True)
class LiveQueue:
    """The jobs of one queue, oldest first, and what the service's own snapshot says beside them.

    `fronts` is {share: id of its first waiting job}, `used` is {share: {unit: instances}}. `unreadable` names every
    call that failed, after which nothing may be said about the queue as a whole.
    """

    queue: str
    now_ms: int = 0
    jobs: tuple[LiveJob, ...] = ()
    fronts: Mapping[str, str] = field(default_factory=dict)
    used: Mapping[str, Capacity] = field(default_factory=dict)
    unreadable: tuple[Problem, ...] = ()
