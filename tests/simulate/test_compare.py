"""The same work under two declarations: where it goes, what is told of each job, what crosses a threshold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, State, Strategy, TimeLimitAction
from quota_engine.model.work import Event, Expectation, Job, Scenario, Terminate
from quota_engine.simulate import ScenarioError
from quota_engine.simulate.compare import Comparison, compare, play
from quota_engine.simulate.sides import sides
from quota_engine.simulate.thresholds import ALL, Increase, Limits, Threshold, ThresholdVerdict, judge_thresholds

UNIT = "ml.g5.xlarge"
MINUTE = 60_000
HOUR = 60 * MINUTE


def share(name: str, own: int, strategy: Strategy = Strategy.LEND, **more: object) -> QuotaShare:
    return QuotaShare(name, {UNIT: own}, strategy, **more)  # type: ignore[arg-type]


def stack(*shares: QuotaShare, pool: int = 4, queue: str = "q", renamed_from: str | None = None) -> Stack:
    actions = (TimeLimitAction("MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", 3600),)
    made = JobQueue(
        queue, ("e",), "p", time_limit_actions=actions, quota_shares={one.name: one for one in shares},
        renamed_from=renamed_from,
    )  # fmt: skip
    environment = ServiceEnvironment("e", {UNIT: pool})
    return Stack("s", "us-west-2", service_environments={"e": environment}, job_queues={queue: made})


def job(name: str, share: str, at_ms: int = 0, size: int = 1, duration_ms: int | None = HOUR, priority: int = 0) -> Job:
    return Job(name, share, {UNIT: size}, at_ms, duration_ms, priority)


def scenario(*jobs: Job, expect: tuple[Expectation, ...] = (), events: tuple[Event, ...] = ()) -> Scenario:
    return Scenario("", stack(share("A", 2)), "q", jobs, events, expect)


def compared(work: Scenario, old: Stack, new: Stack, moves: dict[str, str] | None = None) -> Comparison:
    before, after, shares = sides(work, old, new, moves)
    return compare(play(before), play(after), shares)


def crossed(comparison: Comparison, limits: Limits | None = None) -> list[tuple[Threshold, str]]:
    found = judge_thresholds(comparison, limits or Limits())
    return [(one.threshold, one.share) for one in found if one.crossed]


def only(comparison: Comparison, threshold: Threshold, limits: Limits | None = None) -> ThresholdVerdict:
    (found,) = (one for one in judge_thresholds(comparison, limits or Limits()) if one.threshold is threshold)
    return found


TWO = scenario(job("a", "A"), job("b", "A"))


def test_work_follows_a_share_that_was_renamed_in_both_directions() -> None:
    """The scenario may be written for either side; a rename is no reason to lose its work."""
    old, new = stack(share("A", 2)), stack(share("B", 2, renamed_from="A"))
    there = compared(TWO, old, new)
    assert there.jobs == ()
    assert dict(there.after.side.moved) == {"A": "B"}
    written_for_new = scenario(job("a", "B"), job("b", "B"))
    back = compared(written_for_new, old, new)
    assert back.jobs == ()
    assert dict(back.before.side.moved) == {"B": "A"}


def test_a_share_that_is_there_keeps_its_work_whatever_was_said() -> None:
    """A move concerns only work that a side has no place for."""
    old, new = stack(share("A", 2), share("B", 2)), stack(share("A", 1), share("B", 2))
    assert [one.job for one in compared(TWO, old, new, {"A": "B"}).jobs] == ["b"]


def test_a_move_to_a_share_that_is_not_there_leaves_the_work_unsubmitted() -> None:
    """Nothing is guessed: the job is refused as the service would refuse it."""
    comparison = compared(TWO, stack(share("A", 2)), stack(share("B", 2)), {"A": "C"})
    assert {one.after.refused for one in comparison.jobs} == {"quota share 'A' does not exist"}
    assert crossed(comparison) == [(Threshold.SERVED, "")]


def test_work_follows_a_queue_that_was_renamed() -> None:
    """As the program does, which makes the new queue in the place of the old."""
    old, new = stack(share("A", 2)), stack(share("A", 2), queue="r", renamed_from="q")
    assert compared(TWO, old, new).jobs == ()
    assert compared(TWO, new, old).jobs == ()
    with pytest.raises(ScenarioError, match="neither"):
        compared(replace(TWO, queue="x"), old, new)


def test_an_expectation_of_a_share_follows_its_work() -> None:
    """Else every rename would turn expectations undecided."""
    work = scenario(*TWO.jobs, expect=(Expectation("never_preempted", {"share": "A"}),))
    comparison = compared(work, stack(share("A", 2)), stack(share("B", 2, renamed_from="A")))
    assert [(one.holds, other.holds) for one, other in comparison.verdicts] == [(True, True)]


@pytest.mark.parametrize(
    ("increase", "before", "after", "is_crossed"),
    [
        (Increase(percent=10), 1000, 1100, False),
        (Increase(percent=10), 1000, 1101, True),
        (Increase(percent=10), 1000, 500, False),
        (Increase(percent=0), 1000, 1000, False),
        (Increase(percent=900), 0, 1, True),
        (Increase(percent=0), 0, 0, False),
        (Increase(by_ms=50), 0, 50, False),
        (Increase(by_ms=50), 0, 51, True),
        (Increase(by_ms=0), 5, 5, False),
    ],
)
def test_an_increase_is_crossed_by_more_and_never_by_as_much(
    increase: Increase, before: int, after: int, is_crossed: bool
) -> None:
    """In whole milliseconds, so that rounding decides nothing."""
    assert increase.is_crossed(before, after) is is_crossed


def test_a_share_of_its_own_threshold_is_not_held_to_that_of_all() -> None:
    """`all` is for those that nothing is said about."""
    comparison = compared(TWO, stack(share("A", 2)), stack(share("A", 1)))
    assert crossed(comparison, Limits(wait={ALL: Increase(by_ms=0)})) == [(Threshold.WAIT, "A")]
    assert crossed(comparison, Limits(wait={ALL: Increase(by_ms=0), "A": Increase(by_ms=HOUR)})) == []


def test_a_job_that_starts_now_and_never_did_makes_no_wait_longer() -> None:
    """Its wait, however long, is better than none at the end; in the mean of all it would look like a loss."""
    work = scenario(job("a", "A"), job("big", "A", size=2))
    comparison = compared(work, stack(share("A", 1)), stack(share("A", 2)))
    (one,) = comparison.work
    assert (one.before.wait.mean_ms, one.after.wait.mean_ms) == (0, HOUR // 2)
    assert crossed(comparison, Limits(wait={ALL: Increase(by_ms=0)})) == []


def test_a_job_that_starts_no_longer_crosses_every_wait() -> None:
    """A wait without end is not shorter than any allowance, though it adds nothing to a mean."""
    work = scenario(job("a", "A"), job("big", "A", size=2))
    comparison = compared(work, stack(share("A", 2)), stack(share("A", 1)))
    verdict = only(comparison, Threshold.WAIT, Limits(wait={"A": Increase(percent=999_999)}))
    assert verdict.crossed
    assert [(one.measure, one.before, one.after) for one in verdict.readings][-1] == ("no_longer_started", 0, 1)
    assert [one.job for one in verdict.jobs] == ["big"]


def test_a_job_that_a_time_limit_ends_for_want_of_room_counts_as_never_run() -> None:
    """The queue's own action hides it from the unfinished; its owner still lost it."""
    work = scenario(job("a", "A"), job("big", "A", size=2))
    comparison = compared(work, stack(share("A", 2)), stack(share("A", 1)))
    assert comparison.after.run.unfinished == ()
    assert [one.job for one in only(comparison, Threshold.SERVED).jobs] == ["big"]


def test_a_job_that_is_terminated_while_it_waits_is_not_taken_for_one_that_can_never_run() -> None:
    """It waits for room that comes; only the scenario did not wait for it."""
    work = scenario(job("a", "A"), job("b", "A"), events=(Terminate(30 * MINUTE, "b"),))
    comparison = compared(work, stack(share("A", 2)), stack(share("A", 1)))
    assert not only(comparison, Threshold.SERVED).crossed
    assert [one.job for one in comparison.jobs] == ["b"]


def test_a_run_that_is_cut_off_only_under_the_new_declaration_crosses() -> None:
    """Jobs that preempt one another for ever leave figures that say nothing."""
    before, after, work = sides(TWO, TWO.stack, TWO.stack)
    endless = play(after)
    endless = replace(endless, run=replace(endless.run, stopped_because="1000 preemptions in a row"))
    assert crossed(compare(play(before), endless, work)) == [(Threshold.SERVED, "")]
    assert crossed(compare(endless, play(before), work)) == []
    assert crossed(compare(endless, endless, work)) == []


def test_by_default_shares_that_cannot_borrow_are_guarded_as_newly_declared() -> None:
    """A share that may borrow has agreed to be preempted; what it may do is what the new declaration says."""
    work = scenario(job("low", "A", size=2, duration_ms=4 * HOUR), job("high", "A", HOUR, priority=9))
    old = stack(share("A", 2))
    guarded = stack(share("A", 2, in_share_preemption=State.ENABLED))
    borrowing = stack(share("A", 2, Strategy.LEND_AND_BORROW, in_share_preemption=State.ENABLED), pool=2)
    assert crossed(compared(work, old, guarded)) == [(Threshold.PREEMPTIONS, "A")]
    assert crossed(compared(work, old, borrowing)) == []
    assert crossed(compared(work, old, borrowing), Limits(no_new_preemptions=("A",))) == [(Threshold.PREEMPTIONS, "A")]
    assert crossed(compared(work, old, borrowing), Limits(no_new_preemptions=(ALL,))) == [(Threshold.PREEMPTIONS, "A")]
    assert crossed(compared(work, old, guarded), Limits(no_new_preemptions=())) == []


def test_a_preemption_that_moves_to_another_job_is_new_for_that_job() -> None:
    """The sum is the same; the owner of the other job was promised that nothing would change."""
    lends = stack(share("A", 1, Strategy.LEND_AND_BORROW), share("B", 1), pool=2)
    jobs = (job("first", "A", duration_ms=4 * HOUR), job("second", "A", duration_ms=4 * HOUR), job("owner", "B", HOUR))
    raised = tuple(replace(one, priority=int(one.name == "second")) for one in jobs)
    (one, _, work), (other, _, _) = (sides(scenario(*some), lends, lends) for some in (jobs, raised))
    comparison = compare(play(one), play(other), work)
    assert [(found.before.suffered, found.after.suffered) for found in comparison.work if found.share == "A"] == [
        (1, 1)
    ]
    verdict = only(comparison, Threshold.PREEMPTIONS, Limits(no_new_preemptions=("A",)))
    assert [found.job for found in verdict.jobs] == ["first"]


def test_an_expectation_that_is_turned_is_shown_with_both_verdicts() -> None:
    """One that fails on both sides is the scenario's own affair."""
    expect = (
        Expectation("finished", {"job": "b", "by_ms": HOUR}, 0),
        Expectation("finished", {"job": "a", "by_ms": 1}, 1),
    )
    comparison = compared(scenario(*TWO.jobs, expect=expect), stack(share("A", 2)), stack(share("A", 1)))
    verdict = only(comparison, Threshold.EXPECTATION)
    assert [(before.holds, after.holds, after.expectation.index) for before, after in verdict.turned] == [
        (True, False, 0)
    ]
    assert (verdict.readings[0].before, verdict.readings[0].after) == (1, 0)
    assert Threshold.EXPECTATION not in [
        one.threshold for one in judge_thresholds(compared(TWO, TWO.stack, TWO.stack), Limits())
    ]


def test_the_largest_change_comes_first_and_each_has_its_cause() -> None:
    """Who reads three lines reads the three that matter."""
    jobs = (job("a", "A"), job("b", "A"), job("c", "A", MINUTE), job("big", "B", size=2))
    old, new = stack(share("A", 2), share("B", 2)), stack(share("A", 1), share("B", 1))
    found = compared(scenario(*jobs), old, new).jobs
    assert [one.job for one in found] == ["big", "b", "c"]
    waits = {one.job: (one.wait_change_ms, one.after.room_made_by) for one in found}
    assert waits["b"] == (HOUR, ("a",))
    assert found[0].wait_change_ms is None
