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


DISPATCHED: Final = frozenset({JobStatus.SCHEDULED, JobStatus.STARTING, JobStatus.RUNNING})
"""The statuses that use capacity. SM: GetJobQueueSnapshot."""

FINISHED: Final = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED})

TRANSITIONS: Final[Mapping[JobStatus, frozenset[JobStatus]]] = {
    JobStatus.SUBMITTED: frozenset({JobStatus.RUNNABLE, JobStatus.FAILED}),
    JobStatus.PENDING: frozenset({JobStatus.RUNNABLE, JobStatus.FAILED}),
    JobStatus.RUNNABLE: frozenset({JobStatus.SCHEDULED, JobStatus.FAILED}),
    JobStatus.SCHEDULED: frozenset({JobStatus.STARTING, JobStatus.RUNNABLE, JobStatus.FAILED}),
    JobStatus.STARTING: frozenset({JobStatus.RUNNING, JobStatus.RUNNABLE, JobStatus.FAILED}),
    JobStatus.RUNNING: frozenset({JobStatus.SUCCEEDED, JobStatus.RUNNABLE, JobStatus.FAILED}),
    JobStatus.SUCCEEDED: frozenset(),
    JobStatus.FAILED: frozenset(),
}


class TransitionError(Exception):
    """A job was to change between two statuses that the table does not connect."""

    def __init__(self, job: str, old: JobStatus, new: JobStatus) -> None:
        super().__init__(f"job {job!r} can't change from {old} to {new}")
        self.job = job
        self.old = old
        self.new = new
