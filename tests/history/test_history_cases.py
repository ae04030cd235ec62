"""Histories as other tools write them, and what becomes of each of their lines: tests/cases/history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quota_engine.config import load_scenario
from quota_engine.history import History, read_history, refuse, taken_names
from quota_engine.model.durations import format_duration
from quota_engine.model.work import Job
from quota_engine.rules import refusal_of

CASES = Path(__file__).resolve().parent.parent / "cases" / "history"


def read(scenario: Path) -> History:
    loaded = load_scenario(scenario)
    assert loaded.value is not None, loaded.diagnostics
    assert loaded.value.replay is not None
    history = read_history(loaded.value.replay, start=loaded.value.start, is_taken=taken_names(loaded.value))
    return refuse(history, refusal_of(loaded.value))


def told(history: History) -> Iterator[str]:
    """Yield what became of a history, as the cases write it."""
    yield from map(_job, history.jobs)
    for reason, count in history.left_out.items():
        yield f"left out: {count} {reason}"
    for bad in history.bad:
        yield f"bad: {bad}"


def _job(job: Job) -> str:
    need = " and ".join(f"{count} {unit}" for unit, count in job.need.items())
    name = job.name.encode("unicode_escape").decode() if not job.name.isprintable() else job.name
    priority = f", priority {job.priority}" if job.priority else ""
    lasts = format_duration(job.duration_ms or 0)
    return (
        f"{name} at {format_duration(job.submit_at_ms)} in {job.share}: {need} for {lasts}{priority}, line {job.line}"
    )


@pytest.mark.parametrize("folder", sorted(path.parent for path in CASES.glob("*/scenario.yaml")), ids=lambda p: p.name)
def test_a_history_becomes_the_jobs_that_its_case_expects(folder: Path) -> None:
    """An oddity that is read wrongly is simulated wrongly, and nobody sees it."""
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert list(told(read(folder / "scenario.yaml"))) == expected
