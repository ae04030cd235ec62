"""The printed IAM policies: enough with everything else denied, and no action in them that is not needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.model.arns import Scope
from tests.conftest import ACCOUNT, Emulator
from tests.emulator.resources import submit
from tests.live.test_against_emulator import create

Capture = pytest.CaptureFixture[str]
COMMANDS = {
    "drift": ["drift", "stacks/dev.yaml"],
    "drift --all": ["drift", "stacks/dev.yaml", "--all"],
    "snapshot": ["snapshot", "stacks/dev.yaml"],
    "forecast": ["forecast", "stacks/dev.yaml"],
    "explain": ["explain", "job", "--queue", "training", "--region", "us-west-2"],
    "history": ["history", "training", "--region", "us-west-2"],
    "history --describe": ["history", "training", "--region", "us-west-2", "--describe"],
    "import --queue": ["import", "--queue", "training", "--region", "us-west-2"],
    "import --all": ["import", "--all", "--region", "us-west-2"],
}
DENIED = {"kind": "fail", "status": 403, "code": "AccessDeniedException", "message": "not authorized", "count": 1000}


@pytest.fixture
def deployed(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    """The declaration stacks/dev.yaml with a running job."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    batch = emulator.client("batch", region=stack.region)
    create(batch, stack, Scope(ACCOUNT, stack.region))
    submit(batch, "job", "QS1")
    return emulator


def granted(arguments: list[str], capfd: Capture) -> set[str]:
    """Return the Batch operations that the command's own policy allows."""
    assert run([*arguments, "--print-iam-policy"]) == 0
    statements: list[dict[str, Any]] = json.loads(capfd.readouterr().out)["Statement"]
    return {action.removeprefix("batch:") for statement in statements for action in statement["Action"]}


def everything() -> set[str]:
    session: Any = boto3.Session()
    return {*session.client("batch", region_name="us-west-2").meta.service_model.operation_names}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_works_with_its_policy_and_everything_else_denied(
    command: str, deployed: Emulator, capfd: Capture, tmp_path: Path
) -> None:
    """Whoever grants what is printed has granted enough."""
    allowed = granted(COMMANDS[command], capfd)
    for operation in sorted(everything() - allowed):
        deployed.control("faults", {**DENIED, "operation": operation})
    assert run([*COMMANDS[command], "--output", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_action_of_a_policy_is_needed(command: str, deployed: Emulator, capfd: Capture, tmp_path: Path) -> None:
    """One denied operation at a time: exit 2, with the operation named."""
    for operation in sorted(granted(COMMANDS[command], capfd)):
        deployed.control("faults", method="DELETE")
        deployed.control("faults", {**DENIED, "operation": operation})
        output = tmp_path / f"{operation}.txt"
        assert run([*COMMANDS[command], "--output", str(output)]) == 2, operation
        told = capfd.readouterr().err + (output.read_text(encoding="utf-8") if output.exists() else "")
        assert f"batch:{operation}" in told
