"""Recorded jobs as lines: what was written is read back, what is no job is refused with a reason."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quota_engine.model.job_history import LineError, RecordedJob, from_line, to_line

JOB = RecordedJob("training", "id", "job", "QS1", "SUCCEEDED", {"ml.g5.xlarge": 1}, 1_796_099_580_935, priority=3)
TIME = st.one_of(st.none(), st.integers(0, 2**42))


@given(st.text(), st.dictionaries(st.text(), st.integers(0, 99), max_size=3), TIME, TIME)
def test_what_was_written_is_read_back(name: str, instances: dict[str, int], at: int | None, count: int | None) -> None:
    """Forecasts and calibrations rest on every value of it."""
    few = None if count is None else count % 1000
    times = ((at, count), (None, at))
    job = RecordedJob("q", name, name, name, "FAILED", instances, 5, at, at, at, count, few, few, few, times, ())
    assert to_line(job).count("\n") == 1
    assert from_line(to_line(job)) == job


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"version": 2}, "version is 2"),
        ({"instances": {"ml.g5.xlarge": 1.5}}, "instances"),
        ({"instances": None}, "instances"),
        ({"job_id": 7}, "job_id is no text"),
        ({"created_at_ms": None}, "created_at_ms"),
        ({"priority": True}, "priority"),
        ({"duration_ms": -1}, "duration_ms"),
        ({"preempted_count": 10**9}, "preempted_count is 1000000000, more than 100,000"),
        ({"stopped_at_ms": 10**30}, "later than the year 9999"),
        ({"status": "DONE"}, "status is 'DONE'"),
    ],
)
def test_a_line_that_holds_no_job_is_refused(changed: dict[str, object], reason: str) -> None:
    """A value taken for something else would bend every duration that is learned from it."""
    with pytest.raises(LineError, match=reason):
        from_line(json.dumps({**json.loads(to_line(JOB)), **changed}))


@pytest.mark.parametrize("line", ["", "{", "[]", "null", "7", "[" * 100_000])
def test_what_is_no_object_is_refused(line: str) -> None:
    """Whatever stands in the file, there is a reason and no traceback."""
    with pytest.raises(LineError):
        from_line(line)


def test_a_member_that_a_later_version_adds_is_passed_over() -> None:
    """Fields may be added within a version."""
    assert from_line(json.dumps({**json.loads(to_line(JOB)), "color": "blue"})) == JOB
