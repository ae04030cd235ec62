"""The commands on good input: exit codes, formats, and the same bytes every time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from quota_engine.cli.main import COMMANDS

Run = Callable[..., "subprocess.CompletedProcess[str]"]
WALKTHROUGH = "scenarios/lend-and-borrow.yaml"


def test_the_shipped_files_have_neither_errors_nor_warnings(quota_engine: Run) -> None:
    """What we show as good is good."""
    run = quota_engine("validate", "stacks", "scenarios", "--fail-on", "warning")
    assert run.returncode == 0, run.stdout
    assert "skipped stacks/Pulumi.dev.yaml" in run.stderr


@pytest.mark.parametrize("scenario", sorted(Path("scenarios").glob("*.yaml"), key=str))
def test_the_shipped_scenarios_hold(quota_engine: Run, scenario: Path) -> None:
    """Each expectation of each scenario, in every format."""
    assert quota_engine("simulate", str(scenario)).returncode == 0
    document = json.loads(quota_engine("simulate", str(scenario), "--format", "json").stdout)
    assert all(one["holds"] for one in document["scenarios"])


def test_a_failed_expectation_is_a_no(quota_engine: Run, tmp_path: Path) -> None:
    """Exit 1, and the verdict says what was seen instead."""
    text = Path(WALKTHROUGH).read_text(encoding="utf-8").replace("by: qs2_job", "by: qs1_job_low")
    broken = tmp_path / "scenario.yaml"
    broken.write_text(text.replace("../stacks/dev.yaml", str(Path("stacks/dev.yaml").resolve())), encoding="utf-8")
    run = quota_engine("simulate", str(broken))
    assert run.returncode == 1, run.stderr
    assert "by qs2_job" in run.stdout


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_simulation_gives_the_same_bytes_every_time(quota_engine: Run, form: str) -> None:
    """No clock, no random id, no set order, no locale in the output."""
    outputs = {
        quota_engine("simulate", WALKTHROUGH, "--format", form, env=environment).stdout
        for environment in ({"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "9", "LC_ALL": "C", "PYTHONUTF8": "0"})
    }
    assert len(outputs) == 1


def test_an_assumption_can_be_changed_and_a_wrong_one_is_trouble(quota_engine: Run) -> None:
    """`--assume` reaches the model; a name or value that it doesn't know is said with the legal ones."""
    assert quota_engine("simulate", WALKTHROUGH, "--assume", "victim_order=priority,oldest").returncode == 0
    assert "Sensitivity: " in quota_engine("simulate", WALKTHROUGH, "--sensitivity").stdout
    for wrong in ("victim_order=fastest", "frob=1", "victim_order"):
        run = quota_engine("simulate", WALKTHROUGH, "--assume", wrong)
        assert run.returncode == 2
        assert wrong.split("=")[0] in run.stderr


@pytest.mark.parametrize("kind", ["stack", "fragment", "scenario"])
def test_a_schema_is_one_that_editors_take(quota_engine: Run, kind: str) -> None:
    """JSON Schema 2020-12, the same as the shipped file."""
    shown = json.loads(quota_engine("schema", kind).stdout)
    assert shown["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    shipped = Path(f"quota_engine/config/schemas/{kind}.schema.json").read_text(encoding="utf-8")
    assert shown == json.loads(shipped)


def test_every_rule_has_a_page(quota_engine: Run) -> None:
    """`rule` lists them, `rule ID` explains one, in any case of letters; an unknown id names near ones."""
    rules = json.loads(quota_engine("rule", "--format", "json").stdout)
    assert len(rules) > 50
    assert all(rule["page"].strip() for rule in rules)
    assert "Why it is wrong" in quota_engine("rule", "qe304").stdout
    unknown = quota_engine("rule", "QE30")
    assert unknown.returncode == 2
    assert "QE30" in unknown.stderr


@pytest.mark.parametrize("command", [(name,) for name in COMMANDS] + [("local", "up")])
def test_every_command_explains_itself(quota_engine: Run, command: tuple[str, ...]) -> None:
    """`--help` shows what it does and an example."""
    run = quota_engine(*command, "--help")
    assert run.returncode == 0, run.stderr
    assert "Example:" in run.stdout


def test_findings_come_in_every_format(quota_engine: Run, tmp_path: Path) -> None:
    """One finding, six renderers, one exit code."""
    broken = tmp_path / "stack.yaml"
    text = Path("stacks/dev.yaml").read_text(encoding="utf-8")
    broken.write_text(text.replace("strategy: LEND}", "strategy: LEND, borrow_limit: 50}"), encoding="utf-8")
    for form in ("text", "json", "sarif", "junit", "github", "markdown"):
        run = quota_engine("validate", str(broken), "--format", form)
        assert run.returncode == 1
        assert "QE304" in run.stdout
        if form in ("json", "sarif"):
            json.loads(run.stdout)
