"""One queue's scheduler on the emulator's clock: feeds it what happens, when it happens, and reads its records.

It holds no scheduling rule of its own. Time passes only when somebody looks: a queue is advanced to the instant of the
call that asks about it, which gives the same trace as if it had been advanced all along.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from ..model.arns import Scope
from ..model.service_facts import NUM_INSTANCES
from ..model.shapes import environment_from_api, queue_from_api, share_from_api
from ..model.stack import QuotaShare, ServiceEnvironment, Strategy
from ..model.work import Job, Timing
from ..scheduler.advance import advance, next_due_ms
from ..scheduler.inputs import Input, PutEnvironment, PutQueue, PutShare, RemoveShare, Submit
from ..scheduler.state import JobRecord, SchedulerState
from ..scheduler.trace import Dispatched, Failed, Requeued, Running, Starting, Submitted, Succeeded, TraceEvent
from .history import UseHistory
from .index import JobIndex
from .settings import Settings

FIFO_SHARE: Final = "FIFO"
"""The name, never shown, of the one share that stands for a whole queue without quota shares."""
_TRACE_KEPT: Final = 200_000
STATUS_CHANGES: Final = (Submitted, Dispatched, Starting, Running, Requeued, Succeeded, Failed)
"""The events that say a job has another status now."""


@dataclass(slots=True)
class JobEntry:
    """A submitted job: its request as accepted (tags apart), and the driver of the queue, which has its record.

    `number` counts the queue's jobs in order of arrival, from 0.
    """

    job_id: str
    arn: str
    number: int
    created_at_ms: int
    request: dict[str, Any]
    tags: dict[str, str]
    training_job_name: str
    driver: QueueDriver


Listener = Callable[["QueueDriver", TraceEvent], None]
"""Told of each event as it happens, with the record as it is at that moment."""


class Hearer(Protocol):
    """Who a queue tells of its events: the world. No function, so that a queue is plain data."""

    def hear(self, driver: QueueDriver, event: TraceEvent) -> None: ...


class QueueDriver:
    """One queue and its jobs; it outlives the queue, as finished jobs stay describable.

    `is_quota_managed` False: a FIFO queue, run as a single RESERVE share of the whole environment, or (`takes_jobs`
    False) a fair-share queue, whose order is not modelled. `entries` are its jobs in order of arrival, `event_count`
    all events so far, of which `trace` keeps the last.
    """

    def __init__(
        self,
        scope: Scope,
        queue_arn: str,
        state: SchedulerState,
        hearer: Hearer,
        *,
        is_quota_managed: bool,
        takes_jobs: bool,
    ) -> None:
        self.scope = scope
        self.queue_arn = queue_arn
        self.state = state
        self.is_quota_managed = is_quota_managed
        self.takes_jobs = takes_jobs
        self.entries: list[JobEntry] = []
        self.created_ms: list[int] = []
        self.index = JobIndex()
        self.history = UseHistory()
        self.trace: deque[TraceEvent] = deque(maxlen=_TRACE_KEPT)
        self.event_count = 0
        self._hearer = hearer
        self._numbers: dict[str, int] = {}
        self._changed: list[str] = []

    @property
    def counts_instances(self) -> bool:
        """Whether the environment counts instances of any type together."""
        return NUM_INSTANCES in self.state.environment.capacity_limits

    def entry_of(self, job_id: str) -> JobEntry:
        return self.entries[self._numbers[job_id]]

    def advance_to(self, at_ms: int) -> None:
        """Let everything happen that is due by now."""
        due_ms = next_due_ms(self.state)
        if due_ms is not None and due_ms <= at_ms:
            self.apply(at_ms)

    def apply(self, at_ms: int, *inputs: Input) -> None:
        """Tell the scheduler what happens now; one scheduling pass follows."""
        try:
            advance(self.state, at_ms, inputs, self._take)
        finally:
            for job_id in self._changed:
                self.index.move(self._numbers[job_id], self.state.jobs[job_id].status)
            self._changed.clear()

    def _take(self, event: TraceEvent) -> None:
        self.trace.append(event)
        self.event_count += 1
        if isinstance(event, STATUS_CHANGES):
            self._changed.append(event.job)
            self.history.take(event)
        self._hearer.hear(self, event)

    def submit(self, at_ms: int, entry: JobEntry, job: Job) -> None:
        self._numbers[entry.job_id] = entry.number
        self.entries.append(entry)
        self.created_ms.append(at_ms)
        self.index.add(job.share, entry.request["jobName"])
        self.apply(at_ms, Submit(job))

    def record(self, job_id: str, at_ms: int) -> JobRecord:
        """Return a job's record as it is now."""
        self.advance_to(at_ms)
        return self.state.jobs[job_id]

    def put_share(self, at_ms: int, detail: Mapping[str, Any]) -> None:
        self.apply(at_ms, PutShare(share_from_api(detail)))

    def remove_share(self, at_ms: int, name: str) -> None:
        """Delete a share; its jobs end FAILED."""
        self.apply(at_ms, RemoveShare(name))

    def put_environment(self, at_ms: int, detail: Mapping[str, Any]) -> None:
        self.apply(at_ms, *self._environment_inputs(environment_from_api(detail)))

    def put_queue(self, at_ms: int, detail: Mapping[str, Any], environment: Mapping[str, Any]) -> None:
        """Take over the queue's own settings and its environment."""
        settings = queue_from_api(detail)
        put = PutQueue(settings.state, settings.time_limit_actions)
        self.apply(at_ms, put, *self._environment_inputs(environment_from_api(environment)))

    def close(self, at_ms: int) -> None:
        """The queue is deleted: no job is left behind."""
        self.apply(at_ms, *(RemoveShare(name) for name in self.state.shares))

    def _environment_inputs(self, environment: ServiceEnvironment) -> list[Input]:
        inputs: list[Input] = [PutEnvironment(environment)]
        if not self.is_quota_managed:
            inputs.append(PutShare(_whole_environment(environment)))
        return inputs


def new_driver(
    scope: Scope,
    queue: Mapping[str, Any],
    environment: Mapping[str, Any],
    policy: Mapping[str, Any] | None,
    settings: Settings,
    at_ms: int,
    hearer: Hearer,
) -> QueueDriver:
    """Return the driver of a new queue, empty; given are the details of the queue and of what it stands on."""
    is_quota_managed = policy is not None and "quotaSharePolicy" in policy
    capacity = environment_from_api(environment)
    shares = {} if is_quota_managed else {FIFO_SHARE: _whole_environment(capacity)}
    state = SchedulerState.create(
        replace(queue_from_api(queue), quota_shares=shares),
        capacity,
        Timing(settings.scheduled_ms, settings.starting_ms, settings.stopping_ms),
        settings.assumptions,
        at_ms,
    )
    takes_jobs = is_quota_managed or policy is None
    return QueueDriver(
        scope, queue["jobQueueArn"], state, hearer, is_quota_managed=is_quota_managed, takes_jobs=takes_jobs
    )


def _whole_environment(environment: ServiceEnvironment) -> QuotaShare:
    return QuotaShare(FIFO_SHARE, environment.capacity_limits, Strategy.RESERVE)
