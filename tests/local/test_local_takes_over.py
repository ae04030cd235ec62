"""`quota-engine local import`: what others made in the emulator is taken over as it is, through the real engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.local.errors import ImportFileUnusable
from quota_engine.local.import_file import entries_for
from quota_engine.local.import_output import ImportOutput
from quota_engine.model.arns import Scope
from quota_engine.model.stack import Stack
from tests.live.test_against_emulator import create

from .conftest import ACCOUNT, REGION

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def adopted(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[str, str]]:
    """Return a function that makes a shipped setup behind Pulumi's back, and imports it: (declaration, import file)."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")

    def make(name: str) -> tuple[str, str]:
        stack = load_stack(f"stacks/{name}.yaml").value
        assert stack is not None
        session = boto3.Session(aws_access_key_id=ACCOUNT, aws_secret_access_key="any", region_name=stack.region)
        batch: Any = session.client("batch", endpoint_url=endpoint)
        create(batch, stack, Scope(ACCOUNT, stack.region))
        declaration, file = str(tmp_path / f"{name}.yaml"), str(tmp_path / "import.json")
        arguments = ["--name", "taken", "--region", stack.region, "--output", declaration, "--import-file", file]
        assert run(["import", "--all", *arguments]) == 0
        return declaration, file

    return make


def changes(capfd: Capture, *arguments: str) -> dict[str, int]:
    """Run a `local` command and return what it says it did."""
    capfd.readouterr()
    code = run(["local", *arguments, "--format", "json"])
    said = capfd.readouterr()
    assert code == 0, said.err
    found: dict[str, int] = json.loads(said.out)["changes"]
    return found


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", ["dev", "prod"])
def test_after_the_import_a_local_preview_shows_no_change(
    adopted: Callable[[str], tuple[str, str]], name: str, capfd: Capture
) -> None:
    """Adoption is practised here before it is done to production, so it must end as it should end there."""
    declaration, file = adopted(name)
    count = sum("id" in entry for entry in json.loads(Path(file).read_text())["resources"])
    assert changes(capfd, "import", file, "--stack", declaration)["import"] >= count
    for options in ([], ["--refresh"]):
        assert set(changes(capfd, "preview", "--stack", declaration, *options)) == {"same"}
    assert set(changes(capfd, "up", "--stack", declaration)) == {"same"}
    assert changes(capfd, "destroy", "--stack", declaration)["delete"] > count


@pytest.mark.usefixtures("engine")
def test_an_import_made_twice_changes_nothing(adopted: Callable[[str], tuple[str, str]], capfd: Capture) -> None:
    """Whoever is not sure whether it worked runs it again."""
    declaration, file = adopted("dev")
    changes(capfd, "import", file, "--stack", declaration)
    assert set(changes(capfd, "import", file, "--stack", declaration)) == {"same"}
    assert set(changes(capfd, "preview", "--stack", declaration)) == {"same"}


@pytest.mark.usefixtures("engine")
def test_what_is_gone_by_then_is_named_and_nothing_else_is_lost(
    adopted: Callable[[str], tuple[str, str]], batch: Any, capfd: Capture
) -> None:
    """Between writing the file and importing it others go on working."""
    declaration, file = adopted("dev")
    [gone] = [one for one in batch.list_quota_shares(jobQueue="training")["quotaShares"] if "QS3" in str(one)]
    batch.update_quota_share(quotaShareArn=gone["quotaShareArn"], state="DISABLED")
    batch.delete_quota_share(quotaShareArn=gone["quotaShareArn"])
    assert run(["local", "import", file, "--stack", declaration]) == 2
    said = capfd.readouterr().err
    assert "why: training.QS3: resource" in said
    assert said.count("does not exist") == 1
    assert changes(capfd, "preview", "--stack", declaration)["create"] == 1
    assert len(batch.list_quota_shares(jobQueue="training")["quotaShares"]) == 2


HEARD = """\
 =  aws-native:batch:QuotaShare training.QS3 importing (0s) error: it does not exist
Diagnostics:
  pulumi:pulumi:Stack (quota-engine-dev):
    error: update failed: it does not exist
  aws-native:batch:QuotaShare (training.QS3):
    error: it does not exist

Resources:
    + 2 created
    = 7 imported
    10 unchanged
"""


def test_the_engines_words_give_each_error_once_under_its_resource() -> None:
    """The engine tells a failure three times, and only one of them says of what."""
    heard = ImportOutput()
    for line in HEARD.splitlines(keepends=True):
        heard.hear(line)
    assert heard.errors == ["training.QS3: it does not exist"]
    assert heard.changes == {"create": 2, "import": 7, "same": 10}
    of_the_stack = ImportOutput()
    for line in HEARD.splitlines()[:4]:
        of_the_stack.hear(line)
    assert of_the_stack.errors == ["update failed: it does not exist"]


def test_a_file_about_something_else_is_refused(tmp_path: Path) -> None:
    """Under another name or elsewhere, the next deployment would make anew what was taken over, and end its jobs."""
    stack = Stack("taken", REGION)
    component = {"type": "quota-engine:batch:QuotaManagedStack", "logicalName": "taken"}
    arn = f"arn:aws:batch:{REGION}:{ACCOUNT}:job-queue/training"

    def refused(*entries: dict[str, str]) -> str:
        with pytest.raises(ImportFileUnusable) as caught:
            entries_for(json.dumps({"resources": entries}), stack, ACCOUNT, "http://127.0.0.1:1")
        return str(caught.value)

    assert "is about 'other'" in refused({**component, "logicalName": "other"})
    assert "is about no stack of this project" in refused({"type": "aws-native:batch:JobQueue"})
    assert "but this is account" in refused(component, {"id": arn.replace(REGION, "eu-west-1")})
    assert "but this is account" in refused(component, {"id": arn.replace(ACCOUNT, "210987654321")})


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"resources": []}', '{"resources": [1]}', "null"])
def test_a_file_that_is_no_import_file_is_refused(text: str) -> None:
    """With the command that writes one, instead of a traceback."""
    with pytest.raises(ImportFileUnusable) as caught:
        entries_for(text, Stack("taken", REGION), ACCOUNT, "http://127.0.0.1:1")
    assert "quota-engine import" in caught.value.fix
