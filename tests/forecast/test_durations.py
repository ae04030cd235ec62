"""Durations from recorded jobs: compared with like ones that ran longer, and made up from nothing never."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quota_engine.forecast import DurationBasis
from quota_engine.forecast.durations import QUANTILES_PERCENT, Records, assumed, quantile, recorded
from quota_engine.model.job_history import RecordedJob
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Strategy
from quota_engine.model.work import Job
from quota_engine.scheduler.restore import Situation, Standing
from quota_engine.scheduler.status import JobStatus

UNIT = "ml.g5.xlarge"
HOUR_MS = 3_600_000
NOW_MS = 100 * HOUR_MS
ONE, TWO = {UNIT: 1}, {UNIT: 2}


def history(share: str, instances: dict[str, int], *hours: int, status: str = "SUCCEEDED") -> list[RecordedJob]:
    return [
        RecordedJob(
            "training", f"{share}-{instances}-{number}", "job", share, status, instances, 0, duration_ms=duration
        )
        for number, duration in enumerate(hour * HOUR_MS for hour in hours)
    ]


def situation(*jobs: Standing) -> Situation:
    shares = {name: QuotaShare(name, {UNIT: 4}, Strategy.LEND) for name in ("a", "b")}
    queue = JobQueue("training", ("gpu",), "fifo", quota_shares=shares)
    return Situation(queue, ServiceEnvironment("gpu", {UNIT: 8}), jobs, NOW_MS)


def running(name: str, hours: int, need: dict[str, int] | None = None, share: str = "a") -> Standing:
    started_ms = NOW_MS - hours * HOUR_MS
    return Standing(Job(name, share, need or ONE), JobStatus.RUNNING, started_ms, started_ms, started_ms)


def test_a_job_is_compared_with_those_that_ran_longer_than_it_has() -> None:
    """A job that has run for 5 hours won't end after 3; the short ones of the record say nothing of it."""
    found = Records.of(history("a", ONE, *range(1, 13)))
    (short, middle, long), (basis,) = recorded(situation(running("job", 5)), found, {})
    assert [run["job"] for run in (short, middle, long)] == [6 * HOUR_MS, 9 * HOUR_MS, 12 * HOUR_MS]
    assert basis == DurationBasis("a", ONE, 1, 12, (2 * HOUR_MS, 6 * HOUR_MS, 11 * HOUR_MS))


def test_jobs_of_another_size_count_only_where_the_own_size_has_too_few() -> None:
    """Large trainings last longer; but five records of another size say more than none."""
    found = Records.of([*history("a", ONE, 1, 1, 1, 1, 1), *history("a", TWO, 9, 9, 9, 9)])
    (_, middle, _), bases = recorded(situation(running("one", 0), running("two", 0, TWO)), found, {})
    assert (middle["one"], middle["two"]) == (HOUR_MS, HOUR_MS)
    assert [(basis.need, basis.jobs, basis.records) for basis in bases] == [(None, 1, 9), (ONE, 1, 5)]
    enough = Records.of([*history("a", ONE, 1, 1, 1, 1, 1), *history("a", TWO, 9, 9, 9, 9, 9)])
    (_, middle, _), _ = recorded(situation(running("one", 0), running("two", 0, TWO)), enough, {})
    assert (middle["one"], middle["two"]) == (HOUR_MS, 9 * HOUR_MS)


def test_too_few_records_fall_back_to_what_is_assumed_and_say_so() -> None:
    """Four jobs are no distribution; neither are those of another share."""
    found = Records.of([*history("a", ONE, 1, 2, 3, 4), *history("b", ONE, 5, 5, 5, 5, 5)])
    runs, (basis,) = recorded(situation(running("job", 0)), found, {"job": 8 * HOUR_MS})
    assert [run["job"] for run in runs] == [8 * HOUR_MS] * 3
    assert basis == DurationBasis("a", None, 1, 4)
    runs, _ = recorded(situation(running("job", 0)), found, {})
    assert [run["job"] for run in runs] == [None] * 3


def test_a_job_that_outran_the_record_has_no_recorded_end() -> None:
    """What ran longer than nearly all others may run for ever."""
    found = Records.of(history("a", ONE, *range(1, 21)))
    runs, (basis,) = recorded(situation(running("job", 16)), found, {})
    assert [run["job"] for run in runs] == [None] * 3
    assert (basis.records, basis.quantiles_ms) == (20, ())


def test_unfinished_jobs_and_other_queues_are_no_durations() -> None:
    """A job that still runs has lasted nothing yet."""
    open_ones = history("a", ONE, 0, 0, 0, 0, 0, status="RUNNING")
    elsewhere = [RecordedJob("other", str(n), "job", "a", "SUCCEEDED", ONE, 0, duration_ms=HOUR_MS) for n in range(9)]
    _, (basis,) = recorded(situation(running("job", 0)), Records.of([*open_ones, *elsewhere]), {})
    assert (basis.records, basis.quantiles_ms) == (0, ())


def test_a_job_of_two_files_counts_once_as_it_was_last() -> None:
    """Files that overlap must not weigh their jobs twice."""
    found = Records.of([*history("a", ONE, 1, 2, 3, 4), *history("a", ONE, 1, 2, 3, 9)])
    assert list(found.get("training", "a")) == [HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 9 * HOUR_MS]


def test_a_job_that_has_run_longer_than_assumed_runs_on() -> None:
    """It would otherwise end at the instant of deploying, and give room that it does not give."""
    found = assumed(situation(running("old", 9), running("young", 7)), 8 * HOUR_MS)
    assert found == {"old": None, "young": 8 * HOUR_MS}


@given(
    st.lists(st.integers(1, 50), max_size=40),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from([1, 2])), min_size=1, max_size=8),
)
def test_each_job_lasts_longer_than_it_has_run_and_longer_in_longer_runs(
    hours: list[int], jobs: list[tuple[int, int]]
) -> None:
    """Whatever is recorded: short is no longer than long, and nobody ended in the past."""
    stands = [running(str(number), ran, {UNIT: size}) for number, (ran, size) in enumerate(jobs)]
    runs, bases = recorded(situation(*stands), Records.of(history("a", ONE, *hours)), {})
    assert sum(basis.jobs for basis in bases) == len(jobs)
    for number, (ran, _) in enumerate(jobs):
        durations = [run[str(number)] for run in runs]
        known = [one for one in durations if one is not None]
        assert len(known) in (0, 3)
        assert known == sorted(known)
        assert all(ran * HOUR_MS < one <= max(hours) * HOUR_MS for one in known)


@given(st.lists(st.integers(0, 99), min_size=1))
def test_a_quantile_is_one_of_the_values_with_that_many_not_above_it(values: list[int]) -> None:
    """Nearest rank: no duration is told that nobody had."""
    ascending = sorted(values)
    for percent in QUANTILES_PERCENT:
        found = quantile(ascending, percent)
        assert found in values
        assert sum(one <= found for one in values) * 100 >= percent * len(values)
