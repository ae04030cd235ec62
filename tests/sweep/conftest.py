"""A small declaration and a scenario in a folder of their own, and the command as a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from quota_engine.cli.main import run

STACK = """\
kind: stack
version: 1
name: lab
region: us-west-2
service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 6}}}
scheduling_policies: {fifo: {}}
job_queues:
  training:
    service_environment: gpu
    scheduling_policy: fifo
    quota_shares:
      QS1:
        capacity_limits: {ml.g5.xlarge: 2}
        resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 200}
      QS2:
        capacity_limits: {ml.g5.xlarge: 3}
        resource_sharing: {strategy: LEND}
      QS3:
        capacity_limits: {ml.g5.xlarge: 1}
        resource_sharing: {strategy: RESERVE}
"""

SCENARIO = """\
kind: scenario
version: 1
description: A burst of research while serving comes and goes.
stack: lab.yaml
jobs:
  - {name: research, share: QS1, count: 8, submit_at: 0s, instances: {ml.g5.xlarge: 1}, duration: 2h}
  - {name: serving, share: QS2, count: 3, submit_at: 30m, instances: {ml.g5.xlarge: 1}, duration: 90m}
"""


@dataclass(frozen=True)
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str


Sweep = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with lab.yaml and burst.yaml, the working directory of the test."""
    (tmp_path / "lab.yaml").write_text(STACK)
    (tmp_path / "burst.yaml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def sweep(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Sweep:
    """Return the command `sweep burst.yaml`, run in this process."""

    def sweep(*options: str, scenario: str = "burst.yaml") -> Ran:
        code = run(["sweep", scenario, *options])
        out, err = capfdbinary.readouterr()
        assert b"Traceback" not in out + err
        return Ran(code, out.decode(), err.decode())

    return sweep
