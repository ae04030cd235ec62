"""A plain `pulumi up` of this project, as on an account: language host, Pulumi.yaml, __main__.py, stacks/.

Only the provider and where it points to are the emulator's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quota_engine.local.engine import Engine
from quota_engine.local.provider import serving

ROOT = Path(__file__).resolve().parents[2]


class Checkout:
    """A copy of the Pulumi project with a Pulumi home and a backend of its own."""

    def __init__(self, folder: Path, engine: Engine, host: Path, provider_port: int) -> None:
        self.folder = folder
        self.command = engine.command
        for name in ("Pulumi.yaml", "__main__.py", "requirements.txt"):
            shutil.copy(ROOT / name, folder)
        shutil.copytree(ROOT / "stacks", folder / "stacks")
        (folder / ".venv").symlink_to(sys.prefix)
        (folder / "backend").mkdir()
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PULUMI_", "AWS_"))}
        self.environ = {
            **inherited,
            "PATH": f"{sys.prefix}/bin:{host}:{os.environ['PATH']}",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{folder / 'backend'}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DEBUG_PROVIDERS": f"aws-native:{provider_port}",
        }

    def pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.command, *arguments, "--non-interactive", "--color", "never"],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path, engine: Engine, language_host: Path, endpoint: str) -> Iterator[Checkout]:
    folder = tmp_path / "checkout"
    folder.mkdir()
    with serving(endpoint, "123456789012") as port:
        found = Checkout(folder, engine, language_host, port)
        made = found.pulumi("stack", "init", "dev")
        assert made.returncode == 0, made.stderr
        yield found


def test_pulumi_up_and_destroy_work_as_on_an_account(checkout: Checkout, batch: Any) -> None:
    """The program is a Pulumi project first: whoever knows Pulumi needs to know nothing of this tool to deploy it."""
    up = checkout.pulumi("up", "--yes", "--stack", "dev")
    assert up.returncode == 0, up.stdout + up.stderr
    names = [share["quotaShareName"] for share in batch.list_quota_shares(jobQueue="training")["quotaShares"]]
    assert sorted(names) == ["QS1", "QS2", "QS3"]
    down = checkout.pulumi("destroy", "--yes", "--stack", "dev")
    assert down.returncode == 0, down.stdout + down.stderr
    assert batch.describe_job_queues()["jobQueues"] == []


def test_an_invalid_declaration_stops_pulumi_up_with_its_findings(checkout: Checkout, batch: Any) -> None:
    """Findings with file and line instead of a traceback, and before anything is created."""
    path = checkout.folder / "stacks" / "dev.yaml"
    text = path.read_text()
    assert "strategy: LEND}" in text
    path.write_text(text.replace("strategy: LEND}", "strategy: LEND, borrow_limit: 50}"))
    up = checkout.pulumi("up", "--yes", "--stack", "dev")
    assert up.returncode != 0
    said = up.stdout + up.stderr
    assert "borrow-limit-without-borrowing" in said
    assert "dev.yaml:" in said
    assert "Traceback" not in said
    assert batch.describe_service_environments()["serviceEnvironments"] == []


def test_a_stack_without_a_declaration_is_one_clear_failure(checkout: Checkout) -> None:
    """`pulumi stack init` of a new environment comes before its file is written, as often as not."""
    (checkout.folder / "stacks" / "dev.yaml").unlink()
    up = checkout.pulumi("up", "--yes", "--stack", "dev")
    assert up.returncode != 0
    said = up.stdout + up.stderr
    assert "stacks/dev.yaml" in said
    assert "Traceback" not in said


def test_the_forecast_gate_reads_the_account_from_a_plain_pulumi_preview(
    checkout: Checkout, batch: Any, endpoint: str
) -> None:
    """The program is another process there, with the credentials and endpoints of the pipeline's surroundings."""
    checkout.environ |= {
        "AWS_ENDPOINT_URL_BATCH": endpoint,
        "AWS_ENDPOINT_URL_STS": endpoint,
        "AWS_ACCESS_KEY_ID": "123456789012",
        "AWS_SECRET_ACCESS_KEY": "any",
    }
    assert checkout.pulumi("up", "--yes", "--stack", "dev").returncode == 0
    for name in ("first", "second"):
        batch.submit_service_job(
            jobName=name,
            jobQueue="training",
            quotaShareName="QS3",
            serviceJobType="SAGEMAKER_TRAINING",
            serviceRequestPayload='{"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}}',
        )
    assert checkout.pulumi("config", "set", "quota-engine:forecast", "block", "--stack", "dev").returncode == 0
    path = checkout.folder / "stacks" / "dev.yaml"
    text = path.read_text()
    path.write_text(text[: text.index("      QS3:")])
    preview = checkout.pulumi("preview", "--stack", "dev")
    said = preview.stdout + preview.stderr
    assert preview.returncode != 0
    assert "now hits 1 of 1 running job" in said
    assert "first of QS3 (1 ml.g5.xlarge) ends: its quota share is not declared" in said
    assert "Traceback" not in said
    path.write_text(text)
    assert "now hits none of 1 running job" in checkout.pulumi("preview", "--stack", "dev").stdout
