"""One queue's scheduler on the emulator's clock: feeds it what happens, when it happens, and reads its records.

It holds no scheduling rule of its own. Time passes only when somebody looks: a queue is advanced to the instant of the
call that asks about it, which gives the same trace as if it had been advanced all along.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from ..model.service_facts import NUM_INSTANCES
from ..model.shapes import environment_from_api, queue_from_api, share_from_api
from ..model.stack import JobQueue, QuotaShare, ServiceEnvironment, Strategy
from ..model.work import Job, Timing
from ..scheduler.advance import advance, next_due_ms
from ..scheduler.inputs import Input, PutEnvironment, PutQueue, PutShare, RemoveShare, Submit
from ..scheduler.state import JobRecord, SchedulerState
from ..scheduler.trace import TraceEvent
from .call import Call
from .store import JobEntry, Resource

FIFO_SHARE: Final = "FIFO"
"""The name, never shown, of the one share that stands for a whole queue without quota shares."""
_TRACE_KEPT: Final = 200_000


class QueueDriver:
    """One queue and its jobs; it outlives the queue, as finished jobs stay describable.

    `is_quota_managed` False: a FIFO queue, run as a single RESERVE share of the whole environment, or (`takes_jobs`
    False) a fair-share queue, whose order is not modelled. `entries` are its jobs in order of arrival.
    """

    def __init__(self, queue_arn: str, state: SchedulerState, *, is_quota_managed: bool, takes_jobs: bool) -> None:
        self.queue_arn = queue_arn
        self.state = state
        self.is_quota_managed = is_quota_managed
        self.takes_jobs = takes_jobs
        self.entries: list[JobEntry] = []
        self.trace: deque[TraceEvent] = deque(maxlen=_TRACE_KEPT)

    @property
    def counts_instances(self) -> bool:
        """Whether the environment counts instances of any type together."""
        return NUM_INSTANCES in self.state.environment.capacity_limits

    def advance_to(self, at_ms: int) -> None:
        """Let everything happen that is due by now."""
        due_ms = next_due_ms(self.state)
        if due_ms is not None and due_ms <= at_ms:
            advance(self.state, at_ms, (), self.trace.append)

    def apply(self, at_ms: int, *inputs: Input) -> None:
        """Tell the scheduler what happens now; one scheduling pass follows."""
        advance(self.state, at_ms, inputs, self.trace.append)

    def submit(self, at_ms: int, job: Job) -> None:
        self.apply(at_ms, Submit(job))

    def record(self, job_id: str, at_ms: int) -> JobRecord:
        """Return a job's record as it is now."""
        self.advance_to(at_ms)
        return self.state.jobs[job_id]

    def put_share(self, at_ms: int, share: Resource) -> None:
        self.apply(at_ms, PutShare(share_from_api(share.detail)))

    def remove_share(self, at_ms: int, name: str) -> None:
        """Delete a share; its jobs end FAILED."""
        self.apply(at_ms, RemoveShare(name))

    def put_environment(self, at_ms: int, environment: Resource) -> None:
        self.apply(at_ms, *self._environment_inputs(environment_from_api(environment.detail)))

    def put_queue(self, at_ms: int, queue: Resource, environment: Resource) -> None:
        """Take over the queue's own settings and its environment."""
        settings = queue_from_api(queue.detail)
        put = PutQueue(settings.state, settings.time_limit_actions)
        self.apply(at_ms, put, *self._environment_inputs(environment_from_api(environment.detail)))

    def close(self, at_ms: int) -> None:
        """The queue is deleted: no job is left behind."""
        self.apply(at_ms, *(RemoveShare(name) for name in self.state.shares))

    def _environment_inputs(self, environment: ServiceEnvironment) -> list[Input]:
        inputs: list[Input] = [PutEnvironment(environment)]
        if not self.is_quota_managed:
            inputs.append(PutShare(_whole_environment(environment)))
        return inputs


def make_driver(call: Call, queue: Resource, environment: Resource, policy: Resource | None) -> QueueDriver:
    """Return the driver of a new queue, empty."""
    is_quota_managed = policy is not None and "quotaSharePolicy" in policy.detail
    capacity = environment_from_api(environment.detail)
    shares = () if is_quota_managed else (_whole_environment(capacity),)
    settings = call.settings
    state = SchedulerState.create(
        _with_shares(queue_from_api(queue.detail), shares),
        capacity,
        Timing(settings.scheduled_ms, settings.starting_ms, settings.stopping_ms),
        settings.assumptions,
        call.at_ms,
    )
    takes_jobs = is_quota_managed or policy is None
    return QueueDriver(queue.arn, state, is_quota_managed=is_quota_managed, takes_jobs=takes_jobs)


def _with_shares(queue: JobQueue, shares: tuple[QuotaShare, ...]) -> JobQueue:
    return JobQueue(
        name=queue.name,
        service_environments=queue.service_environments,
        scheduling_policy=queue.scheduling_policy,
        priority=queue.priority,
        state=queue.state,
        time_limit_actions=queue.time_limit_actions,
        quota_shares={share.name: share for share in shares},
    )


def _whole_environment(environment: ServiceEnvironment) -> QuotaShare:
    return QuotaShare(FIFO_SHARE, environment.capacity_limits, Strategy.RESERVE)
