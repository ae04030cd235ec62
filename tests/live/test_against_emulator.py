"""Observation and drift against the emulator: the same calls a user makes behind Pulumi's back, with real boto3."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from quota_engine.config import load_stack
from quota_engine.drift import DriftReport, Outcome, Unmanaged, compare
from quota_engine.live import observe
from quota_engine.model import shapes
from quota_engine.model.arns import Scope
from quota_engine.model.stack import Stack
from quota_engine.report.visible import show_path
from tests.conftest import ACCOUNT, Emulator

Deployed = tuple[Emulator, Stack, boto3.Session]


@pytest.fixture
def deployed(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Deployed:
    """The declaration stacks/dev.yaml, created in the emulator."""
    loaded = load_stack("stacks/dev.yaml")
    assert loaded.value is not None
    stack = loaded.value
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    create(emulator.client("batch", region=stack.region), stack, Scope(ACCOUNT, stack.region))
    return emulator, stack, emulator.session(region=stack.region)


def create(batch: Any, stack: Stack, scope: Scope) -> None:
    for policy in stack.scheduling_policies.values():
        batch.create_scheduling_policy(**shapes.policy_to_api(policy))
    for environment in stack.service_environments.values():
        batch.create_service_environment(**shapes.environment_to_api(environment))
    for queue in stack.job_queues.values():
        batch.create_job_queue(**shapes.queue_to_api(queue, scope))
        for share in queue.quota_shares.values():
            batch.create_quota_share(**shapes.share_to_api(share, scope.job_queue(queue.name)))


def drift(deployed: Deployed, **settings: Any) -> DriftReport:
    _, stack, session = deployed
    return compare(stack, observe(stack, session), **settings)


def rows(report: DriftReport) -> list[tuple[str, str]]:
    return [(change.about.rule, show_path(change.path)) for change in report.changes]


def share_arn(deployed: Deployed, share: str) -> str:
    return Scope(ACCOUNT, deployed[1].region).quota_share("training", share)


def batch_of(deployed: Deployed) -> Any:
    return deployed[0].client("batch", region=deployed[1].region)


SHARES = "job_queues.training.quota_shares"


def test_what_was_just_created_is_in_sync(deployed: Deployed) -> None:
    """Any drift here would be noise in every report there will ever be."""
    report = drift(deployed)
    assert (report.changes, report.notes, report.unreadable) == ((), (), ())
    assert report.outcome is Outcome.IN_SYNC
    assert report.account == ACCOUNT


def test_an_edited_share_a_disabled_one_and_an_extra_one_are_found(deployed: Deployed) -> None:
    """The three edits behind Pulumi's back that change who may borrow what."""
    batch, queue_arn = batch_of(deployed), Scope(ACCOUNT, deployed[1].region).job_queue("training")
    batch.update_quota_share(
        quotaShareArn=share_arn(deployed, "QS1"),
        resourceSharingConfiguration={"strategy": "LEND_AND_BORROW", "borrowLimit": 400},
    )
    batch.update_quota_share(quotaShareArn=share_arn(deployed, "QS2"), state="DISABLED")
    batch.create_quota_share(
        quotaShareName="unplanned",
        jobQueue=queue_arn,
        capacityLimits=[{"maxCapacity": 1, "capacityUnit": "ml.g5.xlarge"}],
        resourceSharingConfiguration={"strategy": "LEND"},
        preemptionConfiguration={"inSharePreemption": "DISABLED"},
    )
    report = drift(deployed)
    assert rows(report) == [
        ("QE604", f"{SHARES}.QS1.resource_sharing.borrow_limit"),
        ("QE606", f"{SHARES}.QS2.state"),
        ("QE602", f"{SHARES}.unplanned"),
    ]
    assert report.changes[0].consequence == "QS1 may borrow 2 more ml.g5.xlarge than declared (4 instead of 2)"
    assert [change.repaired_by_refresh for change in report.changes] == [True, True, False]


@pytest.mark.parametrize(
    ("unmanaged", "outcome", "shown"),
    [
        (Unmanaged.FAIL, Outcome.DRIFT, 1),
        (Unmanaged.REPORT, Outcome.IN_SYNC, 1),
        (Unmanaged.IGNORE, Outcome.IN_SYNC, 0),
    ],
)
def test_unmanaged_shares_fail_are_reported_or_are_ignored(
    unmanaged: Unmanaged, outcome: Outcome, shown: int, deployed: Deployed
) -> None:
    """Some teams adopt the tool while others still make shares by hand."""
    batch_of(deployed).create_quota_share(
        quotaShareName="unplanned",
        jobQueue="training",
        capacityLimits=[{"maxCapacity": 1, "capacityUnit": "ml.g5.xlarge"}],
        resourceSharingConfiguration={"strategy": "RESERVE"},
        preemptionConfiguration={"inSharePreemption": "DISABLED"},
    )
    report = drift(deployed, unmanaged=unmanaged)
    assert report.outcome is outcome
    assert len(report.changes) == shown


def test_a_deleted_share_is_missing(deployed: Deployed) -> None:
    """First it shows as being deleted, then as missing; both are drift."""
    batch = batch_of(deployed)
    batch.update_quota_share(quotaShareArn=share_arn(deployed, "QS3"), state="DISABLED")
    batch.delete_quota_share(quotaShareArn=share_arn(deployed, "QS3"))
    reports = [drift(deployed) for _ in range(3)]
    assert {report.exit_code for report in reports} == {1}
    assert rows(reports[-1]) == [("QE601", f"{SHARES}.QS3")]


def test_a_tag_and_an_environment_limit_changed_outside_are_found(deployed: Deployed) -> None:
    """Tags come only with DescribeQuotaShare; the environment is the wall behind all shares."""
    batch = batch_of(deployed)
    batch.tag_resource(resourceArn=share_arn(deployed, "QS1"), tags={"owner": "someone"})
    batch.update_service_environment(
        serviceEnvironment="gpu", capacityLimits=[{"maxCapacity": 2, "capacityUnit": "ml.g5.xlarge"}]
    )
    assert rows(drift(deployed)) == [
        ("QE610", f"{SHARES}.QS1.tags.owner"),
        ("QE603", "service_environments.gpu.capacity_limits[ml.g5.xlarge]"),
    ]


def test_nothing_deployed_is_all_missing(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty account answers; nothing of it is an error."""
    loaded = load_stack("stacks/dev.yaml")
    assert loaded.value is not None
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    report = compare(loaded.value, observe(loaded.value, emulator.session()))
    assert {change.about.rule for change in report.changes} == {"QE601"}
    assert len(report.changes) == 6
    assert report.exit_code == 1


@pytest.mark.parametrize("operation", ["DescribeJobQueues", "ListQuotaShares", "DescribeQuotaShare"])
def test_a_throttled_emulator_is_unreadable_not_missing(operation: str, deployed: Deployed) -> None:
    """Throttling that outlasts the retries ends in "could not tell"."""
    deployed[0].control("faults", {"operation": operation, "kind": "throttle", "count": 100})
    report = drift(deployed)
    assert report.exit_code == 2
    assert report.changes == ()
    assert {gap.problem.operation for gap in report.unreadable} == {f"batch:{operation}"}
