"""Recorded jobs of a queue, finished and unfinished: the value, and its line of JSON Lines (docs/history.md).

Times are the service's, in ms since the epoch. What the service did not say is None, never 0.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

from .stack import Capacity

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """One job as it was when it was listed. `instances` is {unit: count}; `status` is the service's.

    `duration_ms` is how long its last attempt was RUNNING, None until it has ended. `priority`, `preempted_count` and
    `attempts` (made so far) are known only where each job was described.
    """

    queue: str
    job_id: str
    job_name: str
    share: str
    status: str
    instances: Capacity
    created_at_ms: int
    scheduled_at_ms: int | None = None
    started_at_ms: int | None = None
    stopped_at_ms: int | None = None
    duration_ms: int | None = None
    priority: int | None = None
    preempted_count: int | None = None
    attempts: int | None = None


def to_line(job: RecordedJob) -> str:
    """Return the job as one line, with its line feed."""
    return json.dumps({"version": VERSION, **asdict(job)}, ensure_ascii=False) + "\n"
