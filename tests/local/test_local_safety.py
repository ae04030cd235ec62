"""What a platform team trusts with production: jobs are named before they end, gates hold, and interruption heals."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quota_engine.local import workspace
from quota_engine.local.errors import DeploymentFailed
from quota_engine.local.workspace import Target
from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    State,
    Strategy,
    TimeLimitAction,
)

from .failing import failing

pytestmark = pytest.mark.usefixtures("engine")

SHARES = {
    "QS1": QuotaShare("QS1", {"ml.g5.xlarge": 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED),
    "QS2": QuotaShare("QS2", {"ml.g5.xlarge": 1}, Strategy.LEND),
}
QUEUE = JobQueue("training", ("gpu",), "fifo", quota_shares=SHARES)
STACK = Stack(
    "dev",
    "us-west-2",
    account="123456789012",
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 3})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={"training": QUEUE},
)
RENAMED = replace(SHARES["QS1"], name="research", renamed_from="QS1")


def with_queue(**changes: Any) -> Stack:
    queue = replace(QUEUE, **changes)
    return replace(STACK, job_queues={queue.name: queue})


def with_shares(*shares: QuotaShare) -> Stack:
    return with_queue(quota_shares={share.name: share for share in shares})


def submit(batch: Any, share: str, name: str) -> None:
    payload = {"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}}
    batch.submit_service_job(
        jobName=name,
        jobQueue="training",
        quotaShareName=share,
        serviceJobType="SAGEMAKER_TRAINING",
        serviceRequestPayload=json.dumps(payload),
    )


@pytest.fixture
def target(endpoint: str, tmp_path: Path) -> Callable[..., Target]:
    """Return a function that names the emulator as the target of a declaration, with the given settings."""

    def build(stack: Stack = STACK, **settings: Any) -> Target:
        file = tmp_path / "dev.yaml"
        path = tmp_path / "Pulumi.dev.yaml"
        config = {f"quota-engine:{name}": value for name, value in settings.items()}
        path.write_text(json.dumps({"config": config}))
        return Target(stack, "dev", endpoint, path, file=file)

    return build


def said_by(operation: Callable[..., Any], target: Target) -> str:
    lines: list[str] = []
    operation(target, on_output=lines.append)
    return "\n".join(lines)


def test_renaming_a_share_names_the_jobs_that_end_before_they_do(target: Callable[..., Target], batch: Any) -> None:
    """A rename looks harmless in a file, and terminates every job of the share."""
    workspace.up(target())
    submit(batch, "QS1", "train-7")
    submit(batch, "QS2", "not-concerned")
    renamed = target(with_shares(RENAMED, SHARES["QS2"]))
    said = said_by(workspace.preview, renamed)
    assert "'training.QS1' is deleted and made anew as 'training.research', which ends 1 of its jobs: train-7" in said
    assert "not-concerned" not in said
    assert workspace.preview(renamed).changes["replace"] == 1
    assert "train-7" in said_by(workspace.up, renamed)
    names = [share["quotaShareName"] for share in batch.list_quota_shares(jobQueue="training")["quotaShares"]]
    assert sorted(names) == ["QS2", "research"]
    assert workspace.up(renamed).is_unchanged, "and the former name may stay in the file"


def test_a_share_with_jobs_is_not_deleted_where_the_settings_forbid_it(
    target: Callable[..., Target], batch: Any
) -> None:
    """In production a warning that scrolls by is no protection."""
    workspace.up(target())
    submit(batch, "QS1", "train-7")
    with pytest.raises(DeploymentFailed) as caught:
        workspace.up(target(with_shares(SHARES["QS2"]), endingJobs="block"))
    assert any("endingJobs is block" in message for message in caught.value.messages)
    assert len(batch.list_quota_shares(jobQueue="training")["quotaShares"]) == 2
    assert "'training.QS2' is deleted; it has no jobs now" in said_by(
        workspace.up, target(with_shares(SHARES["QS1"]), endingJobs="block")
    )


def test_a_queue_is_renamed_while_its_environment_stays(target: Callable[..., Target], batch: Any) -> None:
    """One queue an environment: the former one has to go before the new one can be made."""
    workspace.up(target())
    submit(batch, "QS1", "train-7")
    renamed = target(with_queue(name="learning", renamed_from="training"))
    assert "train-7" in said_by(workspace.preview, renamed)
    workspace.up(renamed)
    queues = [queue["jobQueueName"] for queue in batch.describe_job_queues()["jobQueues"]]
    assert queues == ["learning"]
    assert workspace.up(renamed).is_unchanged


def test_a_new_queue_on_a_taken_environment_is_refused_and_the_old_one_lives(
    target: Callable[..., Target], batch: Any
) -> None:
    """Without renamed_from it may be a mistake, so nothing of the old queue is touched."""
    workspace.up(target())
    with pytest.raises(DeploymentFailed) as caught:
        workspace.up(target(with_queue(name="learning")))
    assert any("renamed_from: training" in message for message in caught.value.messages)
    names = [share["quotaShareName"] for share in batch.list_quota_shares(jobQueue="training")["quotaShares"]]
    assert sorted(names) == ["QS1", "QS2"]
    assert workspace.up(target()).changes.get("delete", 0) == 0


EDITED = replace(
    with_queue(
        priority=5,
        time_limit_actions=(TimeLimitAction("MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", 3600),),
        quota_shares={**SHARES, "QS1": replace(SHARES["QS1"], capacity_limits={"ml.g5.xlarge": 2})},
    ),
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 4})},
)


def some(*counts: int, now: tuple[int, ...]) -> list[Any]:
    """Return the counts as parameters; those not in `now` belong to the long tests."""
    return [pytest.param(count, marks=() if count in now else pytest.mark.long) for count in counts]


@pytest.mark.parametrize("count", some(1, 2, 3, 4, 5, now=(3,)))
def test_a_creation_that_fails_half_way_is_finished_by_the_next_up(
    target: Callable[..., Target], endpoint: str, count: int
) -> None:
    """A failing call in the middle must leave nothing that a second run can't get past."""
    with failing(endpoint, "CreateResource", count) as address:
        with pytest.raises(DeploymentFailed):
            workspace.up(replace(target(), endpoint=address))
        workspace.up(replace(target(), endpoint=address))
        assert workspace.up(replace(target(), endpoint=address), refresh=True).is_unchanged


@pytest.mark.parametrize("count", some(1, 2, 3, now=(2,)))
def test_an_update_that_fails_half_way_is_finished_by_the_next_up(
    target: Callable[..., Target], endpoint: str, count: int
) -> None:
    """What was changed before the failure is known to the state, what was not is changed now."""
    workspace.up(target())
    with failing(endpoint, "UpdateResource", count) as address:
        with pytest.raises(DeploymentFailed):
            workspace.up(replace(target(EDITED), endpoint=address))
        workspace.up(replace(target(EDITED), endpoint=address))
        assert workspace.up(replace(target(EDITED), endpoint=address), refresh=True).is_unchanged


@pytest.mark.parametrize("count", some(1, 2, 3, 4, 5, now=(3,)))
def test_a_destruction_that_fails_half_way_is_finished_by_the_next(
    target: Callable[..., Target], endpoint: str, batch: Any, count: int
) -> None:
    """Shares that are gone and a queue that is left disabled must not be in the way of a second attempt."""
    workspace.up(target())
    submit(batch, "QS1", "train-7")
    with failing(endpoint, "DeleteResource", count) as address:
        with pytest.raises(DeploymentFailed):
            workspace.destroy(replace(target(), endpoint=address))
        workspace.destroy(replace(target(), endpoint=address))
    assert batch.describe_job_queues()["jobQueues"] == []
    assert batch.describe_service_environments()["serviceEnvironments"] == []


@pytest.mark.parametrize("operation", ["DeleteResource", "CreateResource"])
def test_a_replacement_that_fails_half_way_is_finished_by_the_next_up(
    target: Callable[..., Target], endpoint: str, batch: Any, operation: str
) -> None:
    """Between the deletion of the old and the creation of the new share the queue has neither."""
    workspace.up(target())
    renamed = target(with_shares(RENAMED, SHARES["QS2"]))
    with failing(endpoint, operation, 1) as address, pytest.raises(DeploymentFailed):
        workspace.up(replace(renamed, endpoint=address))
    workspace.up(renamed)
    names = [share["quotaShareName"] for share in batch.list_quota_shares(jobQueue="training")["quotaShares"]]
    assert sorted(names) == ["QS2", "research"]
    assert workspace.up(renamed, refresh=True).is_unchanged


DECLARATION = """\
kind: stack
version: 1
name: dev
region: us-west-2
account: "123456789012"
service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 3}}}
scheduling_policies: {fifo: {}}
job_queues:
  training:
    service_environment: gpu
    scheduling_policy: fifo
    quota_shares:
      QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND}}
"""
SCENARIO = """\
kind: scenario
version: 1
stack: dev.yaml
jobs: [{name: one, share: QS1, instances: {ml.g5.xlarge: 1}, duration: 1h}]
expect: [{finished: {job: one, by: %s}}]
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[[str], None]:
    """Return a function that writes a declaration and a scenario about it, whose job has to be done by a time."""

    def write(by: str) -> None:
        (tmp_path / "dev.yaml").write_text(DECLARATION)
        (tmp_path / "work.yaml").write_text(SCENARIO % by)

    return write


def test_a_scenario_that_must_hold_stops_preview_and_up_when_it_does_not(
    target: Callable[..., Target], scenario: Callable[[str], None], batch: Any
) -> None:
    """The prediction is worth most before anything is changed."""
    scenario("30m")
    for operation in (workspace.preview, workspace.up):
        with pytest.raises(DeploymentFailed) as caught:
            operation(target(simulate=["work.yaml"]))
        assert any("work.yaml" in message and "one" in message for message in caught.value.messages)
    assert batch.describe_service_environments()["serviceEnvironments"] == []
    scenario("2h")
    assert "1 scenario holds: work.yaml" in said_by(workspace.up, target(simulate=["work.yaml"]))
