"""The pull request's workflow, its shell lines run as they stand: what is compared, reported, commented and judged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "examples" / "github" / "quota-check.yml"


def step(name: str) -> dict[str, Any]:
    document = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    found: dict[str, Any] = next(one for one in document["jobs"]["check"]["steps"] if one.get("name") == name)
    return found


def git(repository: Path, *arguments: str) -> None:
    name = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(repository), *name, *arguments]
    subprocess.run(command, check=True, capture_output=True, env=environment)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout whose last commit is the branch a pull request goes to, with the tool where the workflow has it."""
    folder = tmp_path / "checkout"
    for name in ("stacks", "scenarios"):
        shutil.copytree(ROOT / name, folder / name)
    program = folder / ".venv" / "bin" / "quota-engine"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m quota_engine "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "stacks", "scenarios")
    git(folder, "commit", "-q", "-m", "base")
    return folder


def pull_request(repository: Path, file: str, old: str, new: str) -> None:
    """Make the merge commit that GitHub checks out: its first parent is the branch it goes to."""
    git(repository, "switch", "-q", "-c", "edit")
    text = (repository / file).read_text(encoding="utf-8")
    assert old in text
    (repository / file).write_text(text.replace(old, new), encoding="utf-8")
    git(repository, "commit", "-q", "-a", "-m", "edit")
    git(repository, "switch", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "edit")


def run(repository: Path, name: str, **environment: str) -> int:
    """Run one step as a runner does."""
    told = {"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output.txt"}
    path = f"{repository}:{os.environ['PATH']}"
    command = ["bash", "-e", "-o", "pipefail", "-c", step(name)["run"]]
    return subprocess.run(
        command, cwd=repository, env={**os.environ, **told, **environment, "PATH": path}, check=False
    ).returncode


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "told"),
    [
        ("stacks/dev.yaml", "borrow_limit: 200", "borrow_limit: 0", "1", "expectations held 3 → 1"),
        ("stacks/prod.yaml", "{team: speech}", "{team: audio}", "0", '"speech" → "audio"'),
        ("stacks/prod.yaml", "strategy: RESERVE", "strategy: KEEP", "2", "Could not compare everything"),
    ],
)
def test_the_report_and_the_code_are_those_of_the_comparison(
    repository: Path, file: str, old: str, new: str, code: str, told: str
) -> None:
    """Each stack is compared on its own scenarios; the worst answer is the job's, and the last step passes it on."""
    pull_request(repository, file, old, new)
    assert run(repository, "Compare") == 0
    report = (repository / "report.md").read_text(encoding="utf-8")
    assert told in report
    assert report == (repository / "summary.md").read_text(encoding="utf-8")
    assert (repository / "output.txt").read_text(encoding="utf-8") == f"code={code}\n"
    assert ("HEAD^1:stacks/prod.yaml" in report) is (code != "2")
    assert run(repository, "Judge", CODE=code) == int(code)


def test_a_stack_that_is_new_or_has_no_scenario_is_passed_over(repository: Path) -> None:
    """There is nothing on the other side to compare with."""
    for scenario in (repository / "scenarios").glob("*.yaml"):
        scenario.unlink()
    pull_request(repository, "stacks/dev.yaml", "borrow_limit: 200", "borrow_limit: 0")
    assert run(repository, "Compare") == 0
    assert (repository / "report.md").read_text(encoding="utf-8") == "No stack with a scenario to compare.\n"
    assert (repository / "output.txt").read_text(encoding="utf-8") == "code=0\n"


def test_there_is_one_comment_that_is_kept_up_to_date(repository: Path) -> None:
    """A comment for every push buries the discussion."""
    (repository / "gh").write_text('#!/bin/sh\necho "$@" >> calls.txt\n', encoding="utf-8")
    (repository / "gh").chmod(0o755)
    (repository / "report.md").write_text("x" * 70_000, encoding="utf-8")
    assert run(repository, "Comment", NUMBER="7") == 0
    calls = (repository / "calls.txt").read_text(encoding="utf-8")
    assert calls == "pr comment 7 --edit-last --create-if-none --body-file comment.md\n"
    assert len((repository / "comment.md").read_text(encoding="utf-8")) < 65_536


def test_the_documentation_shows_the_workflow() -> None:
    """What is copied from the page is what is tested."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert WORKFLOW.read_text(encoding="utf-8").strip() in page


def test_the_workflow_has_the_form_that_github_wants() -> None:
    """Judged by the schema that check-jsonschema brings, where that is installed."""
    check = Path(sys.executable).parent / "check-jsonschema"
    if not check.exists():
        pytest.skip("check-jsonschema is not installed")
    command = [str(check), "--builtin-schema", "vendor.github-workflows", str(WORKFLOW)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
