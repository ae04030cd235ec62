"""What a queue really did, job by job: the course of each job as the service told it. Times are ms since the epoch.

`events` and `history` build courses, `scenario` makes the same work of them, `decisions` compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..model.stack import Capacity


class StintEnd(StrEnum):
    """How a stint ended; OPEN: it had not when the record ends."""

    OPEN = ""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TERMINATED = "terminated"
    PREEMPTED = "preempted"
    REQUEUED = "requeued"


@dataclass(frozen=True, slots=True)
class Stint:
    """One time that a job was dispatched. A time that the record doesn't tell is None, never 0.

    `preempted_ms` is when it was chosen as a victim, `stopped_ms` when it had stopped.
    """

    scheduled_ms: int | None
    starting_ms: int | None = None
    started_ms: int | None = None
    preempted_ms: int | None = None
    stopped_ms: int | None = None
    end: StintEnd = StintEnd.OPEN

    @property
    def chosen_ms(self) -> int | None:
        """When it was chosen as a victim; where it stopped within that second, which is told in ms, then."""
        if self.preempted_ms is None or (self.stopped_ms is not None and self.stopped_ms - self.preempted_ms < 1000):
            return self.stopped_ms
        return self.preempted_ms

    @property
    def running_ms(self) -> int | None:
        """How long it was RUNNING; None where it never was, still is, or the record doesn't tell."""
        if self.started_ms is None or self.stopped_ms is None:
            return None
        return max(0, self.stopped_ms - self.started_ms)


@dataclass(frozen=True, slots=True)
class Course:
    """One job. `priorities` are (time, priority), the first from its submission; `stints` in order.

    `ended_ms` None: it had not ended. `end_reason` is the service's text for a job that FAILED.
    """

    job_id: str
    job_name: str
    share: str
    need: Capacity
    created_ms: int
    priorities: tuple[tuple[int, int], ...]
    stints: tuple[Stint, ...] = ()
    ended_ms: int | None = None
    end: StintEnd = StintEnd.OPEN
    end_reason: str = ""
    preemption_retries: int | None = None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of the record that could not be used, counted from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """The courses of one queue, in order of (created_ms, first mention), and the lines that could not be used.

    `other_lines` counts lines that are about something else: other queues, other events, said twice.
    """

    queue: str
    courses: tuple[Course, ...]
    bad: tuple[BadLine, ...] = ()
    other_lines: int = 0
