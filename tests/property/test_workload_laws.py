"""Laws of generated work: one workload is not another's business, and a seed is a promise."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.model.arrivals import HOUR_MS, WEEK_MS, expected_jobs, window
from quota_engine.model.sampling import (
    Arrivals,
    Burst,
    Choice,
    Constant,
    Empirical,
    Every,
    Exponential,
    LogNormal,
    Poisson,
    Profile,
    Start,
    Uniform,
    Weibull,
)
from quota_engine.model.stack import Stack
from quota_engine.model.work import Job, Scenario, Workload
from quota_engine.workloads import jobs_of, prepare

END_MS = 2 * 24 * HOUR_MS
rates = st.floats(0, 20).map(lambda rate: round(rate, 3))
days = st.lists(rates, min_size=24, max_size=24).map(tuple)
times_ms = st.integers(0, END_MS)
processes = st.one_of(
    st.builds(Poisson, rates),
    st.builds(Every, st.integers(HOUR_MS // 4, END_MS)),
    st.builds(Profile, days, days),
    st.builds(Burst, times_ms, st.integers(1, 50)),
)
arrivals = st.builds(
    Arrivals, processes, from_ms=times_ms, until_ms=st.none() | times_ms, jobs=st.none() | st.integers(1, 60)
)
milliseconds = st.integers(1, 10**10)
durations = st.one_of(
    st.none(),
    st.builds(Constant, milliseconds),
    st.builds(lambda low, more: Uniform(low, low + more), milliseconds, milliseconds),
    st.builds(Exponential, milliseconds),
    st.builds(LogNormal, milliseconds, st.floats(0, 10)),
    st.builds(Weibull, milliseconds, st.floats(0.1, 100)),
    st.builds(lambda values: Empirical(tuple(sorted(values)), "x.csv"), st.lists(milliseconds, min_size=1, max_size=9)),
)
priorities = st.one_of(
    st.builds(Constant, st.integers(0, 9)),
    st.builds(lambda low, more: Uniform(low, low + more), st.integers(0, 9), st.integers(0, 9)),
)
needs = st.builds(
    lambda pairs: Choice(
        tuple({"ml.g5.xlarge": need} for need, _ in pairs), (1.0, *(weight for _, weight in pairs[1:]))
    ),
    st.lists(st.tuples(st.integers(1, 8), st.floats(0, 3)), min_size=1, max_size=4),
)
starts = st.builds(Start, st.integers(0, 4 * 10**12), st.integers(-12, 14).map(lambda hours: hours * HOUR_MS))


def named(name: str) -> st.SearchStrategy[Workload]:
    template = Job(name, "QS1", {})
    return st.builds(Workload, st.just(template), arrivals, needs, durations, priorities, st.floats(0, 1))


def of(*workloads: Workload, start: Start, seed: int = 7) -> Scenario:
    stack = Stack("s", "us-west-2")
    return Scenario("", stack, "q", (), until_ms=END_MS, seed=seed, start=start, workloads=workloads)


@settings(deadline=None)
@given(named("a"), named("b"), named("c"), starts)
def test_adding_a_workload_leaves_the_jobs_of_the_others_alone(
    a: Workload, b: Workload, c: Workload, start: Start
) -> None:
    """Else a reviewer could not tell what the new workload does from what the dice did."""
    few, more = prepare(of(a, b, start=start)), prepare(of(c, b, a, start=start))
    assert few.jobs == tuple(job for job in more.jobs if not job.name.startswith("c-"))


@settings(deadline=None)
@given(named("a"), starts, st.integers(0, 2**31))
def test_the_same_seed_gives_the_same_jobs(a: Workload, start: Start, seed: int) -> None:
    """Run by run, and for whoever runs it next."""
    assert prepare(of(a, start=start, seed=seed)) == prepare(of(a, start=start, seed=seed))


@settings(deadline=None)
@given(named("a"), starts)
def test_jobs_arrive_in_order_within_their_window_and_no_more_than_allowed(a: Workload, start: Start) -> None:
    """A job outside the time that was stated is work that nobody declared."""
    jobs = list(jobs_of(a, 7, start, END_MS))
    first, end = window(a.arrivals, END_MS)
    times = [job.submit_at_ms for job in jobs]
    assert times == sorted(times)
    assert all(first <= at_ms < end for at_ms in times)
    assert [job.name for job in jobs] == [f"a-{number:04}" for number in range(1, len(jobs) + 1)]
    assert a.arrivals.jobs is None or len(jobs) <= a.arrivals.jobs


@settings(deadline=None)
@given(named("a"), starts)
def test_as_many_jobs_come_as_are_expected(a: Workload, start: Start) -> None:
    """Exactly for bursts and regular arrivals; within six deviations of a Poisson count for the rest."""
    count = len(list(jobs_of(a, 7, start, END_MS)))
    expected = expected_jobs(a.arrivals, start, END_MS)
    if isinstance(a.arrivals.process, Burst | Every):
        assert count == expected
    elif a.arrivals.jobs is None:
        assert abs(count - expected) <= 6 * expected**0.5 + 6


@settings(deadline=None)
@given(named("a"), named("a"), starts)
def test_what_a_job_is_like_does_not_depend_on_when_jobs_arrive(a: Workload, other: Workload, start: Start) -> None:
    """A sweep over rates varies the pressure, not the jobs."""
    moved = replace(a, arrivals=other.arrivals)
    pairs = zip(jobs_of(a, 7, start, END_MS), jobs_of(moved, 7, start, END_MS), strict=False)
    assert all(replace(one, submit_at_ms=0) == replace(two, submit_at_ms=0) for one, two in pairs)


@settings(deadline=None)
@given(days, days, starts, times_ms, st.integers(0, 3 * WEEK_MS))
def test_a_profiles_weeks_are_alike(
    weekday: tuple[float, ...], weekend: tuple[float, ...], start: Start, from_ms: int, more_ms: int
) -> None:
    """Counting whole weeks at once must give what counting hour by hour gives."""
    process = Profile(weekday, weekend)
    short = expected_jobs(Arrivals(process, from_ms, from_ms + more_ms), start, None)
    later = expected_jobs(Arrivals(process, from_ms + WEEK_MS, from_ms + WEEK_MS + more_ms), start, None)
    longer = expected_jobs(Arrivals(process, from_ms, from_ms + WEEK_MS + more_ms), start, None)
    assert abs(short - later) < 1e-6
    assert abs(longer - short - 5 * sum(weekday) - 2 * sum(weekend)) < 1e-6
