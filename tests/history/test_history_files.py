"""What the outside world does to a history's file: packed, damaged, missing, endless."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from quota_engine.history import HistoryError, read_history
from quota_engine.history.text import LINE_MAX, REPORT_EVERY
from quota_engine.model.replay import Clock, Each, Format, Lasting, Mapped, Replay

ONE = Each({"ml.g5.xlarge": 1})


def replay(path: Path, kind: Format = Format.CSV) -> Replay:
    return Replay(
        str(path),
        kind,
        path.name,
        share=Mapped(default="a"),
        instances=ONE,
        submit=Clock("at"),
        duration=Lasting("for"),
    )


def write_csv(path: Path, count: int) -> Path:
    path.write_text("at,for\n" + "".join(f"{number},60\n" for number in range(count)), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.csv.gz", "jobs"])
def test_a_packed_history_is_recognised_by_its_bytes(name: str, tmp_path: Path) -> None:
    """A download may be unpacked on the way and keep its name, or be packed and lose it."""
    plain = write_csv(tmp_path / "plain.csv", 3)
    packed = tmp_path / name
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_history(replay(packed)).jobs == read_history(replay(plain)).jobs


@pytest.mark.parametrize("part", [5, 20, -9, -1])
def test_a_damaged_packed_history_is_said_to_be_so(part: int, tmp_path: Path) -> None:
    """Half a history would be simulated as if it were the whole."""
    packed = tmp_path / "jobs.csv.gz"
    packed.write_bytes(gzip.compress(b"at,for\n" + b"1,60\n" * 5000)[:part])
    with pytest.raises(HistoryError, match=r"can't read jobs\.csv\.gz") as caught:
        read_history(replay(packed))
    assert "damaged" in caught.value.why


def test_what_is_no_file_is_said_to_be_none(tmp_path: Path) -> None:
    """Opening a pipe would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    for path, why in [
        (tmp_path, "not a regular file"),
        (tmp_path / "pipe", "not a regular file"),
        (tmp_path / "gone", "No such file"),
    ]:
        with pytest.raises(HistoryError) as caught:
            read_history(replay(path))
        assert why in caught.value.why


@pytest.mark.parametrize("text", ["", "\n\n", "at,for\n"])
def test_a_history_of_nothing_has_no_jobs(text: str, tmp_path: Path) -> None:
    """An empty export is no fault of the file."""
    path = tmp_path / "jobs.csv"
    path.write_text(text, encoding="utf-8")
    history = read_history(replay(path))
    assert (history.jobs, history.line_count, history.bad) == ([], 0, ())


def test_a_first_line_that_names_no_columns_is_told(tmp_path: Path) -> None:
    """Taken for the columns' names, a first job would make every line bad for a reason that nobody understands."""
    path = tmp_path / "jobs.csv"
    path.write_text("nonsense\n1\n", encoding="utf-8")
    with pytest.raises(HistoryError, match=r"can't read jobs\.csv") as caught:
        read_history(replay(path))
    assert caught.value.place == ("header",)


@pytest.mark.parametrize(("column", "fix"), [("fro", "did you mean 'for'?"), ("x", "name one of them")])
def test_a_column_that_is_not_there_is_told_with_those_that_are(column: str, fix: str, tmp_path: Path) -> None:
    """One misspelt word is told once, not once a line."""
    path = write_csv(tmp_path / "jobs.csv", 1)
    stated = Replay(str(path), Format.CSV, "jobs.csv", share=Mapped(default="a"), instances=ONE, submit=Clock("at"))
    with pytest.raises(HistoryError, match="replay has no duration"):
        read_history(stated)
    wrong = Replay(
        str(path),
        Format.CSV,
        "jobs.csv",
        share=Mapped(default="a"),
        instances=ONE,
        submit=Clock("at"),
        duration=Lasting(column),
    )
    with pytest.raises(HistoryError, match=f"jobs.csv has no column '{column}'") as caught:
        read_history(wrong)
    assert caught.value.fix == fix
    assert caught.value.why == "its columns are at, for"


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Which of the two is meant, nobody knows."""
    path = tmp_path / "jobs.csv"
    path.write_text("at,for,at\n1,2,3\n", encoding="utf-8")
    with pytest.raises(HistoryError, match="several columns 'at'"):
        read_history(replay(path))


def test_an_endless_line_is_passed_over_in_bounded_memory(tmp_path: Path) -> None:
    """A few kilobytes can unpack to gigabytes without a line's end."""
    path = tmp_path / "jobs.csv.gz"
    with gzip.open(path, "wb") as packed:
        packed.write(b"at,for\n1,60\n")
        for _ in range(64):
            packed.write(b"9" * LINE_MAX)
        packed.write(b"\n2,60\n")
    tracemalloc.start()
    history = read_history(replay(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [job.line for job in history.jobs] == [2, 4]
    assert [str(one) for one in history.bad] == ["line 3: the line is longer than 1024 KiB"]
    assert peak < 16 * LINE_MAX


def test_reading_tells_how_far_it_is(tmp_path: Path) -> None:
    """A bar that stands still looks like a program that hangs."""
    path = write_csv(tmp_path / "jobs.csv", 3 * REPORT_EVERY)
    told: list[int] = []
    read_history(replay(path), progress=told.append)
    assert len(told) == 3
    assert told == sorted(told)
    assert 0 < told[0] <= told[-1] <= path.stat().st_size


def test_only_the_first_lines_are_read_where_that_is_enough(tmp_path: Path) -> None:
    """Validating a scenario must not take as long as running it."""
    path = write_csv(tmp_path / "jobs.csv", 50)
    history = read_history(replay(path), lines_max=11)
    assert (len(history.jobs), history.is_whole) == (10, False)
    assert read_history(replay(path), lines_max=51).is_whole


@pytest.mark.long
def test_what_is_left_out_of_a_long_history_takes_no_memory(tmp_path: Path) -> None:
    """A week of a log of years must not need the memory of years."""
    path = tmp_path / "jobs.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("at,for\n")
        file.writelines(f"{number},{60 * (number % 3)}\n" for number in range(200_000))
    tracemalloc.start()
    history = read_history(replace(replay(path), from_ms=1_000_000, until_ms=1_100_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(history.jobs) == 67
    assert history.line_count == 200_000
    assert peak < 2 * 1024 * 1024


@pytest.mark.long
def test_a_job_of_a_long_history_takes_little_memory(tmp_path: Path) -> None:
    """A million jobs have to fit beside what the scheduler keeps of them."""
    path = write_csv(tmp_path / "jobs.csv", 200_000)
    tracemalloc.start()
    jobs = read_history(replay(path)).jobs
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(jobs) == 200_000
    assert len({id(job.need) for job in jobs}) == 1
    assert kept / len(jobs) < 400
    assert peak / len(jobs) < 700
