"""What a run rests on: each other value of each assumption is tried, and only what changes this run is named."""

from __future__ import annotations

from dataclasses import replace

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, State, Strategy
from quota_engine.model.work import Expectation, Job, Scenario, Timing
from quota_engine.scheduler.assumptions import ASSUMPTION_NAMES, TRIED, Assumptions
from quota_engine.scheduler.points import POINTS
from quota_engine.scheduler.trace import PreemptionStarted
from quota_engine.simulate import Tried, run, sensitivity
from quota_engine.simulate.sensitivity import STOPPING

UNIT = "ml.g5.xlarge"
MINUTE = 60_000


def scenario(*jobs: Job) -> Scenario:
    shares = {
        "a": QuotaShare("a", {UNIT: 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED),
        "b": QuotaShare("b", {UNIT: 1}, Strategy.LEND),
    }
    environments = {"e": ServiceEnvironment("e", {UNIT: 2})}
    queues = {"q": JobQueue("q", ("e",), "p", quota_shares=shares)}
    stack = Stack("s", "us-west-2", service_environments=environments, job_queues=queues)
    return Scenario("", stack, "q", jobs)


def job(name: str, share: str, at_ms: int, priority: int = 0) -> Job:
    return Job(name, share, {UNIT: 1}, at_ms, 60 * MINUTE, priority)


RECLAIM = scenario(job("older", "a", 0, 2), job("younger", "a", MINUTE, 2), job("owner", "b", 2 * MINUTE))


def tried(given: Scenario) -> dict[tuple[str, str], Tried]:
    return {(one.switch, one.value): one for one in sensitivity(run(given))}


def test_every_switch_is_tried_with_legal_values() -> None:
    """An assumption that is left out here would look as if nothing rested on it."""
    assert set(TRIED) == {*ASSUMPTION_NAMES, STOPPING}
    assert {point.switch for point in POINTS if point.switch} - set(TRIED) == {"a job's checkpoint"}
    for name, values in TRIED.items():
        assert len(values) == len(set(values)) > 1
        if name != STOPPING:
            assert len({Assumptions.of({name: value}) for value in values}) == len(values)
            assert Assumptions() in {Assumptions.of({name: value}) for value in values}


def test_the_first_thing_that_changes_is_named() -> None:
    """Event, job and time: what a reader looks for in the story."""
    found = tried(RECLAIM)[("victim_order", "priority,oldest")]
    assert found.first is not None
    assert (found.number, found.first.at_ms, found.first.job) == ("A-11", 2 * MINUTE, "older")
    assert isinstance(found.first.otherwise, PreemptionStarted)
    assert found.first.otherwise.by == "owner"
    assert found.first.here is not None
    assert found.first.here.at_ms == 60 * MINUTE
    assert found.jobs == 3


def test_what_decides_nothing_here_is_no_difference() -> None:
    """Two heads of one instant may be served in another order without any consequence."""
    found = tried(scenario(job("one", "b", 0), job("two", "a", 0)))
    assert not [one for one in found.values() if one.first]
    assert ("share_order", "name") in found


def test_the_runs_own_values_are_not_tried() -> None:
    """A scenario that sets an assumption is held against the others, the default among them."""
    changed = replace(RECLAIM, assumptions={"victim_order": ["priority", "oldest"]}, timing=Timing(stopping_ms=20_000))
    found = tried(changed)
    assert ("victim_order", "priority,oldest") not in found
    assert ("victim_order", "priority,youngest") in found
    assert ("timing.stopping", "20s") not in found
    assert ("timing.stopping", "0s") in found


def test_an_expectation_judged_otherwise_is_told() -> None:
    """A plan that holds under one reading of the documents only is worth knowing of."""
    expected = Expectation("preempted", {"job": "younger"})
    found = tried(replace(RECLAIM, expectations=(expected,)))[("victim_order", "priority,oldest")]
    [turned] = found.turned
    assert (turned.held, turned.holds, turned.expectation) == (True, False, expected)
    unaffected = tried(replace(RECLAIM, expectations=(expected,)))[("timing.stopping", "20s")]
    assert unaffected.first is not None
    assert not unaffected.turned


def test_two_jobs_that_straddle_do_not_swap_for_ever() -> None:
    """Each of them needs the other's share too; the one that came first keeps what it has."""
    shares = {name: QuotaShare(name, {UNIT: 1}, Strategy.LEND_AND_BORROW, -1) for name in ("a", "b")}
    stack = replace(RECLAIM.stack, job_queues={"q": JobQueue("q", ("e",), "p", quota_shares=shares)})
    jobs = tuple(replace(job(name, name, at_ms), need={UNIT: 2}) for name, at_ms in (("a", 0), ("b", MINUTE)))
    outcome = run(Scenario("", stack, "q", jobs, assumptions={"straddle_reclaims": True}))
    assert not outcome.stopped_because
    assert not [event for event in outcome.trace if isinstance(event, PreemptionStarted)]
    assert outcome.end_ms == 120 * MINUTE
