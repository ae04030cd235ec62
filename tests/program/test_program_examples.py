"""The workflows of docs/deploy.md: well-formed, and calling only commands that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / "examples" / "github").glob("*.yml"))
GUIDE = ROOT / "docs" / "deploy.md"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_takes_its_role_without_a_stored_key(path: Path) -> None:
    """A long-lived key in a repository's secrets is what OpenID Connect is there to avoid."""
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"]["id-token"] == "write"
    assert workflow["jobs"]
    assert "AWS_SECRET_ACCESS_KEY" not in text
    assert f"`{path.name}`" in GUIDE.read_text(encoding="utf-8"), "the guide says what it is for"


@pytest.mark.parametrize("path", [*WORKFLOWS, GUIDE], ids=lambda path: path.name)
def test_every_command_shown_exists_with_its_options(path: Path) -> None:
    """A workflow that fails on its first night is worse than none."""
    calls = re.findall(r"quota-engine ((?:local )?[a-z]+)([^\n`#>]*)", path.read_text(encoding="utf-8"))
    shown = [(command, options) for command, options in calls if command not in ("deploy", "forecast")]
    for command, options in shown:
        run = [sys.executable, "-m", "quota_engine", *command.split(), "--help"]
        answer = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, command
        for option in re.findall(r"--[a-z-]+", options):
            assert option in answer.stdout, (command, option)


def test_the_sample_of_what_stands_around_the_queues_is_a_valid_declaration(tmp_path: Path) -> None:
    """It is what people copy."""
    from quota_engine.config import load_stack
    from quota_engine.model.diagnostic import Severity
    from quota_engine.rules import check_stack

    blocks = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    [sample] = [block for block in blocks if block.startswith("access:")]
    stack = (ROOT / "stacks" / "prod.yaml").read_text(encoding="utf-8")
    (tmp_path / "base.yaml").write_text((ROOT / "stacks" / "base.yaml").read_text(encoding="utf-8"))
    (tmp_path / "prod.yaml").write_text(f'{stack}\naccount: "123456789012"\n{sample}')
    loaded = load_stack(tmp_path / "prod.yaml")
    assert [one for one in loaded.findings(check_stack) if one.severity is Severity.ERROR] == []
    assert loaded.value is not None
    assert len(loaded.value.around.sections()) == 7
