"""OLD and NEW as git revisions, in repositories made for the test: no checkout, `extends` from the same commit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
BASE = """\
kind: fragment
version: 1
job_queues:
  training:
    scheduling_policy: fifo
    quota_shares:
      QS1:
        capacity_limits: {ml.g5.xlarge: 2}
        resource_sharing: {strategy: RESERVE}
scheduling_policies:
  fifo: {}
"""
STACK = """\
kind: stack
version: 1
name: prod
region: us-west-2
extends: base.yaml
service_environments:
  gpu: {capacity_limits: {ml.g5.xlarge: 2}}
job_queues:
  training: {service_environment: gpu}
"""
SCENARIO = """\
kind: scenario
version: 1
stack: stacks/prod.yaml
jobs:
  - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}, duration: 1h, count: 2}
"""


def git(repository: Path, *arguments: str) -> str:
    name = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(repository), *name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


def commit(repository: Path, message: str) -> None:
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits: the limit in base.yaml is 2 in the first, 1 in the second; prod.yaml is the same in both."""
    folder = tmp_path / "repository"
    (folder / "stacks").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "stacks" / "base.yaml").write_text(BASE, encoding="utf-8")
    (folder / "stacks" / "prod.yaml").write_text(STACK, encoding="utf-8")
    (folder / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    commit(folder, "two instances: enough")
    git(folder, "tag", "enough")
    (folder / "stacks" / "base.yaml").write_text(BASE.replace(": 2}", ": 1}"), encoding="utf-8")
    commit(folder, "one instance")
    return folder


WORK = ["--scenario", "scenario.yaml"]


@pytest.mark.parametrize("old", ["HEAD~1", "enough", "main~", "main@{1}", "HEAD^{/two instances: enough}"])
def test_a_revision_is_read_with_what_it_extends(quota_engine: Run, repository: Path, old: str) -> None:
    """The difference stands in base.yaml: read from the folder, it would not be there."""
    run = quota_engine("compare", f"{old}:stacks/prod.yaml", "HEAD:stacks/prod.yaml", *WORK, cwd=repository)
    assert run.returncode == 0, run.stderr
    assert "capacity_limits[ml.g5.xlarge] 2 → 1" in run.stdout
    assert "a-02 (QS1): wait 0s → 1h" in run.stdout
    assert git(repository, "status", "--porcelain") == ""


def test_a_revision_and_a_changed_file_can_be_compared(quota_engine: Run, repository: Path) -> None:
    """What a pull request does: the branch it goes to, against the files as they are."""
    (repository / "stacks" / "prod.yaml").unlink()
    (repository / "new.yaml").write_text(STACK.replace("base.yaml", "stacks/base.yaml"), encoding="utf-8")
    scenario = repository / "scenario.yaml"
    scenario.write_text(SCENARIO.replace("stacks/prod.yaml", "new.yaml"), encoding="utf-8")
    run = quota_engine("compare", "enough:stacks/prod.yaml", "new.yaml", *WORK, cwd=repository)
    assert run.returncode == 0, run.stderr
    assert "2 → 1" in run.stdout


def test_the_work_is_that_of_the_disk(quota_engine: Run, repository: Path) -> None:
    """Work of another revision than its declaration would answer another question; the message says how to get it."""
    sides = ["enough:stacks/prod.yaml", "HEAD:stacks/prod.yaml"]
    run = quota_engine("compare", *sides, "--scenario", "enough:scenario.yaml", cwd=repository)
    assert run.returncode == 2
    assert "can't read enough:scenario.yaml: the work of both sides is read from the disk" in run.stderr
    assert "fix: git show enough:scenario.yaml > FILE, and name FILE" in run.stderr


def test_paths_are_those_of_git(quota_engine: Run, repository: Path) -> None:
    """From the top, or with ./ from the current folder; a bare name is a stack's, as everywhere."""
    below = repository / "stacks"
    work = ["--scenario", "../scenario.yaml"]
    for old in ("enough:stacks/prod.yaml", "enough:./prod.yaml", "enough:prod"):
        run = quota_engine("compare", old, "prod.yaml", *work, cwd=below)
        assert run.returncode == 0, run.stderr
        assert "2 → 1" in run.stdout


def test_a_stack_at_the_top_of_the_repository_finds_its_base(quota_engine: Run, repository: Path) -> None:
    """There is no folder in the path to look beside."""
    (repository / "base.yaml").write_text(BASE, encoding="utf-8")
    (repository / "top.yaml").write_text(STACK, encoding="utf-8")
    commit(repository, "top")
    (repository / "base.yaml").unlink()
    run = quota_engine("compare", "HEAD:top.yaml", "HEAD:stacks/prod.yaml", *WORK, cwd=repository)
    assert run.returncode == 0, run.stderr
    assert "2 → 1" in run.stdout


def test_links_within_the_revision_are_followed_and_others_are_not(quota_engine: Run, repository: Path) -> None:
    """A link's own text is no declaration, and what lies outside the repository is not of the revision."""
    (repository / "stacks" / "linked.yaml").symlink_to("prod.yaml")
    (repository / "stacks" / "out.yaml").symlink_to("/etc/hostname")
    commit(repository, "links")
    good = quota_engine("compare", "HEAD:stacks/linked.yaml", "HEAD:stacks/prod.yaml", *WORK, cwd=repository)
    assert good.returncode == 0, good.stderr
    bad = quota_engine("compare", "HEAD:stacks/out.yaml", "HEAD:stacks/prod.yaml", *WORK, cwd=repository)
    assert bad.returncode == 2
    assert "a link to something outside the repository" in bad.stderr


def test_findings_of_a_revision_name_it(quota_engine: Run, repository: Path) -> None:
    """The line that is wrong may no longer be so in the file of that name."""
    (repository / "stacks" / "base.yaml").write_text(BASE.replace("RESERVE", "KEEP"), encoding="utf-8")
    commit(repository, "broken")
    run = quota_engine("compare", "HEAD:stacks/prod.yaml", "enough:stacks/prod.yaml", *WORK, cwd=repository)
    assert run.returncode == 2
    assert "HEAD:stacks/base.yaml:9:" in run.stderr


def test_extends_of_a_revision_stays_in_its_folder(quota_engine: Run, repository: Path) -> None:
    """As with files: what is deployed must not depend on files outside the folder that is reviewed."""
    for name, wrong, said in (
        ("up.yaml", "../scenario.yaml", "lies outside"),
        ("typo.yaml", "bases.yaml", "did you mean 'base.yaml'?"),
    ):
        (repository / "stacks" / name).write_text(STACK.replace("base.yaml", wrong), encoding="utf-8")
        commit(repository, name)
        run = quota_engine("compare", f"HEAD:stacks/{name}", "enough:stacks/prod.yaml", *WORK, cwd=repository)
        assert run.returncode == 2
        assert said in run.stderr


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("nowhere:stacks/prod.yaml", "git knows no revision 'nowhere'"),
        ("HEAD:stacks/prdo.yaml", "did you mean 'stacks/prod.yaml'?"),
        ("HEAD:stacks", "it is a folder"),
        ("HEAD:stacks", "known here: stacks/base.yaml"),
        ("HEAD:", "names no file in the repository"),
        ("HEAD:../stacks/prod.yaml", "names no file in the repository"),
        ("HEAD:/etc/passwd", "names no file in the repository"),
        (":stacks/prod.yaml", "'' is no revision"),
        ("HEAD:stacks/prod.yaml\nHEAD:scenario.yaml", "names no file in the repository"),
        ("HEAD~9:stacks/prod.yaml", "git knows no revision 'HEAD~9'"),
        ("HEAD:stacks/prod.yaml:3", "there is no such file"),
    ],
)
def test_a_revision_that_cannot_be_read_is_trouble(quota_engine: Run, repository: Path, old: str, said: str) -> None:
    """Exit 2, with git's reason and what to do."""
    run = quota_engine("compare", old, "stacks/prod.yaml", *WORK, cwd=repository)
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize("old", ["--output=pwned:x.yaml", "-h:stacks/prod.yaml", "--upload-pack=touch pwned:x"])
def test_a_revision_is_never_an_option_of_git(quota_engine: Run, repository: Path, old: str) -> None:
    """A branch's name comes from whoever opens a pull request."""
    run = quota_engine("compare", "--scenario", "scenario.yaml", "--", old, "stacks/prod.yaml", cwd=repository)
    assert run.returncode == 2
    assert "is no revision" in run.stderr
    assert not (repository / "pwned").exists()


def test_outside_a_repository_and_without_git_the_reason_is_said(quota_engine: Run, tmp_path: Path) -> None:
    """Not every folder is a checkout, and not every container has git."""
    (tmp_path / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    ceiling = {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    run = quota_engine("compare", "HEAD:a.yaml", "HEAD:b.yaml", *WORK, cwd=tmp_path, env=ceiling)
    assert run.returncode == 2
    assert "in no git repository" in run.stderr
    run = quota_engine("compare", "HEAD:a.yaml", "HEAD:b.yaml", *WORK, cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert run.returncode == 2
    assert "git can't be run" in run.stderr


def test_a_file_whose_name_looks_like_a_revision_is_a_file(quota_engine: Run, repository: Path) -> None:
    """What is there wins, as for every path."""
    text = STACK.replace("extends: base.yaml\n", "extends: stacks/base.yaml\n")
    (repository / "HEAD:prod.yaml").write_text(text, encoding="utf-8")
    run = quota_engine("compare", "HEAD:prod.yaml", "stacks/prod.yaml", *WORK, cwd=repository)
    assert run.returncode == 0, run.stderr
    assert "alike" in run.stdout
