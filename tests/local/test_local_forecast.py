"""The forecast gate through the real engine: whose running jobs a lowered limit hits, told before it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from quota_engine.local import workspace
from quota_engine.local.errors import DeploymentFailed
from quota_engine.local.workspace import Target
from quota_engine.model.job_history import RecordedJob, to_line
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack, Strategy

from .failing import forbidding
from .test_local_safety import said_by

pytestmark = pytest.mark.usefixtures("engine")

UNIT = "ml.g5.xlarge"
SHARES = {
    "borrower": QuotaShare("borrower", {UNIT: 1}, Strategy.LEND_AND_BORROW, 200),
    "lender": QuotaShare("lender", {UNIT: 2}, Strategy.LEND),
    "owner": QuotaShare("owner", {UNIT: 1}, Strategy.LEND),
}
STACK = Stack(
    "dev",
    "us-west-2",
    service_environments={"gpu": ServiceEnvironment("gpu", {UNIT: 4})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={"training": JobQueue("training", ("gpu",), "fifo", quota_shares=SHARES)},
)


def with_shares(**shares: QuotaShare | None) -> Stack:
    """Return the stack with these shares in place of those of their names; None takes one away."""
    changed = {name: share for name, share in {**SHARES, **shares}.items() if share is not None}
    return replace(STACK, job_queues={"training": replace(STACK.job_queues["training"], quota_shares=changed)})


LOWER_LENDER = replace(SHARES["lender"], capacity_limits={UNIT: 1})
LOWERED = with_shares(
    lender=LOWER_LENDER,
    owner=replace(SHARES["owner"], capacity_limits={UNIT: 2}),
)
"""The lender has one instance less to lend, and the owner, who waits for it, one more."""


@pytest.fixture
def target(endpoint: str, tmp_path: Path) -> Callable[..., Target]:
    """Return a function that names the emulator as the target of a declaration under a forecast setting."""

    def build(
        stack: Stack = STACK, forecast: str = "block", address: str = endpoint, history: str | None = None
    ) -> Target:
        path = tmp_path / "Pulumi.dev.yaml"
        settings = {"forecast": forecast, **({"forecastHistory": history} if history else {})}
        path.write_text(json.dumps({"config": {f"quota-engine:{name}": value for name, value in settings.items()}}))
        return Target(stack, "dev", address, path, file=tmp_path / "dev.yaml")

    return build


@pytest.fixture
def busy(target: Callable[..., Target], batch: Any, advance: Callable[[int], None]) -> None:
    """Deploy the stack and fill it: one job runs on its share's own limit, two on borrowed instances, one waits."""
    workspace.up(target())
    for priority, name in enumerate(("borrowed-2", "borrowed-1", "own")):
        submit(batch, "borrower", name, priority)
    for name in ("mine", "waiting"):
        submit(batch, "owner", name, 0)
    advance(1_000)
    assert running(batch) == {"own", "borrowed-1", "borrowed-2", "mine"}


def submit(batch: Any, share: str, name: str, priority: int, count: int = 1) -> None:
    payload = {"ResourceConfig": {"InstanceType": UNIT, "InstanceCount": count}}
    batch.submit_service_job(
        jobName=name,
        jobQueue="training",
        quotaShareName=share,
        schedulingPriority=priority,
        serviceJobType="SAGEMAKER_TRAINING",
        serviceRequestPayload=json.dumps(payload),
    )


def running(batch: Any) -> set[str]:
    found: set[str] = set()
    for status in ("SCHEDULED", "STARTING", "RUNNING"):
        listed = batch.list_service_jobs(jobQueue="training", jobStatus=status)["jobSummaryList"]
        found |= {job["jobName"] for job in listed}
    return found


@pytest.mark.usefixtures("busy")
def test_a_lowered_limit_that_hits_borrowed_jobs_is_blocked_and_they_are_named(
    target: Callable[..., Target], batch: Any
) -> None:
    """A limit is a number in a file; the training job that it ends is somebody's week."""
    before = running(batch)
    for operation in (workspace.preview, workspace.up):
        with pytest.raises(DeploymentFailed) as caught:
            operation(target(LOWERED))
        [message] = [one for one in caught.value.messages if "forecast is block" in one]
        assert "now hits 1" in message
        assert "of 4 running jobs" in message
        assert "borrowed-2 of borrower" in message
        assert "is preempted by waiting of owner" in message
    assert running(batch) == before
    limits = {one["quotaShareName"]: one["capacityLimits"] for one in shares_of(batch)}
    assert limits["lender"] == [{"maxCapacity": 2, "capacityUnit": UNIT}]


def shares_of(batch: Any) -> list[Any]:
    found: list[Any] = batch.list_quota_shares(jobQueue="training")["quotaShares"]
    return found


@pytest.mark.usefixtures("busy")
def test_what_the_gate_warns_of_is_what_happens(
    target: Callable[..., Target], batch: Any, advance: Callable[[int], None]
) -> None:
    """A warning that names the wrong job is worse than none."""
    said = said_by(workspace.up, target(LOWERED, "warn"))
    assert "borrowed-2 of borrower" in said
    advance(1_000)
    assert running(batch) == {"own", "borrowed-1", "mine", "waiting"}


@pytest.mark.usefixtures("busy")
def test_with_a_history_a_hit_that_comes_later_is_blocked_too(
    target: Callable[..., Target], batch: Any, tmp_path: Path
) -> None:
    """The owner's job of two instances starts only when its running one has ended, hours after the deployment."""
    [waiting] = batch.list_service_jobs(jobQueue="training", jobStatus="RUNNABLE")["jobSummaryList"]
    batch.terminate_service_job(jobId=waiting["jobId"], reason="makes room")
    submit(batch, "owner", "pair", 0, count=2)
    hours = {"owner": range(1, 11), "borrower": [20] * 5}
    jobs = [
        RecordedJob("training", f"{share}-{n}", "old", share, "SUCCEEDED", {UNIT: 1}, 0, duration_ms=hour * 3_600_000)
        for share, durations in hours.items()
        for n, hour in enumerate(durations)
    ]
    (tmp_path / "jobs.jsonl").write_text("".join(map(to_line, jobs)))
    raised = with_shares(owner=replace(SHARES["owner"], capacity_limits={UNIT: 2}), lender=LOWER_LENDER)
    assert "is preempted" not in said_by(workspace.preview, target(raised))
    with pytest.raises(DeploymentFailed) as caught:
        workspace.preview(target(raised, history="jobs.jsonl"))
    [message] = [one for one in caught.value.messages if "forecast is block" in one]
    assert "of borrower" in message
    assert "is preempted after" in message
    assert "by pair of owner" in message
    assert "rests on" in message


@pytest.mark.usefixtures("busy")
def test_an_edit_that_hits_nobody_passes_the_gate(target: Callable[..., Target], batch: Any) -> None:
    """A gate that stays shut for harmless edits is soon turned off."""
    raised = with_shares(borrower=replace(SHARES["borrower"], borrow_limit_percent=300))
    assert "now hits none of 4 running jobs" in said_by(workspace.up, target(raised))
    assert len(running(batch)) == 4


@pytest.mark.usefixtures("busy")
def test_shares_that_pulumi_has_not_made_do_not_count_as_deleted(target: Callable[..., Target], batch: Any) -> None:
    """Pulumi leaves them and their jobs alone, whatever `quota-engine drift` says of them."""
    batch.create_quota_share(
        quotaShareName="by-hand",
        jobQueue="training",
        capacityLimits=[{"maxCapacity": 1, "capacityUnit": UNIT}],
        resourceSharingConfiguration={"strategy": "LEND"},
        preemptionConfiguration={"inSharePreemption": "DISABLED"},
    )
    assert "now hits none" in said_by(workspace.preview, target())
    with pytest.raises(DeploymentFailed) as caught:
        workspace.preview(target(with_shares(borrower=None)))
    assert "now hits 3 of 4 running jobs" in str(caught.value.messages)


@pytest.mark.usefixtures("busy")
def test_a_queue_that_is_no_longer_declared_counts_with_all_its_jobs(target: Callable[..., Target]) -> None:
    """It is the largest hit there is, and nothing in the declaration mentions it any more."""
    empty = replace(STACK, service_environments={}, job_queues={})
    with pytest.raises(DeploymentFailed) as caught:
        workspace.preview(target(empty))
    assert "now hits 4 of 4 running jobs" in str(caught.value.messages)


@pytest.mark.usefixtures("busy")
def test_an_account_that_can_not_be_read_blocks_or_is_warned_of(target: Callable[..., Target], endpoint: str) -> None:
    """Unknown is not harmless: a missing permission must not open the gate."""
    with forbidding(endpoint, "/v1/listservicejobs") as address:
        with pytest.raises(DeploymentFailed) as caught:
            workspace.preview(target(LOWERED, "block", address))
        [message] = [one for one in caught.value.messages if "forecast is block" in one]
        assert "could not be told: batch:ListServiceJobs: AccessDeniedException" in message
        assert "quota-engine forecast --print-iam-policy" in message
        said = said_by(workspace.preview, target(LOWERED, "warn", address))
        assert "could not be told: batch:ListServiceJobs: AccessDeniedException" in said


@pytest.mark.usefixtures("busy")
def test_destroy_runs_no_gate(target: Callable[..., Target], batch: Any) -> None:
    """It runs no program: only `protect` guards against it, and the documentation says so."""
    workspace.destroy(target())
    assert batch.describe_job_queues()["jobQueues"] == []


def test_the_shipped_production_stack_passes_its_own_gates(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever tries it out before there is an account gets the gates that production will have."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    assert run(["local", "up", "--stack", "prod", "--quiet"]) == 0
    assert run(["local", "preview", "--stack", "prod", "--quiet"]) == 0
