"""Laws of reading histories: what is written is read back, and no bytes are too odd."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.history import HistoryError, read_history
from quota_engine.model.job_history import RecordedJob, to_line
from quota_engine.model.replay import SWF_FIELDS, Clock, Columns, Counted, Format, Lasting, Mapped, Replay
from quota_engine.model.work import Job

UNITS = ("ml.g5.xlarge", "ml.p5.48xlarge")
TEXT = st.text(st.sampled_from("ab1-_ ,;:|\t\n'\"\\äß中😀\u2028#{}"), min_size=1, max_size=12).map(str.strip)

JOBS = st.lists(
    st.builds(
        Job,
        name=TEXT.filter(bool),
        share=st.sampled_from(["a", "b", "c d", "e,f", 'g"h']),
        need=st.dictionaries(st.sampled_from(UNITS), st.integers(1, 99), min_size=1),
        submit_at_ms=st.integers(0, 10**9),
        duration_ms=st.integers(1, 10**9),
        priority=st.integers(0, 9999),
    ),
    max_size=20,
    unique_by=lambda job: job.name,
)


def read(body: bytes, replay: Callable[[str], Replay]) -> list[Job]:
    """Read a history of these bytes, packed for good measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.gz"
        path.write_bytes(gzip.compress(body, 1))
        history = read_history(replay(str(path)))
    assert history.line_count == len(history.jobs) + sum(history.left_out.values()) + history.bad_count
    return history.jobs


def plain(jobs: list[Job], first_ms: int) -> list[tuple[object, ...]]:
    return [
        (job.name, job.share, dict(job.need), job.submit_at_ms - first_ms, job.duration_ms, job.priority)
        for job in jobs
    ]


def assert_same(written: list[Job], found: list[Job]) -> None:
    """The first job of what was read is at 0; all else is as it was written."""
    assert plain(found, 0) == plain(written, min((job.submit_at_ms for job in written), default=0))


@settings(max_examples=50)
@given(JOBS)
def test_what_history_writes_is_read_back(jobs: list[Job]) -> None:
    """A queue's jobs, recorded and replayed, must be the same work."""
    lines = [
        to_line(
            RecordedJob(
                queue="q",
                job_id=str(number),
                job_name=job.name,
                share=job.share,
                status="SUCCEEDED",
                instances=job.need,
                created_at_ms=1_700_000_000_000 + job.submit_at_ms,
                duration_ms=job.duration_ms,
                priority=job.priority,
            )
        )
        for number, job in enumerate(jobs)
    ]
    assert_same(jobs, read("".join(lines).encode(), lambda path: Replay(path, Format.JSONL, "h")))


def columns(path: str, kind: Format) -> Replay:
    return Replay(
        path,
        kind,
        "h",
        share=Mapped("share"),
        instances=Columns({unit: unit for unit in UNITS}),
        submit=Clock("submit_ms"),
        duration=Lasting("run_ms"),
        priority=Mapped("priority"),
        name="name",
    )


@settings(max_examples=50)
@given(JOBS, st.sampled_from([",", ";", "\t"]))
def test_a_csv_history_is_read_back_whatever_its_names_hold(jobs: list[Job], delimiter: str) -> None:
    """Quotes, delimiters and letters of any alphabet stand in the names of real jobs."""
    body = io.StringIO()
    writer = csv.writer(body, delimiter=delimiter)
    writer.writerow(["name", "share", *UNITS, "submit_ms", "run_ms", "priority"])
    for job in jobs:
        needs = [job.need.get(unit, "") for unit in UNITS]
        writer.writerow([job.name, job.share, *needs, job.submit_at_ms, job.duration_ms, job.priority])
    assert_same(jobs, read(body.getvalue().encode(), lambda path: columns(path, Format.CSV)))


@settings(max_examples=50)
@given(JOBS)
def test_a_json_history_is_read_back(jobs: list[Job]) -> None:
    """The same work in the third format."""
    lines = [
        json.dumps(
            {
                "name": job.name,
                "share": job.share,
                **job.need,
                "submit_ms": job.submit_at_ms,
                "run_ms": job.duration_ms,
                "priority": job.priority,
            }
        )
        for job in jobs
    ]
    assert_same(jobs, read("\n".join(lines).encode(), lambda path: columns(path, Format.JSONL)))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 10**8), st.integers(-1, 10**6), st.integers(-1, 99), st.integers(-1, 99))))
def test_a_swf_history_becomes_a_job_for_each_line_that_ran(rows: list[tuple[int, int, int, int]]) -> None:
    """By the format's own rules: run time above 0, processors used, else those asked for, else none known."""
    lines = []
    for number, (submit, run, used, asked) in enumerate(rows):
        values = dict.fromkeys(SWF_FIELDS, -1) | {
            "job": number,
            "submit": submit,
            "run_time": run,
            "processors_used": used,
            "processors_requested": asked,
        }
        lines.append(" ".join(str(values[field]) for field in SWF_FIELDS))
    jobs = read(
        "\n".join(lines).encode(),
        lambda path: Replay(
            path,
            Format.SWF,
            "h",
            share=Mapped(default="a"),
            instances=Counted("processors", Mapped(default=UNITS[0]), 8),
        ),
    )
    sizes = {str(number): used if used > 0 else asked for number, (_, _, used, asked) in enumerate(rows)}
    ran = [str(number) for number, (_, run, _, _) in enumerate(rows) if run > 0]
    assert [job.name for job in jobs] == [name for name in ran if sizes[name] > 0]
    assert all(job.need[UNITS[0]] * 8 >= sizes[job.name] > job.need[UNITS[0]] * 8 - 8 for job in jobs)


WORDS = st.sampled_from(
    [b'"', b",", b"|", b"\n", b"\r", b";", b"{", b"}", b"[", b":", b"\0", b"\xff", b"-1", b"1e99", b"name", b"share",
     b"submit_ms", b"run_ms", b"priority", b"ml.g5.xlarge", b"ml.p5.48xlarge", b"2026-01-01", b"null", b"\xef\xbb\xbf",
     b"version", b"1", b"detail-type", b"detail", b"9" * 40, b" ", b"\xff\xfe", b"\x1f\x8b"]
)  # fmt: skip


@settings(max_examples=150)
@given(
    st.one_of(st.binary(max_size=300), st.lists(WORDS, max_size=60).map(b"".join)),
    st.sampled_from(list(Format)),
    st.booleans(),
)
def test_no_bytes_are_too_odd(body: bytes, kind: Format, is_named: bool) -> None:
    """Every line is a job, left out or bad, and a file that is none is said to be so: never a traceback."""
    head = b"name,share,ml.g5.xlarge,ml.p5.48xlarge,submit_ms,run_ms,priority\n" if is_named else b""

    def replay(path: str) -> Replay:
        if kind is not Format.SWF:
            return columns(path, kind)
        return Replay(path, kind, "h", share=Mapped("queue"), instances=Counted("processors", Mapped(default=UNITS[0])))

    with suppress(HistoryError):
        read(head + body, replay)
