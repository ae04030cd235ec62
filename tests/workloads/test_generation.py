"""Generated jobs: when they arrive, what they are called, and what one workload has to do with another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quota_engine.model.arrivals import DAY_MS, HOUR_MS, expected_jobs
from quota_engine.model.replay import Format, Replay
from quota_engine.model.sampling import (
    Arrivals,
    Burst,
    Choice,
    Constant,
    Every,
    Exponential,
    LogNormal,
    Poisson,
    Profile,
    Start,
    Uniform,
)
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, Strategy
from quota_engine.model.work import Exit, Job, Scenario, Workload
from quota_engine.simulate import ScenarioError, run
from quota_engine.workloads import TooManyJobs, jobs_of, prepare

ONE = {"ml.g5.xlarge": 1}
FRIDAY_NOON = Start(epoch_ms=1_796_382_000_000, offset_ms=HOUR_MS)
"""2026-12-04T12:00:00+01:00."""


def workload(process: Poisson | Every | Profile | Burst, name: str = "w", **more: int) -> Workload:
    return Workload(
        template=Job(name, "QS1", ONE),
        arrivals=Arrivals(process, **more),
        needs=Choice((ONE,), (1.0,)),
        duration=Exponential(HOUR_MS),
        priority=Constant(0),
    )


def scenario(*workloads: Workload, jobs: tuple[Job, ...] = (), until_ms: int | None = DAY_MS) -> Scenario:
    return Scenario("", Stack("s", "us-west-2"), "q", jobs, until_ms=until_ms, seed=7, workloads=workloads)


def times(one: Workload, until_ms: int | None = DAY_MS, start: Start | None = None) -> list[int]:
    return [job.submit_at_ms for job in jobs_of(one, 7, start, until_ms)]


def test_regular_arrivals_begin_at_once_and_end_before_the_end() -> None:
    """A job that arrives as the simulation ends would only be counted as unfinished."""
    assert times(workload(Every(6 * HOUR_MS))) == [0, 6 * HOUR_MS, 12 * HOUR_MS, 18 * HOUR_MS]
    assert times(workload(Every(HOUR_MS), from_ms=5, until_ms=HOUR_MS + 6)) == [5, HOUR_MS + 5]
    assert times(workload(Every(HOUR_MS), jobs=2), None) == [0, HOUR_MS]


def test_a_burst_comes_at_once_or_not_at_all() -> None:
    """Beyond the window there is nothing to arrive at."""
    assert times(workload(Burst(HOUR_MS, 3))) == [HOUR_MS] * 3
    assert times(workload(Burst(HOUR_MS, 3), jobs=2), None) == [HOUR_MS] * 2
    assert times(workload(Burst(DAY_MS, 3))) == []


def test_poisson_arrivals_come_as_often_as_their_rate_says() -> None:
    """A rate per hour that was taken for one per minute would flood every prediction."""
    found = times(workload(Poisson(6)), 2_000 * HOUR_MS)
    assert len(found) == pytest.approx(12_000, rel=0.03)
    assert found == sorted(found)
    per_hour = [0] * 2_000
    for at_ms in found:
        per_hour[at_ms // HOUR_MS] += 1
    variance = sum((count - 6) ** 2 for count in per_hour) / len(per_hour)
    assert variance == pytest.approx(6, rel=0.1)


@pytest.mark.parametrize("rate", [0.0, 0.0001])
def test_a_rate_of_nothing_brings_no_job(rate: float) -> None:
    """A sweep may turn a workload off; and below a thousandth of a job an hour there is nothing to simulate."""
    assert times(workload(Poisson(rate)), None) == []
    assert times(workload(Profile((rate,) * 24, (rate,) * 24), jobs=5), None) == []


def test_a_profile_follows_the_clock_and_the_week_of_its_zone() -> None:
    """From Friday noon: five hours of work, then nothing before Monday, 8 o'clock."""
    office = Profile(tuple(20.0 if 8 <= hour < 17 else 0.0 for hour in range(24)), (0.0,) * 24)
    found = times(workload(office), 7 * DAY_MS, FRIDAY_NOON)
    hours = {at_ms // HOUR_MS for at_ms in found}
    monday = 60 + 8
    assert min(hours - set(range(5))) == monday
    assert hours == set(range(5)) | {
        monday + 24 * day + hour for day in range(5) for hour in range(9) if day < 4 or hour < 4
    }
    assert len(found) == pytest.approx(expected_jobs(Arrivals(office), FRIDAY_NOON, 7 * DAY_MS), rel=0.1)


def test_a_profile_of_one_rate_is_a_poisson_process() -> None:
    """Two ways to say the same must not be two streams."""
    flat = Profile((6.0,) * 24, (6.0,) * 24)
    assert len(times(workload(flat), 100 * HOUR_MS, FRIDAY_NOON)) == len(times(workload(Poisson(6)), 100 * HOUR_MS))


@pytest.mark.parametrize(
    ("process", "more", "count"),
    [
        (Every(HOUR_MS), {}, 24.0),
        (Every(7 * HOUR_MS), {"from_ms": HOUR_MS}, 4.0),
        (Burst(5, 40), {}, 40.0),
        (Burst(5, 40), {"from_ms": 6}, 0.0),
        (Poisson(2.5), {}, 60.0),
        (Poisson(2.5), {"jobs": 10}, 10.0),
        (Poisson(2.5), {"from_ms": 2 * DAY_MS}, 0.0),
        (Profile((1.0,) * 24, (3.0,) * 24), {}, 12.0 + 36.0),
        (Profile((1.0,) * 24, (3.0,) * 24), {"until_ms": 8 * DAY_MS}, 48.0),
    ],
)
def test_what_to_expect_is_known_before(process: Poisson | Burst, more: dict[str, int], count: float) -> None:
    """A scenario with a thousand million jobs is refused, not begun."""
    assert expected_jobs(Arrivals(process, **more), FRIDAY_NOON, DAY_MS) == count


def test_whole_weeks_are_counted_and_not_walked_through() -> None:
    """A hundred years have 876,000 hours; a check of a file must not visit each."""
    profile = Profile((1.0,) * 24, (3.0,) * 24)
    weekly = 5 * 24 + 2 * 72
    assert expected_jobs(Arrivals(profile), FRIDAY_NOON, 52 * 7 * DAY_MS) == 52 * weekly


def test_jobs_are_numbered_in_the_order_of_their_arrival() -> None:
    """The name tells the place, and an expectation can speak of research-0001."""
    jobs = list(jobs_of(workload(Every(HOUR_MS), "research"), 7, None, DAY_MS))
    assert [job.name for job in jobs[:2]] == ["research-0001", "research-0002"]
    many = list(jobs_of(workload(Burst(0, 10_001), "many"), 7, None, DAY_MS))
    assert (many[9_998].name, many[10_000].name) == ("many-9999", "many-10001")


def test_a_generated_job_carries_what_the_workload_says() -> None:
    """A setting that is lost on the way would quietly simulate another job."""
    template = Job("w", "QS1", ONE, attempts=3, timeout_ms=5, preemption_retries=2, checkpoint_ms=9, exit=Exit(1, "x"))
    one = replace(workload(Burst(0, 200)), template=template, exit_probability=0.25)
    jobs = list(jobs_of(one, 7, None, DAY_MS))
    for job in jobs:
        kept = replace(job, name="w", submit_at_ms=0, duration_ms=None, exit=template.exit)
        assert kept == template
    assert sum(job.exit is not None for job in jobs) == pytest.approx(50, abs=15)
    assert all(job.exit is None for job in jobs_of(replace(one, exit_probability=0.0), 7, None, DAY_MS))
    assert all(job.exit == template.exit for job in jobs_of(replace(one, exit_probability=1.0), 7, None, DAY_MS))
    assert {job.duration_ms for job in jobs_of(replace(one, duration=None), 7, None, DAY_MS)} == {None}


def test_preparing_gives_all_jobs_in_submit_order_and_leaves_nothing_to_generate() -> None:
    """Prepared twice, a scenario must not have its work twice."""
    spelled = Job("b", "QS1", ONE, submit_at_ms=HOUR_MS)
    replayed = Job("a", "QS1", ONE, submit_at_ms=2 * HOUR_MS, line=1)
    ready = prepare(scenario(workload(Every(HOUR_MS), jobs=3), jobs=(spelled, replayed)))
    assert [job.name for job in ready.jobs] == ["w-0001", "b", "w-0002", "w-0003", "a"]
    assert ready.workloads == ()
    assert prepare(ready) == ready


def test_a_history_that_was_not_read_is_not_forgotten() -> None:
    """Without its jobs the queue would seem idle, and every expectation would hold."""
    with pytest.raises(ValueError, match=r"the history h\.swf has not been read"):
        prepare(replace(scenario(), replay=Replay("/h.swf", Format.SWF, "h.swf")))


def test_another_distribution_leaves_the_other_draws_alone() -> None:
    """A sweep over durations compares the same arrivals, priorities and needs."""
    one = replace(workload(Poisson(6)), priority=Uniform(1, 9), needs=Choice((ONE, {"ml.g5.xlarge": 2}), (1.0, 1.0)))
    other = replace(one, duration=LogNormal(HOUR_MS, 2.0), exit_probability=0.0)

    def rest(jobs: list[Job]) -> list[Job]:
        return [replace(job, duration_ms=0) for job in jobs]

    assert rest(list(jobs_of(one, 7, None, DAY_MS))) == rest(list(jobs_of(other, 7, None, DAY_MS)))


def test_a_thousand_million_jobs_are_refused() -> None:
    """The memory ends before they do."""
    with pytest.raises(TooManyJobs, match=r"1,000,000,000 jobs or more, 2,000,000 at most"):
        prepare(scenario(workload(Burst(0, 10**9))))


def test_a_scenario_that_was_not_prepared_is_not_run() -> None:
    """Its workloads would be missing, and every expectation hold."""
    queue = JobQueue("q", ("e",), "p", quota_shares={"QS1": QuotaShare("QS1", ONE, Strategy.RESERVE)})
    stack = Stack("s", "us-west-2", service_environments={"e": ServiceEnvironment("e", ONE)}, job_queues={"q": queue})
    declared = replace(scenario(workload(Every(HOUR_MS), jobs=3)), stack=stack)
    with pytest.raises(ScenarioError, match="workload 'w' are still to be generated"):
        run(declared)
    assert len(run(prepare(declared)).records) == 3
