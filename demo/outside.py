"""Changes behind Pulumi's back, with boto3: `edit` edits a share and creates another, `delete` removes that one, `list`
shows what there is. Uses whatever account and endpoint the environment names."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import boto3
from botocore.exceptions import ClientError

from .play import emulator

QUEUE = "training"
EXTRA = "unplanned"


def share_arn(name: str) -> str:
    batch = boto3.client("batch")
    queue_arn = batch.describe_job_queues(jobQueues=[QUEUE])["jobQueues"][0]["jobQueueArn"]
    return f"{queue_arn}/quota-share/{name}"


def edit() -> None:
    """Lower QS1's borrow limit and create a share that nobody declared."""
    batch = boto3.client("batch")
    batch.update_quota_share(
        quotaShareArn=share_arn("QS1"),
        resourceSharingConfiguration={"strategy": "LEND_AND_BORROW", "borrowLimit": 0},
    )
    print("QS1: borrowLimit is now 0")
    batch.create_quota_share(
        quotaShareName=EXTRA,
        jobQueue=QUEUE,
        capacityLimits=[{"maxCapacity": 1, "capacityUnit": "ml.g5.xlarge"}],
        resourceSharingConfiguration={"strategy": "LEND"},
        preemptionConfiguration={"inSharePreemption": "DISABLED"},
    )
    print(f"{EXTRA}: created")


def wait_for(arn: str, done: Callable[[dict[str, object] | None], bool]) -> None:
    """Poll a share until `done` says so of its description, None once it is gone."""
    batch = boto3.client("batch")
    for _ in range(100):
        try:
            share: dict[str, object] | None = dict(batch.describe_quota_share(quotaShareArn=arn))
        except ClientError as error:
            if "does not exist" not in str(error):
                raise
            share = None
        if done(share):
            return
        time.sleep(0.05)
    raise SystemExit(f"{arn} did not settle")


def delete() -> None:
    """Delete the extra share the way the API wants it: disable, wait, delete, wait."""
    batch = boto3.client("batch")
    arn = share_arn(EXTRA)
    batch.update_quota_share(quotaShareArn=arn, state="DISABLED")
    wait_for(arn, lambda share: share is not None and (share["status"], share["state"]) == ("VALID", "DISABLED"))
    print(f"{EXTRA}: disabled")
    batch.delete_quota_share(quotaShareArn=arn)
    wait_for(arn, lambda share: share is None)
    print(f"{EXTRA}: deleted")


def list_all() -> None:
    """Print how many of each resource there are, and what became of the jobs; exit 1 when any resource is left."""
    batch = boto3.client("batch")
    counts = {
        "scheduling policies": len(batch.list_scheduling_policies()["schedulingPolicies"]),
        "service environments": len(batch.describe_service_environments()["serviceEnvironments"]),
        "job queues": len(batch.describe_job_queues()["jobQueues"]),
    }
    for kind, count in counts.items():
        print(f"{kind}: {count}")
    for job in (job for region in emulator("/_emulator/dump")["regions"] for job in region["jobs"]):
        print(f"job {job['jobName']}: {job['status']}, {job['statusReason']}")
    if any(counts.values()):
        raise SystemExit(1)


COMMANDS = {"edit": edit, "delete": delete, "list": list_all}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        raise SystemExit(f"usage: python -m demo.outside {'|'.join(COMMANDS)}")
    COMMANDS[sys.argv[1]]()
