"""The statuses of a service job and the one table of changes between them.

A change that the table does not list is a bug of ours: it raises at once, naming the job and both states.
Source: UG, Service job status; SM, ServiceJobStatus.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class JobStatus(StrEnum):
    """ServiceJobStatus. PENDING is in the service's enum but no service job is ever seen in it."""

    SUBMITTED = "SUBMITTED"
    PENDING = "PENDING"
    RUNNABLE = "RUNNABLE"
    SCHEDULED = "SCHEDULED"
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


# A member looked up in its enum costs as much as a whole function call, and each job takes a dozen of them.
SUBMITTED: Final = JobStatus.SUBMITTED
RUNNABLE: Final = JobStatus.RUNNABLE
SCHEDULED: Final = JobStatus.SCHEDULED
STARTING: Final = JobStatus.STARTING
RUNNING: Final = JobStatus.RUNNING
SUCCEEDED: Final = JobStatus.SUCCEEDED
FAILED: Final = JobStatus.FAILED

DISPATCHED: Final = frozenset({SCHEDULED, STARTING, RUNNING})
"""The statuses that use capacity. SM: GetJobQueueSnapshot."""

FINISHED: Final = frozenset({SUCCEEDED, FAILED})

TRANSITIONS: Final[Mapping[JobStatus, frozenset[JobStatus]]] = {
    SUBMITTED: frozenset({RUNNABLE, FAILED}),
    JobStatus.PENDING: frozenset({RUNNABLE, FAILED}),
    RUNNABLE: frozenset({SCHEDULED, FAILED}),
    SCHEDULED: frozenset({STARTING, RUNNABLE, FAILED}),
    STARTING: frozenset({RUNNING, RUNNABLE, FAILED}),
    RUNNING: frozenset({SUCCEEDED, RUNNABLE, FAILED}),
    SUCCEEDED: frozenset(),
    FAILED: frozenset(),
}


class TransitionError(Exception):
    """A job was to change between two statuses that the table does not connect."""

    def __init__(self, job: str, old: JobStatus, new: JobStatus) -> None:
        super().__init__(f"job {job!r} can't change from {old} to {new}")
        self.job = job
        self.old = old
        self.new = new
