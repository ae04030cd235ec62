"""Adoption through the real engine: `quota-engine import`, `pulumi import`, and a preview that has nothing to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.local.engine import Engine
from quota_engine.local.provider import serving
from quota_engine.model.arns import Scope
from tests.live.test_against_emulator import create
from tests.local.conftest import ACCOUNT
from tests.local.test_local_plain_up import Checkout


@pytest.fixture
def checkout(
    tmp_path: Path, engine: Engine, language_host: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Checkout]:
    """A checkout with an empty stack `adopted`, beside an account in which other people made things."""
    for service in ("BATCH", "STS"):
        monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    folder = tmp_path / "checkout"
    folder.mkdir()
    with serving(endpoint, ACCOUNT) as port:
        found = Checkout(folder, engine, language_host, port)
        made = found.pulumi("stack", "init", "adopted")
        assert made.returncode == 0, made.stderr
        yield found


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_after_the_import_a_preview_shows_no_change(checkout: Checkout, endpoint: str, name: str) -> None:
    """Adopting a setup in which jobs run must replace nothing: deleting a share ends its jobs."""
    stack = load_stack(f"stacks/{name}.yaml").value
    assert stack is not None
    session = boto3.Session(aws_access_key_id=ACCOUNT, aws_secret_access_key="any", region_name=stack.region)
    batch: Any = session.client("batch", endpoint_url=endpoint)
    create(batch, stack, Scope(ACCOUNT, stack.region))
    declaration, file = checkout.folder / "stacks" / "adopted.yaml", checkout.folder / "import.json"
    arguments = ["--name", "adopted", "--region", stack.region, "--output", str(declaration)]
    assert run(["import", "--all", *arguments, "--import-file", str(file)]) == 0

    imported = checkout.pulumi(
        "import", "--file", str(file), "--yes", "--skip-preview", "--protect=false", "--generate-code=false"
    )
    assert imported.returncode == 0, imported.stdout + imported.stderr
    for options in ([], ["--refresh"]):
        preview = checkout.pulumi("preview", "--stack", "adopted", "--json", *options)
        assert preview.returncode == 0, preview.stdout + preview.stderr
        document = json.loads(preview.stdout)
        steps = [step for step in document["steps"] if step["op"] not in ("same", "refresh")]
        assert steps == [], json.dumps(steps)
        assert document["changeSummary"]["same"] == len(json.loads(file.read_text())["resources"]) + 1
