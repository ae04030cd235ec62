"""What lists are cut from agrees with looking at every job, whatever happened to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quota_engine.emulator.history import MINUTE_MS, MINUTES, UseHistory
from quota_engine.emulator.index import JobIndex, created_between
from quota_engine.scheduler.status import JobStatus
from quota_engine.scheduler.trace import Dispatched, StartKind, Succeeded

NAMES = ("a", "A", "ab", "b", "AB")
SHARES = ("one", "two")
STATUSES = (JobStatus.SUBMITTED, JobStatus.RUNNABLE, JobStatus.RUNNING, JobStatus.SUCCEEDED)

jobs = st.lists(st.tuples(st.sampled_from(SHARES), st.sampled_from(NAMES), st.lists(st.sampled_from(STATUSES))))


@given(jobs, st.none() | st.integers(-1, 12))
def test_places_agree_with_looking_at_every_job(
    given_jobs: list[tuple[str, str, list[JobStatus]]], below: int | None
) -> None:
    """Each share and status, and any of them, from any page on: newest first, none twice, none left out."""
    index = JobIndex()
    now: list[tuple[str, JobStatus]] = []
    for share, name, _ in given_jobs:
        index.add(share, name)
    for number, (share, _, statuses) in enumerate(given_jobs):
        for status in statuses:
            index.move(number, status)
        now.append((share, statuses[-1] if statuses else JobStatus.SUBMITTED))
    for share_asked in (None, *SHARES):
        for status_asked in (None, *STATUSES):
            expected = [
                number
                for number, (share, status) in reversed(list(enumerate(now)))
                if share_asked in (None, share) and status_asked in (None, status) and (below is None or number < below)
            ]
            assert list(index.newest(share_asked, status_asked, below)) == expected


@given(st.lists(st.sampled_from(NAMES)), st.sampled_from(("a", "A", "ab", "a*", "*", "c", "AB*", "b*")))
def test_names_agree_with_looking_at_every_job(names: list[str], text: str) -> None:
    """In any case, exactly or by prefix, and the rest of the list from each of its jobs on."""
    index = JobIndex()
    for name in names:
        index.add("share", name)
    wanted = [
        ((name.lower(), name), number)
        for number, name in enumerate(names)
        if (name.lower().startswith(text[:-1].lower()) if text.endswith("*") else name.lower() == text.lower())
    ]
    wanted.sort(key=lambda found: (found[0], -found[1]))
    assert list(index.called(text, None)) == wanted
    for place, (found, number) in enumerate(wanted):
        assert list(index.called(text, (*found, number))) == wanted[place + 1 :]


@given(st.lists(st.integers(0, 9)).map(sorted), st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))
def test_times_agree_with_looking_at_every_job(times: list[int], after: int | None, before: int | None) -> None:
    """Strictly between, as BEFORE_CREATED_AT and AFTER_CREATED_AT say."""
    expected = [
        number
        for number, time in enumerate(times)
        if (after is None or time > after) and (before is None or time < before)
    ]
    assert list(created_between(times, after, before)) == expected


def dispatched(at_ms: int, job: str, count: int) -> Dispatched:
    return Dispatched(at_ms, job, "share", StartKind.OWN, {"unit": count}, {"unit": count}, {}, 1)


def test_the_last_hour_is_averaged_by_the_minute() -> None:
    """Two instances for half a minute are one for the minute; the present minute counts as far as it has come."""
    history = UseHistory()
    start_ms = 1_000 * MINUTE_MS
    history.take(dispatched(start_ms, "a", 2))
    history.take(Succeeded(start_ms + 30_000, "a"))
    history.take(dispatched(start_ms + 90_000, "b", 3))
    use = history.averages("unit", "share", start_ms + 150_000)
    assert len(use) == MINUTES
    assert use[-3:] == [1.0, 1.5, 3.0]
    assert not any(use[:-3])


def test_an_hour_ago_is_forgotten_and_long_use_is_not() -> None:
    """A job that has run for days fills the hour; one that ended before it is gone."""
    history = UseHistory()
    history.take(dispatched(0, "old", 1))
    history.take(Succeeded(5_000, "old"))
    history.take(dispatched(10_000, "long", 4))
    assert history.averages("unit", "share", 100 * MINUTE_MS * 60) == [4.0] * MINUTES
    history.take(Succeeded(100 * MINUTE_MS * 60, "long"))
    assert not any(history.averages("unit", "share", 102 * MINUTE_MS * 60))
