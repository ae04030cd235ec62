"""The nightly workflow of docs/ci.md: one issue, opened, updated and closed, whatever the exit code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "examples" / "github" / "quota-drift.yml"
GH = '#!/bin/sh\necho "$@" >> calls.txt\nif [ "$2" = list ]; then echo "$OPEN"; fi\n'


def step(name: str) -> dict[str, Any]:
    document = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    found: dict[str, Any] = next(one for one in document["jobs"]["drift"]["steps"] if one.get("name") == name)
    return found


@pytest.mark.parametrize(
    ("code", "open_issue", "calls", "exit_code"),
    [
        ("0", "", [], 0),
        ("0", "7", ["issue close 7 --comment In sync again."], 0),
        (
            "1",
            "",
            [
                "label create quota-drift --force",
                "issue create --title Quota drift --label quota-drift --body-file drift.md",
            ],
            0,
        ),
        ("1", "7", ["issue edit 7 --title Quota drift --body-file drift.md"], 0),
        ("2", "7", ["issue edit 7 --title Quota drift --body-file drift.md"], 2),
    ],
)
def test_there_is_one_issue_and_a_run_that_could_not_look_fails(
    code: str, open_issue: str, calls: list[str], exit_code: int, tmp_path: Path
) -> None:
    """A new issue every night is soon ignored; a closed one after a failed look would be a lie."""
    (tmp_path / "gh").write_text(GH, encoding="utf-8")
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "trouble.txt").write_text("quota-engine: error: no access\n", encoding="utf-8")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CODE": code, "OPEN": open_issue}
    done = subprocess.run(
        ["bash", "-e", "-c", step("Keep the issue")["run"]], cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == exit_code
    made = (tmp_path / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert made[1:] == calls
    if code == "2":
        assert "no access" in (tmp_path / "drift.md").read_text(encoding="utf-8")


def test_the_comparison_is_the_projects_own_action() -> None:
    """With inputs that it has; a night without an answer is never a good one."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    compare = step("Compare")
    assert compare["uses"].startswith("OWNER/quota-engine@")
    assert compare["with"].keys() <= action["inputs"].keys()
    assert step("Keep the issue")["env"]["CODE"] == "${{ steps.drift.outputs.exit-code || '2' }}"
    assert "exit-code" in action["outputs"]


def test_the_documentation_shows_the_workflow() -> None:
    """What is copied from the page is what is tested."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert WORKFLOW.read_text(encoding="utf-8").strip() in page
