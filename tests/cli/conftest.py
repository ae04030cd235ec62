"""Runs the command line as a user does: a process, a clean environment, no terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "PYTHONPATH": str(ROOT),
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
}
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "very-secret-key"}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def quota_engine(*args: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run one command; no traceback and no secret may ever show."""
    run = subprocess.run(
        [sys.executable, "-m", "quota_engine", *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={**CLEAN_ENVIRONMENT, **(env or {})},
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert "Traceback (most recent" not in run.stdout + run.stderr
    assert "very-secret-key" not in run.stdout + run.stderr
    return run


@pytest.fixture(name="quota_engine")
def quota_engine_fixture() -> Run:
    return quota_engine
