"""State that lasts: a first release's is upgraded without a change, and two stacks are deployed at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quota_engine.local import workspace
from quota_engine.local.engine import Engine
from quota_engine.local.provider import serving
from quota_engine.local.workspace import Target
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack, State, Strategy

CASES = Path(__file__).resolve().parents[1] / "cases" / "state"
FIRST_RELEASE = CASES / "first-release.json"
STACK = Stack(
    "ml-training-dev",
    "us-west-2",
    account="123456789012",
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 3}, tags={"team": "ml"})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={
        "training": JobQueue(
            "training",
            ("gpu",),
            "fifo",
            quota_shares={
                "QS1": QuotaShare("QS1", {"ml.g5.xlarge": 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED),
                "QS2": QuotaShare("QS2", {"ml.g5.xlarge": 1}, Strategy.LEND, protect=True),
            },
        )
    },
)


@pytest.mark.usefixtures("engine")
def test_the_first_releases_state_is_upgraded_without_a_change(endpoint: str, tmp_path: Path, engine: Engine) -> None:
    """A logical name, type or parent that changes would replace every share and end every job in production."""
    workspace.up(Target(STACK, "dev", endpoint))
    [work] = (tmp_path / "state" / "quota-engine" / "local").iterdir()
    exported = tmp_path / "state.json"
    text = FIRST_RELEASE.read_text(encoding="utf-8").replace("http://emulator", endpoint)
    exported.write_text(text, encoding="utf-8")
    environ = {
        **os.environ,
        "PULUMI_HOME": str(work / "home"),
        "PULUMI_BACKEND_URL": f"file://{work / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": "local",
    }
    command = [str(engine.command), "stack", "import", "--stack", "dev", "--file", str(exported), "--non-interactive"]
    subprocess.run(command, cwd=work, env=environ, check=True, capture_output=True)
    upgraded = workspace.preview(Target(STACK, "dev", endpoint), refresh=True)
    assert not set(upgraded.changes) - {"same"}, upgraded.changes


def test_two_stacks_are_deployed_at_once(endpoint: str, tmp_path: Path, engine: Engine, language_host: Path) -> None:
    """Two pipelines of one project: each has its own state and lock, and neither touches the other's queues."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    root = Path(__file__).resolve().parents[2]
    for name in ("Pulumi.yaml", "__main__.py", "requirements.txt"):
        shutil.copy(root / name, folder)
    (folder / "backend").mkdir()
    (folder / "stacks").mkdir()
    text = (root / "stacks" / "dev.yaml").read_text(encoding="utf-8")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PULUMI_", "AWS_"))}
    failures: dict[str, str] = {}
    with serving(endpoint, "123456789012") as port:
        environ = {
            **inherited,
            "PATH": f"{sys.prefix}/bin:{language_host}:{os.environ['PATH']}",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{folder / 'backend'}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DEBUG_PROVIDERS": f"aws-native:{port}",
        }

        def pulumi(*arguments: str) -> subprocess.CompletedProcess[str]:
            command = [str(engine.command), *arguments, "--non-interactive", "--color", "never"]
            return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)

        def deploy(stack: str) -> None:
            up = pulumi("up", "--yes", "--stack", stack)
            if up.returncode:
                failures[stack] = up.stdout + up.stderr

        for stack in ("one", "two"):
            own = text.replace("gpu", f"gpu-{stack}").replace("training:", f"{stack}:").replace("fifo", f"fifo-{stack}")
            (folder / "stacks" / f"{stack}.yaml").write_text(own, encoding="utf-8")
            (folder / "stacks" / f"Pulumi.{stack}.yaml").write_text(json.dumps({"config": {}}), encoding="utf-8")
            made = pulumi("stack", "init", stack)
            assert made.returncode == 0, made.stderr
        threads = [threading.Thread(target=deploy, args=(stack,)) for stack in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == {}
        for stack in ("one", "two"):
            again = pulumi("preview", "--stack", stack, "--expect-no-changes")
            assert again.returncode == 0, again.stdout
