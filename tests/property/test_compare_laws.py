"""Laws of comparing: nothing differs from itself, swapping the sides swaps what is told, no job is dropped."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.model.stack import Stack
from quota_engine.model.work import ApplyStack, Scenario
from quota_engine.simulate.compare import Comparison, compare, play
from quota_engine.simulate.sides import sides
from quota_engine.simulate.thresholds import ALL, Increase, Limits, Threshold, judge_thresholds

from .schedule_strategies import SMALL, scenarios, stacks

STRICT = Limits({ALL: Increase(percent=0)}, {ALL: Increase(by_ms=0)}, (ALL,))
"""Nothing may get any worse for anybody."""


def compared(scenario: Scenario, old: Stack, new: Stack) -> Comparison:
    before, after, work = sides(scenario, old, new)
    return compare(play(before), play(after), work)


@st.composite
def works(draw: st.DrawFn) -> tuple[Scenario, Stack, Stack]:
    """A scenario with two declarations of its queue, whose shares are partly the same."""
    scenario = draw(scenarios())
    scenario = replace(scenario, events=tuple(one for one in scenario.events if not isinstance(one, ApplyStack)))
    return scenario, scenario.stack, draw(stacks(SMALL))


@settings(max_examples=50, deadline=None)
@given(scenarios())
def test_a_declaration_compared_with_itself_gives_nothing(scenario: Scenario) -> None:
    """A pull request that changes a comment must not be blamed for anything, under the strictest thresholds."""
    comparison = compared(scenario, scenario.stack, scenario.stack)
    assert comparison.jobs == ()
    assert all(one.before == one.after for one in comparison.work)
    assert all(one.before == one.after for one in comparison.capacity)
    assert [one for one in judge_thresholds(comparison, STRICT) if one.crossed] == []


@settings(max_examples=50, deadline=None)
@given(works())
def test_swapping_the_declarations_swaps_each_pair_and_nothing_else(drawn: tuple[Scenario, Stack, Stack]) -> None:
    """What one direction calls a loss the other calls the same gain, of the same jobs."""
    scenario, old, new = drawn
    there, back = compared(scenario, old, new), compared(scenario, new, old)
    others = {one.job: one for one in back.jobs}
    assert {one.job for one in there.jobs} == set(others)
    worse = [one.fares_worse for one in there.jobs]
    assert worse == sorted(worse, reverse=True)
    assert {one.share: (one.before, one.after) for one in there.work} == {
        one.share: (one.after, one.before) for one in back.work
    }
    for one in there.jobs:
        other = others[one.job]
        assert (one.before, one.after) == (other.after, other.before)
        assert one.changes == tuple(-change for change in other.changes)
        assert not (one.fares_worse and other.fares_worse)


@settings(max_examples=50, deadline=None)
@given(works())
def test_every_job_is_counted_on_both_sides(drawn: tuple[Scenario, Stack, Stack]) -> None:
    """A job whose share is gone is refused and shown so; none disappears from the sums."""
    scenario, old, new = drawn
    comparison = compared(scenario, old, new)
    submitted = [job for job in scenario.jobs if scenario.until_ms is None or job.submit_at_ms <= scenario.until_ms]
    assert len(comparison.jobs) + comparison.same_jobs == len(submitted)
    for one in comparison.work:
        for side in (one.before, one.after):
            assert side.jobs == side.refused + side.succeeded + side.failed + side.unfinished
            assert side.jobs == side.refused + len(side.wait.values_ms) + side.wait.unstarted


@settings(max_examples=50, deadline=None)
@given(works())
def test_courses_agree_with_the_measures(drawn: tuple[Scenario, Stack, Stack]) -> None:
    """Waits, preemptions and lost work have one definition, whether told by job or by share."""
    scenario, old, new = drawn
    comparison = compared(scenario, old, new)
    for played in (comparison.before, comparison.after):
        for name, measured in played.measures.shares.items():
            courses = [one for one in played.courses.values() if one.share == name and not one.refused]
            assert len(courses) == measured.submitted
            assert sorted(one.wait_ms for one in courses if one.wait_ms is not None) == list(measured.wait.values_ms)
            preempted = measured.cross_share_preemptions + measured.in_share_preemptions
            assert sum(one.preempted for one in courses) == preempted
            assert sum(one.lost_instance_ms for one in courses) == measured.lost_instance_ms


@settings(max_examples=50, deadline=None)
@given(works())
def test_a_crossed_threshold_has_somebody_to_show_for_it(drawn: tuple[Scenario, Stack, Stack]) -> None:
    """A verdict that nobody can check is not believed."""
    scenario, old, new = drawn
    for verdict in judge_thresholds(compared(scenario, old, new), STRICT):
        if verdict.crossed and verdict.threshold is not Threshold.EXPECTATION:
            assert verdict.jobs
