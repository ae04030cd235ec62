"""The journal of finished runs: what survives a kill, and what is refused rather than believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quota_engine.model.trouble import Trouble
from quota_engine.sweep import open_journal, told_when_stopped
from quota_engine.sweep.task import Finished

RUNS: list[Finished] = [
    ("a1", ({"share": None, "wait_mean_ms": 1.1, "preemptions": 3}, {"share": "QS1", "wait_mean_ms": None})),
    ("b2", ({"share": None, "cut_off": False},)),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a journal with two runs in it."""
    path = tmp_path / "results.csv.partial.jsonl"
    with open_journal(path) as journal:
        for run in RUNS:
            journal.append(run)
    return path


def test_what_was_written_is_read_back(path: Path) -> None:
    """A resumed sweep has to give the same bytes as one that ran through."""
    with open_journal(path) as journal:
        assert journal.finished == dict(RUNS)
        assert not journal.cut


@pytest.mark.parametrize("left", [1, 10, 40])
def test_a_line_that_a_kill_cut_short_is_dropped(path: Path, left: int) -> None:
    """kill -9 can come in the middle of a write; the run is done again, and the file goes on whole."""
    whole = path.read_bytes()
    os.truncate(path, len(whole) - left)
    with open_journal(path) as journal:
        assert journal.cut
        assert list(journal.finished) == ["a1"]
        journal.append(RUNS[1])
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b'"wait_mean_ms":1.1', b'"wait_mean_ms":1.2', "line 2 of .* is damaged"),
        (b'"preemptions":3', b'"preemptions":NaN', "line 2 of .* is damaged"),
        (b'{"key":"a1"', b'{"key":["a1"]', "line 2 of .* is damaged"),
        (b'{"key":"b2"', b'{"kez":"b2"', "line 3 of .* is damaged"),
        (b'{"key":"b2"', b"\xff\xfe\x00", "line 3 of .* is damaged"),
        (b'"version": 1', b'"version": 9', "is no journal of a sweep"),
    ],
)
def test_a_damaged_journal_is_refused(path: Path, old: bytes, new: bytes, what: str) -> None:
    """A number that a disk has changed would go into the results unseen."""
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    damaged = path.read_bytes()
    with pytest.raises(Trouble, match=what), open_journal(path):
        pass
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("text", ["hello", "hello\n", '{"journal"}'])
def test_a_file_of_somebody_elses_is_left_alone(tmp_path: Path, text: str) -> None:
    """The name was taken by chance; nobody asked to overwrite it."""
    path = tmp_path / "x.csv.partial.jsonl"
    path.write_text(text)
    with pytest.raises(Trouble, match="is no journal of a sweep"), open_journal(path):
        pass
    assert path.read_text() == text


def test_two_sweeps_do_not_share_a_journal(path: Path) -> None:
    """Their lines would mix."""
    with open_journal(path), pytest.raises(Trouble, match="is in use"), open_journal(path):
        pass


def test_a_journal_of_nothing_is_removed(tmp_path: Path) -> None:
    """A sweep that fails before its first run leaves no litter."""
    path = tmp_path / "x.csv.partial.jsonl"
    with open_journal(path) as journal:
        assert path.exists()
        assert journal.finished == {}
    assert not path.exists()


@pytest.mark.parametrize(
    ("journal", "finished", "said"),
    [
        (Path("r.partial.jsonl"), 2, "r.partial.jsonl keeps 2 finished runs; the same command goes on from there"),
        (Path("r.partial.jsonl"), 1, "r.partial.jsonl keeps 1 finished run; the same command goes on from there"),
        (Path("r.partial.jsonl"), 0, "no run had finished; the same command begins anew"),
        (None, 0, "no run had finished; the same command begins anew"),
        (None, 3, "3 finished runs lost; with --output FILE what has finished is kept, "),
    ],
)
def test_a_sweep_that_stops_tells_what_is_left_of_it(journal: Path | None, finished: int, said: str) -> None:
    """Whoever waited wants to know whether to wait again, and how not to the next time."""
    assert told_when_stopped(journal, finished).startswith(said)
