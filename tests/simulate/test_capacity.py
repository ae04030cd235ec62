"""Capacity over time: windows set the environment's limits, and nothing else does for their types."""

from __future__ import annotations

from dataclasses import replace

from quota_engine.model.capacity import CapacityPlan, Window, changes
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, Strategy
from quota_engine.model.work import ApplyStack, Job, Scenario
from quota_engine.scheduler.trace import Dispatched
from quota_engine.simulate import Run, measure, run
from quota_engine.simulate.settings import settings_over_time

UNIT, OTHER = "ml.p5.48xlarge", "ml.g5.xlarge"
HOUR = 3_600_000
STACK = Stack(
    "s",
    "r",
    service_environments={"e": ServiceEnvironment("e", {UNIT: 4, OTHER: 1})},
    job_queues={"q": JobQueue("q", ("e",), None, quota_shares={"A": QuotaShare("A", {UNIT: 4}, Strategy.RESERVE)})},
)
PLAN = CapacityPlan(UNIT, (Window(2 * HOUR, 6 * HOUR, 4), Window(8 * HOUR, None, 2)))


def scenario(*jobs: Job, plan: CapacityPlan = PLAN) -> Scenario:
    return Scenario("", STACK, "q", jobs, capacity=(plan,))


def starts(outcome: Run) -> dict[str, int]:
    return {event.job: event.at_ms // HOUR for event in outcome.trace if isinstance(event, Dispatched)}


def test_a_job_waits_for_the_window_that_holds_it() -> None:
    """Before the plan begins there is nothing; a job of four fits the first window, one of two the second too."""
    outcome = run(
        scenario(
            Job("early", "A", {UNIT: 4}, 0, 3 * HOUR),
            Job("late", "A", {UNIT: 2}, 6 * HOUR, HOUR),
        )
    )
    assert starts(outcome) == {"early": 2, "late": 8}


def test_a_window_that_ends_ends_no_job() -> None:
    """As Batch does when a limit is lowered: what runs goes on, and nothing else starts."""
    outcome = run(
        scenario(Job("long", "A", {UNIT: 4}, 5 * HOUR, 4 * HOUR), Job("next", "A", {UNIT: 1}, 7 * HOUR, HOUR))
    )
    assert starts(outcome) == {"long": 5, "next": 9}
    assert outcome.records["long"].is_finished


def test_instances_outside_of_windows_are_the_base() -> None:
    """A team may have some of its own beside what it reserves."""
    plan = replace(PLAN, base=1)
    assert starts(run(scenario(Job("small", "A", {UNIT: 1}, 0, HOUR), plan=plan))) == {"small": 0}
    assert [(one.from_ms // HOUR, one.instances) for one in plan.stretches()] == [(0, 1), (2, 4), (6, 1), (8, 2)]


def test_utilisation_is_of_what_the_windows_hold() -> None:
    """The declared limit is not there at all times; what isn't there can't be idle."""
    outcome = run(scenario(Job("whole", "A", {UNIT: 4}, 0, 4 * HOUR), Job("rest", "A", {UNIT: 2}, 8 * HOUR, 2 * HOUR)))
    used = measure(outcome).utilisation[UNIT]
    assert outcome.end_ms == 10 * HOUR
    assert (used.used_instance_ms, used.available_instance_ms) == (20 * HOUR, 20 * HOUR)


def test_a_stack_that_is_applied_leaves_windows_as_they_are() -> None:
    """A quota edit in the middle of a plan brings no instance back that the plan doesn't have."""
    edited = replace(STACK, service_environments={"e": ServiceEnvironment("e", {UNIT: 9, OTHER: 2})})
    planned = replace(scenario(), events=(ApplyStack(7 * HOUR, edited, "edited.yaml"),))
    limits = [(one.at_ms // HOUR, dict(one.limits)) for one in settings_over_time(planned)]
    assert limits == [
        (0, {UNIT: 4, OTHER: 1}),
        (0, {UNIT: 0, OTHER: 1}),
        (2, {UNIT: 4, OTHER: 1}),
        (6, {UNIT: 0, OTHER: 1}),
        (7, {UNIT: 0, OTHER: 2}),
        (8, {UNIT: 2, OTHER: 2}),
    ]


def test_windows_that_follow_each_other_are_one_stretch() -> None:
    """Two plans back to back with as many instances change nothing where they meet."""
    plan = CapacityPlan(UNIT, (Window(0, HOUR, 3), Window(HOUR, 2 * HOUR, 3)))
    assert plan.stretches() == [Window(0, 2 * HOUR, 3), Window(2 * HOUR, None, 0)]
    assert changes([plan]) == [(0, {UNIT: 3}), (2 * HOUR, {UNIT: 0})]
    assert changes([]) == []
