"""A declaration on its way into the program: judged first, and refused with every finding."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest

from quota_engine.program import DeclarationInvalid, declare

VALID = """\
kind: stack
version: 1
name: ml-training-dev
region: us-west-2
service_environments:
  gpu: {capacity_limits: {ml.g5.xlarge: 3}}
scheduling_policies:
  quota-fifo: {}
job_queues:
  training:
    service_environment: gpu
    scheduling_policy: quota-fifo
    quota_shares:
      QS1: {capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: LEND}}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "dev.yaml"
    path.write_text(text)
    return path


def test_a_valid_declaration_is_the_stack_it_states(tmp_path: Path) -> None:
    """The program deploys this value and nothing else."""
    stack, _ = declare(write(tmp_path, VALID))
    assert (stack.name, stack.region, list(stack.job_queues)) == ("ml-training-dev", "us-west-2", ["training"])


def test_every_error_is_shown_with_its_line(tmp_path: Path) -> None:
    """One `pulumi up` per mistake would take a day."""
    text = VALID.replace("LEND}", "LEND, borrow_limit: 50}").replace("ml.g5.xlarge: 3", "ml.g5.xlarge: 0")
    with pytest.raises(DeclarationInvalid) as caught:
        declare(write(tmp_path, text))
    assert isinstance(caught.value, pulumi.RunError), "Pulumi shows a RunError without a traceback"
    message = str(caught.value)
    assert "dev.yaml:6:" in message
    assert "dev.yaml:14:" in message


@pytest.mark.parametrize("text", ["", "kind: stack\nname: [", "kind: scenario\nversion: 1\n"])
def test_what_is_no_declaration_at_all_is_refused_too(tmp_path: Path, text: str) -> None:
    """A broken file and a file of another kind end like a wrong value: with a finding."""
    with pytest.raises(DeclarationInvalid):
        declare(write(tmp_path, text))


def test_a_missing_declaration_names_its_path(tmp_path: Path) -> None:
    """A stack was selected that nobody has declared."""
    with pytest.raises(DeclarationInvalid, match=r"prod\.yaml"):
        declare(tmp_path / "prod.yaml")


POLICY = """kind: policy
version: 1
id: QE701
name: lender
applies_to: share
message: nobody lends here
schema: {properties: {resource_sharing: {properties: {strategy: {const: RESERVE}}}}}
"""


def test_an_organisations_policies_hold_for_deployments_too(tmp_path: Path) -> None:
    """What the pull request's check refuses must not be deployed by somebody who leaves it out."""
    (tmp_path / "stacks").mkdir()
    path = write(tmp_path / "stacks", VALID)
    declare(path)
    (tmp_path / "policies").mkdir()
    policy = tmp_path / "policies" / "p.yaml"
    policy.write_text(POLICY)
    with pytest.raises(DeclarationInvalid, match="QE701"):
        declare(path)
    policy.write_text(POLICY + "severity: warning\n")
    assert "QE701" in {one.rule for one in declare(path)[1]}
    policy.write_text(POLICY.replace("applies_to: share\n", ""))
    with pytest.raises(DeclarationInvalid, match="QE202"):
        declare(path)
