"""What CI systems run of us: the GitHub Action's own step, and the pre-commit hooks, as written in their files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent


def load(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A runner's folder in which the action's environment is this one."""
    tools = tmp_path / "quota-engine" / "bin"
    tools.mkdir(parents=True)
    here = Path(sys.executable).parent
    for name in ("python", "quota-engine"):
        (tools / name).write_text(f'#!/bin/sh\nexec "{here / name}" "$@"\n')
        (tools / name).chmod(0o755)
    return tmp_path


def run_step(runner: Path, **inputs: str) -> tuple[int, str, str]:
    """Run the action's last step as a runner would; return its code, its output and what it reports."""
    action = load("action.yml")
    values = {name: spec["default"] for name, spec in action["inputs"].items()} | inputs
    step = action["runs"]["steps"][-1]
    program = step["run"].replace("os.path.dirname(sys.executable)", f"{str(runner / 'quota-engine' / 'bin')!r}")
    environment = {
        "COMMAND": values["command"],
        "ARGUMENTS": values["arguments"],
        "FAIL_ON_NO": values["fail-on-no"],
        "MESSAGES": values["messages"],
        "RUNNER_TEMP": str(runner),
        "GITHUB_OUTPUT": str(runner / "output"),
    }
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", program],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, (runner / "output").read_text()


def test_the_action_validates_by_default_and_passes_the_code_on(runner: Path) -> None:
    """A pull request must fail exactly where the command says no."""
    code, _, told = run_step(runner)
    assert (code, told) == (0, "exit-code=0\n")
    case = "tests/cases/rules/QE304/bad.yaml"
    code, output, told = run_step(runner, arguments=f"{case} --format github")
    assert (code, told.splitlines()[-1]) == (1, "exit-code=1")
    assert output.startswith("::")
    assert run_step(runner, arguments=case, **{"fail-on-no": "false"})[0] == 0
    assert run_step(runner, arguments="none.yaml", **{"fail-on-no": "false"})[0] == 2


def test_the_action_keeps_what_is_said_beside_the_result(runner: Path) -> None:
    """An issue that says only that something could not be read helps nobody."""
    file = runner / "messages.txt"
    code, _, told = run_step(runner, arguments="none.yaml", messages=str(file), **{"fail-on-no": "false"})
    assert (code, told) == (2, "exit-code=2\n")
    assert "none.yaml" in file.read_text()


def test_the_action_runs_other_commands_with_patterns_and_no_shell(runner: Path) -> None:
    """The other commands reuse it; an input that holds a shell's syntax is a word like any other."""
    code, output, _ = run_step(runner, command="validate", arguments="'stacks/d*.yaml' --format json")
    assert code == 0
    assert '"files": 1' in output
    code, output, _ = run_step(runner, command="rule", arguments="'QE304; echo oops'")
    assert code == 2
    assert "oops" not in output


def test_the_action_and_its_documentation_name_the_same_inputs() -> None:
    """An input that is not documented is not used, one that is only documented is an error."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    for name in load("action.yml")["inputs"]:
        assert f"| `{name}` |" in page


def test_the_action_and_the_hooks_have_the_form_that_their_readers_want() -> None:
    """Judged by the schemas that GitHub and pre-commit publish, as check-jsonschema brings them."""
    check = Path(sys.executable).parent / "check-jsonschema"
    command = [str(check), "--builtin-schema", "vendor.github-actions", "action.yml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("hook", load(".pre-commit-hooks.yaml"), ids=lambda hook: str(hook["id"]))
def test_a_hook_runs_on_the_shipped_files(hook: dict[str, Any]) -> None:
    """A hook with a slip in its entry fails in everybody's commit but ours."""
    assert hook["language"] == "python"
    words = [*hook["entry"].split(), *hook["args"]]
    program = Path(sys.executable).parent / words[0]
    done = subprocess.run([program, *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
