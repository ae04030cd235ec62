"""What `validate` is asked for: chosen rules, own policies, known types, comments in vain, several stacks at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run

STACK = """kind: stack
version: 1
name: demo-prod
region: us-west-2
service_environments:
  gpu: {capacity_limits: {ml.g5.xlarge: 2, ml.zz9.xlarge: 1}}
scheduling_policies: {fifo: {}}
job_queues:
  training:
    service_environment: gpu
    scheduling_policy: fifo
    quota_shares:
      QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND_AND_BORROW}}
      QS2: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND, borrow_limit: 5}}
"""
POLICY = """kind: policy
version: 1
id: QE701
name: unbounded-borrowing
applies_to: share
message: borrowing is bounded
schema: {properties: {resource_sharing: {properties: {borrow_limit: {minimum: 0}}}}}
"""
Found = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Found:
    """Return a function that validates s.yaml with options, in a folder of its own, and returns the findings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(STACK)

    def validate(*options: str) -> list[dict[str, Any]]:
        capfdbinary.readouterr()
        assert run(["validate", "s.yaml", "--format", "json", *options]) in (0, 1)
        diagnostics: list[dict[str, Any]] = json.loads(capfdbinary.readouterr().out)["diagnostics"]
        return diagnostics

    return validate


def rules(diagnostics: list[dict[str, Any]]) -> set[str]:
    return {one["rule"] for one in diagnostics}


def test_select_and_ignore_take_ids_and_their_beginnings(found: Found) -> None:
    """A team adopts the rules block by block; an id alone would mean dozens of options."""
    everything = rules(found())
    assert {"QE304", "QE309", "QE424", "QE430"} <= everything
    assert rules(found("--select", "QE3")) == {one for one in everything if one.startswith("QE3")}
    assert rules(found("--ignore", "QE4, QE309")) == {"QE304"}
    assert rules(found("--select", "QE4", "--ignore", "QE424")) == everything - {"QE304", "QE309", "QE424"}


def test_an_error_of_the_shape_is_reported_whatever_was_selected(found: Found, tmp_path: Path) -> None:
    """Else a file that could not even be read would pass as clean."""
    (tmp_path / "s.yaml").write_text(STACK.replace("region:", "regoin:"))
    assert rules(found("--select", "QE304")) >= {"QE201"}


@pytest.mark.parametrize("options", [["--select", "QE999"], ["--ignore", "nothing"], ["--ignore", "QE203"]])
def test_an_id_that_means_nothing_is_trouble(options: list[str], found: Found) -> None:
    """A slip in a CI file would else switch a check off, or on, in silence."""
    assert run(["validate", "s.yaml", *options]) == 2


def test_a_file_of_instance_types_settles_new_hardware(found: Found, tmp_path: Path) -> None:
    """A type that came out after this version must not be a warning for ever."""
    (tmp_path / "types.txt").write_text("# ours\nml.zz9.xlarge # since May\n\n")
    assert "QE309" in rules(found())
    assert "QE309" not in rules(found("--instance-types-file", "types.txt"))
    (tmp_path / "types.txt").write_text("zz9.xlarge\n")
    assert run(["validate", "s.yaml", "--instance-types-file", "types.txt"]) == 2
    assert run(["validate", "s.yaml", "--instance-types-file", "none.txt"]) == 2


def test_policies_are_found_in_their_folder_or_where_an_option_says(found: Found, tmp_path: Path) -> None:
    """A policy that is not found is no policy; one that is found unasked must be seen in the answer."""
    assert "QE701" not in rules(found())
    for folder in ("policies", "elsewhere"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.yaml").write_text(POLICY.replace("QE701", "QE702") if folder == "elsewhere" else POLICY)
    assert {"QE701", "QE702"} & rules(found()) == {"QE701"}
    assert {"QE701", "QE702"} & rules(found("--policies", "elsewhere")) == {"QE702"}
    assert not {"QE701", "QE702"} & rules(found("--no-policies"))


def test_a_policy_judges_what_would_be_deployed(found: Found, tmp_path: Path) -> None:
    """QS1 states no borrow limit, which means unlimited: the policy must not pass what it was written against."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "p.yaml").write_text(POLICY)
    [one] = found("--select", "QE7")
    assert (one["rule"], one["name"], one["severity"], one["line"]) == ("QE701", "unbounded-borrowing", "error", 13)
    assert "QS1" in one["message"]
    (tmp_path / "policies" / "p.yaml").write_text(POLICY + "only: {stacks: ['*-dev']}\n")
    assert found("--select", "QE7") == []


def test_faults_of_a_policy_are_reported_at_the_policy(found: Found, tmp_path: Path) -> None:
    """A policy that can't be read would else judge nothing, and nobody would know."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.yaml").write_text(POLICY)
    (tmp_path / "policies" / "b.yaml").write_text(POLICY)
    (tmp_path / "policies" / "c.yaml").write_text(POLICY.replace("applies_to: share\n", ""))
    assert {(one["rule"], one["file"]) for one in found("--select", "QE2")} == {
        ("QE216", "policies/b.yaml"),
        ("QE202", "policies/c.yaml"),
    }


def test_a_comment_in_a_base_file_counts_where_a_stack_uses_it(found: Found, tmp_path: Path) -> None:
    """A fragment alone can't tell; a stack that extends it can."""
    fragment = "kind: fragment\nversion: 1\n" + STACK.partition("region: us-west-2\n")[2]
    fragment = fragment.replace("ml.zz9.xlarge: 1}}", "ml.zz9.xlarge: 1}} # quota-engine: ignore[QE309, QE301] new")
    (tmp_path / "base.yaml").write_text(fragment)
    (tmp_path / "s.yaml").write_text("kind: stack\nversion: 1\nname: x\nregion: us-west-2\nextends: base.yaml\n")
    [one] = [one for one in found("base.yaml") if one["rule"] == "QE118"]
    assert (one["file"], "QE301" in one["message"]) == ("base.yaml", True)
    (tmp_path / "s.yaml").write_text("kind: stack\nversion: 1\nname: x\nregion: us-west-2\n")
    assert not [one for one in found("base.yaml") if one["rule"] == "QE118"]


def test_a_policy_that_comes_to_no_end_is_named(
    tmp_path: Path, found: Found, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A pattern with repeats inside repeats would else hold up the pipeline until somebody kills it."""
    assert found()
    (tmp_path / "policies").mkdir()
    endless = POLICY[: POLICY.index("schema:")] + "schema: {properties: {name: {pattern: ^(Q+S*)+$}}}\n"
    (tmp_path / "policies" / "p.yaml").write_text(endless)
    (tmp_path / "s.yaml").write_text(STACK.replace("QS1:", f"{'Q' * 60}-:"))
    assert run(["validate", "s.yaml"]) == 2
    assert b"policy QE701 in policies/p.yaml comes to no end" in capfdbinary.readouterr().err


def test_quiet_leaves_notes_out_unless_they_fail(found: Found, tmp_path: Path) -> None:
    """Who asks for quiet wants what needs doing; a note that decides the exit code must still be seen."""
    unlendable = STACK.replace("LEND_AND_BORROW", "LEND_AND_BORROW, borrow_limit: 900").replace(", borrow_limit: 5", "")
    (tmp_path / "s.yaml").write_text(unlendable)
    severities = {one["severity"] for one in found()}
    assert "note" in severities
    assert {one["severity"] for one in found("-q")} == severities - {"note"}
    assert {one["severity"] for one in found("-q", "--fail-on", "note")} == severities


def test_files_for_other_programs_are_passed_over_in_a_folder_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A workflow beside a declaration is no fault of either; a declaration that forgot its kind is one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workflow.yml").write_text("name: check\non: push\njobs: {check: {runs-on: ubuntu}}\n")
    (tmp_path / "forgot.yaml").write_text(STACK.removeprefix("kind: stack\n"))
    (tmp_path / "work.yaml").write_text("version: 1\njobs: []\n")
    assert run(["validate", ".", "--format", "json"]) == 1
    output, error = capfd.readouterr()
    unknown = [one["file"] for one in json.loads(output)["diagnostics"] if one["rule"] == "QE209"]
    assert unknown == ["./forgot.yaml", "./work.yaml"]
    assert "skipped ./workflow.yml: it has no kind, and no key of ours" in error
    assert run(["validate", "workflow.yml"]) == 1, "who names a file means it"
    (tmp_path / "others").mkdir()
    (tmp_path / "workflow.yml").rename(tmp_path / "others" / "workflow.yml")
    assert run(["validate", "others"]) == 2, "nothing checked must not look like nothing wrong"


@pytest.mark.parametrize("command", ["validate", "drift", "forecast"])
def test_an_empty_path_is_refused(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A script's empty variable must not stand for the folder it runs in."""
    assert run([command, ""]) == 2
    assert "names nothing" in capfd.readouterr().err
