"""What the emulator's tests build again and again: queues with shares, and jobs."""

from __future__ import annotations

import json
from typing import Any

UNIT = "ml.g5.xlarge"
FIFO = {"idleResourceAssignmentStrategy": "FIFO"}


def limits(count: int, unit: str = UNIT) -> list[dict[str, Any]]:
    return [{"maxCapacity": count, "capacityUnit": unit}]


def share_request(name: str, queue: str, strategy: str = "RESERVE", **given: Any) -> dict[str, Any]:
    """Return a CreateQuotaShare request for one instance; `borrow_limit` and `in_share` are its usual variations."""
    sharing: dict[str, Any] = {"strategy": strategy}
    if "borrow_limit" in given:
        sharing["borrowLimit"] = given.pop("borrow_limit")
    return {
        "quotaShareName": name,
        "jobQueue": queue,
        "capacityLimits": limits(1),
        "resourceSharingConfiguration": sharing,
        "preemptionConfiguration": {"inSharePreemption": given.pop("in_share", "DISABLED")},
        **given,
    }


def make_policy(batch: Any, name: str = "policy") -> str:
    arn: str = batch.create_scheduling_policy(name=name, quotaSharePolicy=FIFO)["arn"]
    return arn


def make_environment(batch: Any, name: str = "environment", count: int = 3, **given: Any) -> str:
    request = {"serviceEnvironmentType": "SAGEMAKER_TRAINING", "capacityLimits": limits(count), **given}
    arn: str = batch.create_service_environment(serviceEnvironmentName=name, **request)["serviceEnvironmentArn"]
    return arn


def make_queue(batch: Any, name: str = "training", count: int = 3) -> str:
    """Create a quota-managed queue with a policy and an environment of `count` instances; return its ARN."""
    policy = make_policy(batch, f"{name}-policy")
    make_environment(batch, f"{name}-environment", count)
    arn: str = batch.create_job_queue(**queue_request(name, policy, f"{name}-environment"))["jobQueueArn"]
    return arn


def queue_request(name: str, policy: str | None, environment: str, **given: Any) -> dict[str, Any]:
    request: dict[str, Any] = {
        "jobQueueName": name,
        "priority": 1,
        "jobQueueType": "SAGEMAKER_TRAINING",
        "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": environment}],
        **given,
    }
    return {**request, "schedulingPolicyArn": policy} if policy else request


def make_blog_queue(batch: Any) -> None:
    """Create the announcement's set-up: three instances, and three shares of one each."""
    make_queue(batch)
    batch.create_quota_share(
        **share_request("QS1", "training", "LEND_AND_BORROW", borrow_limit=200, in_share="ENABLED")
    )
    batch.create_quota_share(**share_request("QS2", "training", "LEND"))
    batch.create_quota_share(**share_request("QS3", "training", "RESERVE"))


def payload(**config: Any) -> str:
    """Return the text of a CreateTrainingJob request; without arguments it asks for one instance."""
    resources = config or {"InstanceType": UNIT, "InstanceCount": 1, "VolumeSizeInGB": 30}
    return json.dumps({"TrainingJobName": "train", "ResourceConfig": resources})


def submit(batch: Any, name: str, share: str | None = None, priority: int | None = None, **given: Any) -> str:
    """Submit a job to the queue `training`; return its id."""
    request: dict[str, Any] = {
        "jobName": name,
        "jobQueue": "training",
        "serviceJobType": "SAGEMAKER_TRAINING",
        "serviceRequestPayload": payload(),
        **given,
    }
    if share is not None:
        request["quotaShareName"] = share
    if priority is not None:
        request["schedulingPriority"] = priority
    job_id: str = batch.submit_service_job(**request)["jobId"]
    return job_id


def status(batch: Any, job_id: str) -> str:
    found: str = batch.describe_service_job(jobId=job_id)["status"]
    return found
