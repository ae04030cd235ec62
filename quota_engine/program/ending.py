"""Which jobs a deployment would end: those in deployed shares that are deleted or replaced, named before it begins.

What is deployed is asked of Pulumi's own state, by a function built into the engine; the jobs are asked of Batch,
with the credentials and endpoint of the deployment. Nothing here writes. What can't be looked up is said to be unknown,
never taken for nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from quota_engine.model.arns import BatchArn, name_of, parse_arn
from quota_engine.model.logical_names import resource_type, share_resource_name
from quota_engine.model.service_facts import UNFINISHED_STATUSES
from quota_engine.model.stack import Stack

_NAMED_MAX = 20
_WAITS_SECONDS = (0.05, 0.1, 0.2, 0.4, 0.8)
_READ_STATE = "pulumi:pulumi:readStackResourceOutputs"
_SHARE, _QUEUE = resource_type("QuotaShare"), resource_type("JobQueue")


class StateUnreadable(pulumi.RunError):
    """What is deployed can't be told, so neither can what would end."""


@dataclass(frozen=True, slots=True)
class State:
    """What is deployed: shares, and the environment of each queue, {queue: environment}. Empty at first."""

    shares: tuple[BatchArn, ...] = ()
    queues: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndingShare:
    """A deployed share that is about to go. `becomes` is the one made in its place, None where there is none.

    `jobs` are texts like "train-7 (RUNNING)"; None means they could not be looked up, for `reason`.
    """

    arn: BatchArn
    becomes: str | None
    jobs: tuple[str, ...] | None = None
    reason: str = ""

    @property
    def may_end_jobs(self) -> bool:
        return self.jobs is None or bool(self.jobs)

    @property
    def text(self) -> str:
        """What happens to the share, and to which jobs."""
        name = share_resource_name(self.arn.queue or "", self.arn.name)
        fate = f"is deleted and made anew as '{self.becomes}'" if self.becomes else "is deleted"
        if self.jobs is None:
            return f"quota share '{name}' {fate}, which ends its jobs; they could not be looked up: {self.reason}"
        if not self.jobs:
            return f"quota share '{name}' {fate}; it has no jobs now"
        shown = ", ".join(self.jobs[:_NAMED_MAX])
        more = f" and {len(self.jobs) - _NAMED_MAX} more" if len(self.jobs) > _NAMED_MAX else ""
        return f"quota share '{name}' {fate}, which ends {len(self.jobs)} of its jobs: {shown}{more}"


def guard_ending_jobs(state: State, stack: Stack) -> list[EndingShare]:
    """Return the deployed shares that deploying `stack` ends, with their jobs, by ARN."""
    return [_with_jobs(one) for one in ending_shares(state.shares, stack)]


def ending_shares(deployed: Iterable[BatchArn], stack: Stack) -> list[EndingShare]:
    """Return which deployed shares are not declared as they are, with what becomes of them, in their order."""
    found = []
    for arn in deployed:
        becomes = _becomes(arn, stack)
        if becomes != share_resource_name(arn.queue or "", arn.name) or arn.scope.region != stack.region:
            found.append(EndingShare(arn, becomes))
    return found


def deployed_state() -> State:
    """Return what this stack's state holds. Raises StateUnreadable.

    A backend of files writes its checkpoint while the program runs, and who reads meanwhile finds half a file; so it is
    read again.
    """
    for wait_seconds in (*_WAITS_SECONDS, None):
        try:
            answer = pulumi.runtime.invoke(_READ_STATE, {"stackName": pulumi.get_stack()}, pulumi.InvokeOptions())
            return state_of(list((answer.value or {}).get("outputs", {}).values()))
        except Exception as error:  # The SDK raises no narrower type for a function that fails.
            if wait_seconds is None:
                raise StateUnreadable(f"Pulumi's state of this stack can't be read: {error}") from error
            time.sleep(wait_seconds)
    raise AssertionError("the last wait is None")


def state_of(resources: Iterable[Mapping[str, Any]]) -> State:
    """Return what resources, each with type and outputs, say of shares and queues; sorted."""
    shares, queues = [], {}
    for one in resources:
        outputs = one.get("outputs") or {}
        if one.get("type") == _SHARE:
            arn = parse_arn(str(outputs.get("quotaShareArn", "")))
            shares += [arn] if arn else []
        if one.get("type") == _QUEUE:
            for entry in outputs.get("serviceEnvironmentOrder") or ():
                queues[str(outputs.get("jobQueueName"))] = name_of(str(entry.get("serviceEnvironment")))
    return State(tuple(sorted(shares, key=lambda arn: (arn.queue or "", arn.name))), dict(sorted(queues.items())))


def forgotten_rename(deployed: Mapping[str, str], stack: Stack) -> tuple[str, str] | None:
    """Return (former, new) name of a queue that looks renamed, without saying so; None where there is none.

    The engine makes the new queue before it deletes the former, and the service refuses a second queue on one
    environment. Only renamed_from turns the order round.
    """
    known = {name for queue in stack.job_queues.values() for name in (queue.name, queue.renamed_from)}
    freed = {environment: queue for queue, environment in deployed.items() if queue not in known}
    for queue in stack.job_queues.values():
        former = freed.get(queue.service_environment or "")
        if former is not None and not {queue.name, queue.renamed_from} & deployed.keys():
            return former, queue.name
    return None


def _becomes(arn: BatchArn, stack: Stack) -> str | None:
    """Return the logical name of the declared share that this one is, or was before it was renamed."""
    for queue in stack.job_queues.values():
        if arn.queue not in (queue.name, queue.renamed_from):
            continue
        for share in queue.quota_shares.values():
            if arn.name in (share.name, share.renamed_from):
                return share_resource_name(queue.name, share.name)
    return None


def _with_jobs(ending: EndingShare) -> EndingShare:
    """Look up the jobs of a share that is about to go."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        jobs = tuple(sorted(_jobs(_client(ending.arn), ending.arn)))
    except (BotoCoreError, ClientError) as error:
        return EndingShare(ending.arn, ending.becomes, None, " ".join(str(error).split()))
    return EndingShare(ending.arn, ending.becomes, jobs)


def _jobs(client: Any, arn: BatchArn) -> Iterator[str]:
    """Yield a text for each job of the share that has not ended."""
    pages = client.get_paginator("list_service_jobs")
    for status in UNFINISHED_STATUSES:
        filters: Any = [{"name": "QUOTA_SHARE_NAME", "values": [arn.name]}]
        queue = arn.scope.job_queue(arn.queue or "")
        for page in pages.paginate(jobQueue=queue, jobStatus=status, filters=filters):
            for job in page["jobSummaryList"]:
                yield f"{job['jobName']} ({status})"


def _client(arn: BatchArn) -> Any:
    """Return a Batch client of the deployment, in the share's own region."""
    from botocore.config import Config

    from .account import deployment_session

    config = Config(connect_timeout=5, read_timeout=20, retries={"total_max_attempts": 3})
    return deployment_session(arn.scope.region, arn.scope.account).client("batch", config=config)
