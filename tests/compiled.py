"""The compiled scheduler, built as a wheel has it, beside this folder's pure one."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def python(*arguments: str, **environment: str) -> str:
    """Run Python without this folder at the front of its path; return what it prints."""
    run = subprocess.run(
        [sys.executable, "-P", *arguments], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    return run.stdout


def build_compiled(folder: Path) -> str:
    """Build the wheel into a folder; return the PYTHONPATH with which Python finds it first, then the tests."""
    wheel = ("-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT))
    python(*wheel, QUOTA_ENGINE_COMPILED="1")
    [built] = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "site")
    paths = os.pathsep.join([str(folder / "site"), str(ROOT)])
    where = python("-c", "from quota_engine.scheduler import step; print(step.__file__)", PYTHONPATH=paths)
    assert where.startswith(str(folder))
    assert not where.strip().endswith(".py")
    return paths
