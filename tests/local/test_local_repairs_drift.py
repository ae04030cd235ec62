"""The drift report's promise, kept by the real engine: what it says a refresh repairs, a refresh repairs."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from quota_engine.drift import DriftReport, Outcome, compare
from quota_engine.live import observe
from quota_engine.local import workspace
from quota_engine.local.workspace import Target
from quota_engine.model.arns import Scope
from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    Strategy,
    TimeLimitAction,
)

pytestmark = pytest.mark.usefixtures("engine")

SCOPE = Scope("123456789012", "us-west-2")
SHARES = {
    "unset": QuotaShare("unset", {"ml.g5.xlarge": 2}, Strategy.LEND_AND_BORROW),
    "fifty": QuotaShare("fifty", {"ml.g5.xlarge": 2, "ml.p5.48xlarge": 1}, Strategy.LEND_AND_BORROW, 50),
    "lend": QuotaShare("lend", {"ml.g5.xlarge": 1}, Strategy.LEND),
    "gone": QuotaShare("gone", {"ml.g5.xlarge": 1}, Strategy.RESERVE),
}
QUEUE = JobQueue(
    "training",
    ("gpu",),
    "fifo",
    priority=3,
    time_limit_actions=(TimeLimitAction("MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", 3600),),
    quota_shares=SHARES,
    tags={"own": "tag"},
)
STACK = Stack(
    "claims",
    SCOPE.region,
    account=SCOPE.account,
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 6, "ml.p5.48xlarge": 1})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={"training": QUEUE},
)


def edit_everything(batch: Any) -> None:
    """Change one attribute of every kind, with and without a declared value, and delete a share."""
    queue, unset, fifty, lend, gone = (
        SCOPE.job_queue("training"),
        *(SCOPE.quota_share("training", name) for name in SHARES),
    )
    borrowing = {"strategy": "LEND_AND_BORROW"}
    batch.update_quota_share(quotaShareArn=unset, resourceSharingConfiguration={**borrowing, "borrowLimit": 0})
    batch.update_quota_share(
        quotaShareArn=fifty,
        resourceSharingConfiguration=borrowing,
        capacityLimits=[{"maxCapacity": 3, "capacityUnit": "ml.g5.xlarge"}],
        preemptionConfiguration={"inSharePreemption": "ENABLED"},
    )
    batch.update_quota_share(quotaShareArn=lend, state="DISABLED")
    batch.tag_resource(resourceArn=lend, tags={"undeclared": "x"})
    batch.update_quota_share(quotaShareArn=gone, state="DISABLED")
    batch.delete_quota_share(quotaShareArn=gone)
    batch.tag_resource(resourceArn=queue, tags={"undeclared": "x", "own": "changed"})
    action = {"reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", "state": "RUNNABLE", "action": "TERMINATE"}
    batch.update_job_queue(
        jobQueue="training",
        priority=9,
        state="DISABLED",
        jobStateTimeLimitActions=[{**action, "maxTimeSeconds": 600}],
    )
    batch.update_service_environment(
        serviceEnvironment="gpu",
        state="DISABLED",
        capacityLimits=[
            {"maxCapacity": 5, "capacityUnit": "ml.g5.xlarge"},
            {"maxCapacity": 2, "capacityUnit": "ml.p4d.24xlarge"},
        ],
    )
    batch.tag_resource(resourceArn=SCOPE.scheduling_policy("fifo"), tags={"undeclared": "x"})


@pytest.fixture
def session(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> boto3.Session:
    for service in ("BATCH", "STS"):
        monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", endpoint)
    return boto3.Session(aws_access_key_id=SCOPE.account, aws_secret_access_key="any")


def drift(session: boto3.Session) -> DriftReport:
    """Compare once the deleted share is no longer shown as being deleted."""
    for _ in range(3):
        report = compare(STACK, observe(STACK, session))
        if not report.notes:
            break
    return report


def test_up_with_refresh_repairs_every_change_that_the_report_says_it_repairs(
    endpoint: str, batch: Any, session: boto3.Session
) -> None:
    """A report that promises what Pulumi then doesn't do would send people away believing all is well."""
    target = Target(STACK, "claims", endpoint)
    workspace.up(target)
    assert drift(session).outcome is Outcome.IN_SYNC
    edit_everything(batch)
    report = drift(session)
    kinds = {change.about.name for change in report.changes}
    assert kinds >= {
        "missing-resource", "changed-capacity", "changed-resource-sharing", "changed-preemption", "changed-state",
        "changed-time-limit", "changed-priority", "changed-tag",
    }  # fmt: skip
    assert all(change.repaired_by_refresh for change in report.changes)
    workspace.up(target, refresh=True)
    assert drift(session).changes == ()
