"""The compiled scheduler, as a wheel has it, against everything that the pure one is held against."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
JUDGES = (
    "tests/scheduler/test_schedule_cases.py",
    "tests/scheduler/test_advance.py",
    "tests/scheduler/test_restore.py",
    "tests/property/test_schedule_reference.py",
    "tests/property/test_schedule_laws.py",
)


def python(*arguments: str, **environment: str) -> str:
    """Run Python without this folder at the front of its path; return what it prints."""
    run = subprocess.run(
        [sys.executable, "-P", *arguments], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    return run.stdout


@pytest.mark.long
def test_the_compiled_scheduler_gives_the_same_traces(tmp_path: Path) -> None:
    """Golden schedules, the slow reference and the laws: what is compiled must not differ by one event."""
    wheel = ("-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT))
    python(*wheel, QUOTA_ENGINE_COMPILED="1")
    [built] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp_path / "site")
    paths = os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    where = python("-c", "from quota_engine.scheduler import step; print(step.__file__)", PYTHONPATH=paths)
    assert where.startswith(str(tmp_path))
    assert not where.strip().endswith(".py")
    plain = ("-o", "pythonpath=", "-p", "no:cacheprovider", "-q", "-m", "not long")
    told = python("-m", "pytest", *plain, *JUDGES, PYTHONPATH=paths)
    assert " passed" in told
