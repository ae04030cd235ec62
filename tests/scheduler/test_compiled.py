"""The compiled scheduler, as a wheel has it, against everything that the pure one is held against."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compiled import build_compiled, python

JUDGES = (
    "tests/scheduler/test_schedule_cases.py",
    "tests/scheduler/test_advance.py",
    "tests/scheduler/test_restore.py",
    "tests/property/test_schedule_reference.py",
    "tests/property/test_schedule_laws.py",
    "tests/property/test_emulator_laws.py",
    "tests/emulator/test_emulator_state.py",
)


@pytest.mark.long
def test_the_compiled_scheduler_gives_the_same_traces(tmp_path: Path) -> None:
    """Golden schedules, the slow reference, the laws, and what the emulator keeps: not one event may differ."""
    paths = build_compiled(tmp_path)
    plain = ("-o", "pythonpath=", "-p", "no:cacheprovider", "-q", "-m", "not long")
    told = python("-m", "pytest", *plain, *JUDGES, PYTHONPATH=paths)
    assert " passed" in told
