"""This project's program on the emulator, through the real engine and the built-in provider."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from quota_engine.local import workspace
from quota_engine.local.emulator_info import account_of_key
from quota_engine.local.errors import DeploymentFailed, SettingsUnreadable
from quota_engine.local.workspace import Target
from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    State,
    Strategy,
)

pytestmark = pytest.mark.usefixtures("engine")

SHARES = {
    "QS1": QuotaShare("QS1", {"ml.g5.xlarge": 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED, tags={"Team.A": "x"}),
    "QS2": QuotaShare("QS2", {"ml.g5.xlarge": 1}, Strategy.LEND),
    "QS3": QuotaShare("QS3", {"ml.g5.xlarge": 1}, Strategy.RESERVE),
}
QUEUE = JobQueue("training", ("gpu",), "quota-fifo", quota_shares=SHARES)
STACK = Stack(
    "ml-training-dev",
    "us-west-2",
    account="123456789012",
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 3})},
    scheduling_policies={"quota-fifo": SchedulingPolicy("quota-fifo")},
    job_queues={"training": QUEUE},
)
ACCOUNT = "123456789012"
RESOURCES = 10
"""Six of Batch's, the provider, two components and the stack itself, as the engine counts them."""


def with_shares(shares: dict[str, QuotaShare]) -> Stack:
    return replace(STACK, job_queues={"training": replace(QUEUE, quota_shares=shares)})


def edited(name: str, **changes: Any) -> Stack:
    return with_shares({**SHARES, name: replace(SHARES[name], **changes)})


def target(endpoint: str, stack: Stack = STACK, settings: Path | None = None) -> Target:
    return Target(stack, "dev", endpoint, settings)


def share(batch: Any, name: str) -> dict[str, Any]:
    [found] = [item for item in shares(batch) if item["quotaShareName"] == name]
    described: dict[str, Any] = batch.describe_quota_share(quotaShareArn=found["quotaShareArn"])
    return described


def shares(batch: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = batch.list_quota_shares(jobQueue="training")["quotaShares"]
    return found


def submit(batch: Any, share_name: str) -> str:
    payload = {"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}}
    job: str = batch.submit_service_job(
        jobName="job",
        jobQueue="training",
        quotaShareName=share_name,
        serviceJobType="SAGEMAKER_TRAINING",
        serviceRequestPayload=json.dumps(payload),
    )["jobId"]
    return job


def test_up_creates_what_is_declared_and_a_second_one_changes_nothing(endpoint: str, batch: Any) -> None:
    """The first promise of all, and the second: a program that shows changes for ever is not trusted for long."""
    first = workspace.up(target(endpoint))
    assert first.changes == {"create": RESOURCES}
    assert first.outputs["quota_shares"]["training"]["QS1"].endswith(":job-queue/training/quota-share/QS1")
    assert sorted(item["quotaShareName"] for item in shares(batch)) == ["QS1", "QS2", "QS3"]
    lending = share(batch, "QS1")
    assert lending["resourceSharingConfiguration"] == {"strategy": "LEND_AND_BORROW", "borrowLimit": 200}
    assert lending["tags"] == {"Team.A": "x"}, "tag keys are the user's and keep their case"
    for again in (workspace.up(target(endpoint)), workspace.up(target(endpoint), refresh=True)):
        assert again.changes == {"same": RESOURCES}
        assert again.is_unchanged
        assert again.outputs == first.outputs


def test_an_edit_made_elsewhere_is_repaired_by_up_with_refresh_only(endpoint: str, batch: Any) -> None:
    """Pulumi compares with its state, so `up` alone sees nothing; the drift report tells people to add --refresh."""
    workspace.up(target(endpoint))
    arn = share(batch, "QS2")["quotaShareArn"]
    batch.update_quota_share(
        quotaShareArn=arn,
        capacityLimits=[{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 2}],
        state="DISABLED",
    )
    batch.tag_resource(resourceArn=arn, tags={"stray": "tag"})
    assert workspace.up(target(endpoint)).is_unchanged
    assert workspace.up(target(endpoint), refresh=True).changes["update"] == 1
    repaired = share(batch, "QS2")
    assert repaired["capacityLimits"] == [{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 1}]
    assert repaired["state"] == "ENABLED"
    assert not repaired.get("tags")


def test_a_share_deleted_elsewhere_is_created_again_by_up_with_refresh(endpoint: str, batch: Any) -> None:
    """A resource that is gone reads as gone, not as an error."""
    workspace.up(target(endpoint))
    arn = share(batch, "QS3")["quotaShareArn"]
    batch.update_quota_share(quotaShareArn=arn, state="DISABLED")
    batch.delete_quota_share(quotaShareArn=arn)
    assert workspace.up(target(endpoint), refresh=True).changes == {"create": 1, "same": RESOURCES - 1}
    assert share(batch, "QS3")["state"] == "ENABLED"


def test_limits_and_strategies_change_in_place_while_jobs_run(endpoint: str, batch: Any) -> None:
    """A replacement would end the share's jobs."""
    workspace.up(target(endpoint))
    job = submit(batch, "QS1")
    changed = edited("QS1", strategy=Strategy.LEND, borrow_limit_percent=None, tags={})
    result = workspace.up(target(endpoint, changed))
    assert result.changes == {"same": RESOURCES - 1, "update": 1}
    described = share(batch, "QS1")
    assert described["resourceSharingConfiguration"]["strategy"] == "LEND"
    assert not described.get("tags")
    assert batch.describe_service_job(jobId=job)["status"] != "FAILED"


def test_a_renamed_share_is_replaced_old_one_first(endpoint: str, batch: Any) -> None:
    """Names are create-only in Batch. Jobs of the old share end, which is why `preview` must say "replace"."""
    workspace.up(target(endpoint))
    renamed = with_shares(
        {"QS1": SHARES["QS1"], "QS2": SHARES["QS2"], "QS9": replace(SHARES["QS3"], name="QS9", renamed_from="QS3")}
    )
    assert workspace.preview(target(endpoint, renamed)).changes["replace"] == 1
    assert sorted(item["quotaShareName"] for item in shares(batch)) == ["QS1", "QS2", "QS3"]
    lines: list[str] = []
    assert workspace.up(target(endpoint, renamed), on_output=lines.append).changes["replace"] == 1
    assert sorted(item["quotaShareName"] for item in shares(batch)) == ["QS1", "QS2", "QS9"]
    text = "\n".join(lines)
    assert text.index("deleted original") < text.index("created replacement")
    assert workspace.up(target(endpoint, renamed)).is_unchanged, "renamed_from may stay in the file"


def test_environment_and_policy_are_swapped_under_a_queue_that_stays(endpoint: str, batch: Any) -> None:
    """New ones first, then the queue, then the old ones go: in any other order Batch refuses, or the jobs end."""
    workspace.up(target(endpoint))
    job = submit(batch, "QS1")
    swapped = replace(
        STACK,
        service_environments={"gpu-2": replace(STACK.service_environments["gpu"], name="gpu-2")},
        scheduling_policies={"fifo-2": SchedulingPolicy("fifo-2")},
        job_queues={"training": replace(QUEUE, service_environments=("gpu-2",), scheduling_policy="fifo-2")},
    )
    assert workspace.up(target(endpoint, swapped)).changes == {"create": 2, "delete": 2, "same": 7, "update": 1}
    [queue] = batch.describe_job_queues(jobQueues=["training"])["jobQueues"]
    assert queue["schedulingPolicyArn"].endswith("/fifo-2")
    assert queue["serviceEnvironmentOrder"][0]["serviceEnvironment"].endswith("/gpu-2")
    assert batch.describe_service_job(jobId=job)["status"] != "FAILED"


def test_destroy_with_running_jobs_leaves_nothing(endpoint: str, batch: Any) -> None:
    """Deleting a share ends its jobs; nothing of them may keep the queue or the environment from going."""
    workspace.up(target(endpoint))
    for name in SHARES:
        submit(batch, name)
    assert workspace.destroy(target(endpoint)).changes == {"delete": RESOURCES}
    assert batch.describe_job_queues()["jobQueues"] == []
    assert batch.describe_service_environments()["serviceEnvironments"] == []
    assert batch.list_scheduling_policies()["schedulingPolicies"] == []
    assert workspace.up(target(endpoint)).changes["create"] >= RESOURCES - 1, "and it can be deployed again"


def test_refresh_changes_the_state_and_not_the_emulator(endpoint: str, batch: Any) -> None:
    """It is a look, not a repair."""
    workspace.up(target(endpoint))
    arn = share(batch, "QS2")["quotaShareArn"]
    batch.update_quota_share(quotaShareArn=arn, state="DISABLED")
    assert workspace.refresh(target(endpoint)).changes["update"] == 1
    assert share(batch, "QS2")["state"] == "DISABLED"
    assert workspace.preview(target(endpoint)).changes == {"same": RESOURCES - 1, "update": 1}


def test_a_protected_share_survives_destroy(endpoint: str, batch: Any) -> None:
    """That is what `protect` is for, and the failure names the share."""
    protected = edited("QS1", protect=True)
    workspace.up(target(endpoint, protected))
    with pytest.raises(DeploymentFailed, match="failed") as caught:
        workspace.destroy(target(endpoint, protected))
    assert any("training.QS1" in message and "protected" in message for message in caught.value.messages)
    assert share(batch, "QS1")["state"] == "ENABLED"
    workspace.up(target(endpoint))
    workspace.destroy(target(endpoint))


def test_what_exists_already_is_the_services_own_words_and_a_fix(endpoint: str, batch: Any) -> None:
    """Created by hand or by another state: the engine can't adopt it, and says so in the service's words."""
    batch.create_scheduling_policy(name="quota-fifo", quotaSharePolicy={"idleResourceAssignmentStrategy": "FIFO"})
    with pytest.raises(DeploymentFailed) as caught:
        workspace.up(target(endpoint))
    assert any(message.startswith("quota-fifo: ") and "AlreadyExists" in message for message in caught.value.messages)
    assert "delete" in caught.value.fix


def test_settings_for_another_region_stop_the_program_without_a_traceback(
    endpoint: str, batch: Any, tmp_path: Path
) -> None:
    """A user's mistake in two files gets one clear message, and nothing is created."""
    settings = tmp_path / "Pulumi.dev.yaml"
    settings.write_text("encryptionsalt: v1:abc\nconfig:\n  aws-native:region: eu-west-1\n")
    with pytest.raises(DeploymentFailed) as caught:
        workspace.up(target(endpoint, settings=settings))
    [message] = caught.value.messages
    assert "us-west-2" in message
    assert "eu-west-1" in message
    assert "Traceback" not in message
    assert batch.describe_job_queues()["jobQueues"] == []
    assert settings.read_text() == "encryptionsalt: v1:abc\nconfig:\n  aws-native:region: eu-west-1\n"


def test_a_name_pulumi_refuses_is_one_clear_failure(endpoint: str) -> None:
    """A stack's file may have any name, Pulumi's stacks may not."""
    with pytest.raises(DeploymentFailed) as caught:
        workspace.up(Target(STACK, "my stack", endpoint))
    [message] = caught.value.messages
    assert "stack name" in message
    assert "stdout" not in message


def test_a_reader_that_goes_away_does_not_stop_the_deployment_half_way(endpoint: str, batch: Any) -> None:
    """`quota-engine local up | head` must deploy everything all the same, and end like any other with a closed pipe."""

    def closed(line: str) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        workspace.up(target(endpoint), on_output=closed)
    assert len(shares(batch)) == 3
    assert workspace.up(target(endpoint)).is_unchanged


@pytest.mark.parametrize("text", ["config: [", "- a", "config: text", "config:\n\t- a"])
def test_settings_that_can_not_be_read_are_one_clear_failure(endpoint: str, tmp_path: Path, text: str) -> None:
    """Pulumi writes this file, but people edit it."""
    settings = tmp_path / "Pulumi.dev.yaml"
    settings.write_text(text)
    with pytest.raises(SettingsUnreadable, match=r"Pulumi\.dev\.yaml"):
        workspace.up(target(endpoint, settings=settings))


def test_settings_that_do_not_apply_are_named(endpoint: str, tmp_path: Path) -> None:
    """Left out silently, a role or a profile would look as if it had been used."""
    settings = tmp_path / "Pulumi.dev.yaml"
    settings.write_text("config:\n  aws-native:region: us-west-2\n  aws-native:profile: prod\n")
    result = workspace.up(target(endpoint, settings=settings))
    assert any("aws-native:profile" in note for note in result.notes)


def test_the_checkout_and_the_users_pulumi_login_stay_as_they_are(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trying things out on a laptop must leave `git status` clean and the user logged in where they were."""
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    (checkout / "stacks").mkdir(parents=True)
    home.mkdir()
    (checkout / "Pulumi.yaml").write_text("name: quota-engine\nruntime: python\nstackConfigDir: stacks\n")
    settings = checkout / "stacks" / "Pulumi.dev.yaml"
    settings.write_text("config:\n  aws-native:region: us-west-2\n")
    git(checkout, "init", "-q")
    git(checkout, "add", "-A")
    git(checkout, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "all")
    monkeypatch.setenv("PULUMI_HOME", str(home / "pulumi"))
    monkeypatch.setenv("PULUMI_BACKEND_URL", "https://example.invalid")
    monkeypatch.setenv("AWS_PROFILE", "nonexistent")
    for proxy in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "grpc_proxy"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.chdir(checkout)
    workspace.up(target(endpoint, settings=settings))
    workspace.destroy(target(endpoint, settings=settings))
    assert git(checkout, "status", "--porcelain") == ""
    assert not (home / "pulumi").exists()
    assert os.environ["AWS_PROFILE"] == "nonexistent", "what was hidden from the engine is put back"
    assert "no_proxy" not in os.environ


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(("key", "account"), [("210987654321", "210987654321"), ("AKIAIOSFODNN7EXAMPLE", ACCOUNT)])
def test_without_a_declared_account_the_users_key_says_which(
    endpoint: str, monkeypatch: pytest.MonkeyPatch, key: str, account: str
) -> None:
    """The user's AWS CLI works in the account of its key; a deployment elsewhere would look like none at all."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
    undeclared = replace(STACK, account=None)
    made = workspace.up(Target(undeclared, "dev", endpoint, account=account_of_key()))
    assert f":{account}:" in made.outputs["job_queues"]["training"]
    declared = workspace.preview(Target(STACK, "other", endpoint, account=account_of_key()))
    assert declared.changes == {"create": RESOURCES}


def test_keys_of_another_account_than_the_declared_one_are_named(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Their owner would look for the deployment with these keys, and see nothing."""
    text = (Path(__file__).resolve().parents[2] / "stacks" / "dev.yaml").read_text(encoding="utf-8")
    (tmp_path / "dev.yaml").write_text(text.replace("region:", f'account: "{ACCOUNT}"\nregion:', 1), encoding="utf-8")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "210987654321")
    assert run(["local", "preview", "--stack", str(tmp_path / "dev.yaml"), "--endpoint", endpoint]) == 0
    assert f"this is account {ACCOUNT}, which the declaration names" in capfd.readouterr().err
