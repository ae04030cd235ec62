"""Which jobs a deployment would end: those in deployed shares that are deleted or replaced, named before it begins.

What is deployed is asked of Pulumi's own state, by a function built into the engine; the jobs are asked of Batch,
with the credentials and endpoint of the deployment. Nothing here writes. What can't be looked up is said to be unknown,
never taken for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime.config import get_config

from quota_engine.model.arns import BatchArn, name_of, parse_arn
from quota_engine.model.logical_names import resource_type, share_resource_name
from quota_engine.model.stack import Stack

STATUSES = ("SUBMITTED", "PENDING", "RUNNABLE", "SCHEDULED", "STARTING", "RUNNING")
"""Those of a job that has not ended. Batch API Reference, ListServiceJobs."""
_NAMED_MAX = 20
_READ_STATE = "pulumi:pulumi:readStackResourceOutputs"
_SHARE, _QUEUE = resource_type("QuotaShare"), resource_type("JobQueue")


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


def guard_ending_jobs(stack: Stack) -> list[EndingShare]:
    """Return the deployed shares that deploying `stack` ends, with their jobs, by ARN."""
    ending = ending_shares(deployed_shares(), stack)
    return [_with_jobs(one) for one in ending]


def ending_shares(deployed: Iterable[BatchArn], stack: Stack) -> list[EndingShare]:
    """Return which deployed shares are not declared as they are, with what becomes of them, in their order."""
    found = []
    for arn in deployed:
        becomes = _becomes(arn, stack)
        if becomes != share_resource_name(arn.queue or "", arn.name) or arn.scope.region != stack.region:
            found.append(EndingShare(arn, becomes))
    return found


def deployed_shares() -> list[BatchArn]:
    """Return the shares in this stack's state, sorted; none before the first deployment."""
    arns = [parse_arn(str(one.get("quotaShareArn", ""))) for one in _deployed(_SHARE)]
    return sorted((arn for arn in arns if arn is not None), key=lambda arn: (arn.queue or "", arn.name))


def deployed_queues() -> dict[str, str]:
    """Return the queues in this stack's state with the environment each has, {queue: environment}, by name."""
    found = {}
    for one in _deployed(_QUEUE):
        for entry in one.get("serviceEnvironmentOrder") or ():
            found[str(one.get("jobQueueName"))] = name_of(str(entry.get("serviceEnvironment")))
    return dict(sorted(found.items()))


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


def _deployed(kind: str) -> list[Mapping[str, Any]]:
    """Return the outputs of every resource of a type in this stack's state."""
    answer = pulumi.runtime.invoke(_READ_STATE, {"stackName": pulumi.get_stack()}, pulumi.InvokeOptions())
    resources: Mapping[str, Mapping[str, Any]] = (answer.value or {}).get("outputs", {})
    return [one.get("outputs", {}) for one in resources.values() if one.get("type") == kind]


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
    for status in STATUSES:
        filters: Any = [{"name": "QUOTA_SHARE_NAME", "values": [arn.name]}]
        queue = arn.scope.job_queue(arn.queue or "")
        for page in pages.paginate(jobQueue=queue, jobStatus=status, filters=filters):
            for job in page["jobSummaryList"]:
                yield f"{job['jobName']} ({status})"


def _client(arn: BatchArn) -> Any:
    """Return a Batch client with the `aws-native:` settings of the deployment, in the share's own region.

    Where Cloud Control is led to another address, so is Batch: a stand-in for the one stands in for both, and takes the
    account for a key.
    """
    import boto3
    from botocore.config import Config

    native = pulumi.Config("aws-native")
    endpoints = native.get_object("endpoints") or {}
    endpoint = endpoints.get("batch") or endpoints.get("cloudcontrol")
    key, secret = get_config("aws-native:accessKey"), get_config("aws-native:secretKey")
    if endpoint and not key:
        key, secret = arn.scope.account, arn.scope.account
    session = boto3.Session(
        profile_name=native.get("profile") or None,
        region_name=arn.scope.region,
        aws_access_key_id=key or None,
        aws_secret_access_key=secret or None,
        aws_session_token=get_config("aws-native:token") or None,
    )
    role = (native.get_object("assumeRole") or {}).get("roleArn") or native.get("roleArn")
    if role and not endpoint:
        session = _assumed(session, role)
    config = Config(connect_timeout=5, read_timeout=20, retries={"total_max_attempts": 3})
    return session.client("batch", endpoint_url=endpoint, config=config)


def _assumed(session: Any, role: str) -> Any:
    """Return a session in the role that the deployment assumes."""
    import boto3

    taken = session.client("sts").assume_role(RoleArn=role, RoleSessionName="quota-engine")["Credentials"]
    return boto3.Session(
        aws_access_key_id=taken["AccessKeyId"],
        aws_secret_access_key=taken["SecretAccessKey"],
        aws_session_token=taken["SessionToken"],
        region_name=session.region_name,
    )
