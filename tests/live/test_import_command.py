"""`quota-engine import` on the emulator: what lives becomes a declaration that differs from it in nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.model.arns import Scope
from quota_engine.model.stack import Stack
from tests.conftest import ACCOUNT, Emulator
from tests.emulator.resources import limits, make_environment, make_policy, queue_request, share_request
from tests.live.test_against_emulator import create

Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=["dev", "prod"])
def stack(request: pytest.FixtureRequest) -> Stack:
    """Both shipped declarations."""
    loaded = load_stack(f"stacks/{request.param}.yaml")
    assert loaded.value is not None
    return loaded.value


@pytest.fixture
def batch(stack: Stack, emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The emulator with the declaration in it."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_REGION", stack.region)
    client = emulator.client("batch", region=stack.region)
    create(client, stack, Scope(ACCOUNT, stack.region))
    return client


@pytest.mark.usefixtures("batch")
def test_what_is_written_is_drift_clean_and_declares_everything(tmp_path: Path, stack: Stack) -> None:
    """An adopted setup must not show a difference the next morning."""
    written = tmp_path / "imported.yaml"
    assert run(["import", "--all", "--name", "adopted", "--output", str(written)]) == 0
    assert run(["drift", str(written), "--all"]) == 0
    found = load_stack(written).value
    assert found is not None
    assert (found.name, found.account, found.region) == ("adopted", ACCOUNT, stack.region)
    assert {*found.job_queues} == {*stack.job_queues}


@pytest.mark.usefixtures("batch")
def test_what_was_read_from_an_emulator_is_adopted_by_local(tmp_path: Path, stack: Stack, capfd: Capture) -> None:
    """`pulumi import` would look for it in AWS."""
    written, file = tmp_path / "dev.yaml", tmp_path / "dev.import.json"
    queue = Scope(ACCOUNT, stack.region).job_queue(next(iter(stack.job_queues)))
    assert run(["import", "--queue", queue, "--output", str(written), "--import-file", str(file)]) == 0
    assert f"next: quota-engine local import {file} --stack {written}" in capfd.readouterr().err


@pytest.mark.usefixtures("batch")
def test_a_queue_named_by_an_arn_of_elsewhere_is_refused(stack: Stack, capfd: Capture) -> None:
    """Its name alone would be looked up in this account."""
    arn = Scope("999999999999", stack.region).job_queue(next(iter(stack.job_queues)))
    assert run(["import", "--queue", arn]) == 2
    assert "what is asked for is of account 999999999999" in capfd.readouterr().err
    assert run(["import", "--queue", arn.replace("job-queue", "scheduling-policy")]) == 2
    assert "is the ARN of a scheduling-policy" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--name", "a b"], "1 to 128 letters, digits, hyphens and underscores"),
        (["--region", "mars"], "'mars' is not the code of a region"),
        (["--output", "same", "--import-file", "./same"], "one would replace the other"),
    ],
)
def test_what_could_not_be_written_is_refused_before_anything_is_read(
    arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Capture
) -> None:
    """Not after a thousand calls, and not as a finding in a file that nobody has."""
    monkeypatch.chdir(tmp_path)
    assert run(["import", "--all", *arguments]) == 2
    assert says in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("batch")
def test_defaults_are_marked_as_such(stack: Stack, capfd: Capture) -> None:
    """Whoever tidies up the file has to know what may go."""
    queue = next(iter(stack.job_queues))
    assert run(["import", "--queue", queue]) == 0
    output, _ = capfd.readouterr()
    assert "state: ENABLED  # the service's default" in output
    assert f'account: "{ACCOUNT}"' in output


@pytest.mark.usefixtures("batch")
def test_one_queue_comes_with_what_it_needs_and_nothing_else(stack: Stack, tmp_path: Path) -> None:
    """Teams adopt queue by queue."""
    name, queue = next(iter(stack.job_queues.items()))
    written = tmp_path / "imported.yaml"
    assert run(["import", "--queue", name, "--output", str(written)]) == 0
    found = load_stack(written).value
    assert found is not None
    assert {*found.job_queues} == {name}
    assert {*found.service_environments} == {queue.service_environment}
    assert found.job_queues[name].quota_shares.keys() == queue.quota_shares.keys()


@pytest.mark.usefixtures("batch")
def test_the_import_file_names_every_resource_as_the_program_does(stack: Stack, tmp_path: Path) -> None:
    """A name that differs would have Pulumi delete one resource and create another."""
    file = tmp_path / "import.json"
    arguments = ["import", "--all", "--name", stack.name, "--output", str(tmp_path / "s.yaml")]
    assert run([*arguments, "--import-file", str(file)]) == 0
    entries = json.loads(file.read_text(encoding="utf-8"))["resources"]
    shares = [entry for entry in entries if entry["type"] == "aws-native:batch:QuotaShare"]
    assert {entry["logicalName"] for entry in shares} == {
        f"{queue.name}.{share.name}" for queue, share in stack.shares()
    }
    assert len({entry["name"] for entry in entries}) == len(entries)
    assert all(entry["id"].startswith("arn:aws:batch:") for entry in entries if "id" in entry)


def test_what_cannot_be_declared_is_named_and_left_out(
    emulator: Emulator, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """A FIFO queue has no shares; --all says so, --queue refuses."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    batch = emulator.client("batch")
    make_environment(batch, "plain", 2)
    batch.create_job_queue(**queue_request("fifo", None, "plain"))
    policy = make_policy(batch, "quota")
    make_environment(batch, "no", 2)
    batch.create_job_queue(**queue_request("0x10", policy, "no"))
    batch.create_quota_share(**share_request("-", "0x10", "LEND_AND_BORROW"))
    assert run(["import", "--all"]) == 0
    output, errors = capfd.readouterr()
    assert "left out: job queue fifo: it has no scheduling policy, so no quota shares" in errors
    assert '"0x10":' in output
    assert run(["import", "--queue", "fifo"]) == 2
    assert "job queue fifo can't be declared" in capfd.readouterr().err
    assert run(["import", "--queue", "nowhere"]) == 2
    assert "there is no job queue nowhere" in capfd.readouterr().err


def test_nothing_is_written_when_a_call_fails(
    emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Capture
) -> None:
    """Half a declaration would have Pulumi see the other half as undeclared."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    batch = emulator.client("batch")
    policy = make_policy(batch, "quota")
    make_environment(batch, "pool", 2)
    batch.create_job_queue(**queue_request("training", policy, "pool"))
    batch.create_quota_share(**share_request("A", "training"))
    emulator.control("faults", {"operation": "ListQuotaShares", "kind": "throttle", "count": 99})
    written = tmp_path / "imported.yaml"
    assert run(["import", "--all", "--output", str(written)]) == 2
    assert "batch:ListQuotaShares" in capfd.readouterr().err
    assert not written.exists()


def test_a_share_that_states_its_unlimited_borrowing_keeps_stating_it(
    emulator: Emulator, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """Absent and -1 mean the same, but Pulumi compares what is written."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    batch = emulator.client("batch")
    policy = make_policy(batch, "quota")
    batch.create_service_environment(
        serviceEnvironmentName="pool", serviceEnvironmentType="SAGEMAKER_TRAINING", capacityLimits=limits(3)
    )
    batch.create_job_queue(**queue_request("training", policy, "pool"))
    batch.create_quota_share(**share_request("A", "training", "LEND_AND_BORROW", borrow_limit=-1))
    batch.create_quota_share(**share_request("B", "training", "LEND_AND_BORROW", borrow_limit=0))
    assert run(["import", "--queue", "training"]) == 0
    output, _ = capfd.readouterr()
    assert "borrow_limit: -1}  # -1: unlimited, the service's default" in output
    assert "borrow_limit: 0}  # percent of its own limit" in output


@pytest.mark.parametrize("arguments", [[], ["--all", "--queue", "q"]])
def test_what_to_import_has_to_be_said(arguments: list[str], capfd: Capture) -> None:
    """Guessing would write more or less than was meant."""
    assert run(["import", *arguments]) == 2
    assert "--queue NAME" in capfd.readouterr().err


def test_the_region_has_to_be_known(capfd: Capture) -> None:
    """A default region would import from where nobody looked."""
    assert run(["import", "--all"]) == 2
    assert "which region?" in capfd.readouterr().err


def test_the_printed_policy_names_the_queues(capfd: Capture) -> None:
    """Read-only, and for what is imported alone."""
    assert run(["import", "--queue", "training", "--region", "us-west-2", "--print-iam-policy"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["Statement"][1]["Resource"] == ["arn:aws:batch:us-west-2:*:job-queue/training"]
