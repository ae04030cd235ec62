"""Running and judging scenarios: a run always ends, expectations about nothing fail, measures follow their words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, State, Strategy
from quota_engine.model.work import Event, Expectation, Job, Scenario, SetCapacity, UpdatePriority
from quota_engine.scheduler import AssumptionError
from quota_engine.simulate import ScenarioError, Start, judge, measure, run, run_into, sequence, timelines
from quota_engine.simulate.balance import divide
from quota_engine.simulate.judges import Judgement
from quota_engine.simulate.metrics import Waits

UNIT = "ml.g5.xlarge"
MINUTE = 60_000


def scenario(*jobs: Job, events: tuple[Event, ...] = (), until_ms: int | None = None) -> Scenario:
    shares = {
        "QS1": QuotaShare("QS1", {UNIT: 1}, Strategy.LEND_AND_BORROW, 200, State.ENABLED),
        "QS2": QuotaShare("QS2", {UNIT: 1}, Strategy.LEND),
        "QS3": QuotaShare("QS3", {UNIT: 1}, Strategy.RESERVE),
    }
    stack = Stack(
        "s",
        "us-west-2",
        service_environments={"e": ServiceEnvironment("e", {UNIT: 3})},
        job_queues={"q": JobQueue("q", ("e",), "p", quota_shares=shares)},
    )
    return Scenario("", stack, "q", jobs, events, until_ms=until_ms)


def job(name: str, share: str, at_ms: int, priority: int = 0, duration_ms: int | None = 60 * MINUTE) -> Job:
    return Job(name, share, {UNIT: 1}, at_ms, duration_ms, priority)


WALKTHROUGH = scenario(
    job("high", "QS1", 0, 3),
    job("med", "QS1", 1000, 2),
    job("low", "QS1", 2000, 1),
    job("owner", "QS2", 10 * MINUTE, 1),
    events=(UpdatePriority(20 * MINUTE, "low", 4),),
)


def test_the_sequence_is_what_two_runs_are_compared_by() -> None:
    """The demo holds the simulation's against the emulator's, by name."""
    assert sequence(run(WALKTHROUGH).trace)[:6] == [
        Start("high", "own"),
        Start("med", "borrowed"),
        Start("med", "preempted", "owner"),
        Start("owner", "own"),
        Start("high", "preempted", "low"),
        Start("low", "in-share"),
    ]


@pytest.mark.parametrize(
    ("kind", "arguments", "judgement", "seen"),
    [
        ("state_at", {"at_ms": 5 * MINUTE, "running": ("high", "med"), "runnable": ("low",)}, "holds", "so it was"),
        ("state_at", {"at_ms": 5 * MINUTE, "running": ("low",)}, "fails", "low was RUNNABLE"),
        ("state_at", {"at_ms": 5 * MINUTE, "running": ("owner",)}, "undecided", "owner was not submitted by then"),
        ("preempted", {"job": "med", "kind": "cross-share", "by": "owner"}, "holds", "(cross-share) by owner at 10m"),
        ("preempted", {"job": "med", "kind": "in-share"}, "fails", "med was preempted (cross-share) by owner"),
        ("preempted", {"job": "owner"}, "fails", "owner was never preempted"),
        ("preempted", {"job": "nobody"}, "undecided", "no job was ever submitted (job nobody)"),
        ("never_preempted", {"share": "QS2"}, "holds", "its only job was not preempted"),
        ("never_preempted", {"share": "QS1"}, "fails", "med was preempted (cross-share) by owner at 10m, and 1 more"),
        ("never_preempted", {"share": "QS3"}, "undecided", "no job was ever submitted (share QS3)"),
        ("finished", {"job": "owner", "by_ms": 70 * MINUTE}, "holds", "finished at 1h10m"),
        ("finished", {"job": "owner", "by_ms": 69 * MINUTE}, "fails", "owner finished at 1h10m"),
        ("finished", {"share": "QS3"}, "undecided", "no job was ever submitted"),
        ("no_blocked_jobs", {}, "holds", "no job was blocked"),
        ("blocked", {"job": "low"}, "fails", "low was never blocked"),
    ],
)
def test_an_expectation_is_judged_by_the_trace(
    kind: str, arguments: dict[str, object], judgement: str, seen: str
) -> None:
    """A verdict that can't say what was seen helps nobody; one about nothing must not pass."""
    [verdict] = judge(run(WALKTHROUGH), [Expectation(kind, arguments)])
    assert verdict.judgement is Judgement(judgement)
    assert verdict.holds == (judgement == "holds")
    assert seen in verdict.seen


def test_a_failed_or_endless_job_has_not_finished() -> None:
    """`finished` means succeeded."""
    endless = scenario(job("x", "QS1", 0, duration_ms=None), Job("big", "QS3", {UNIT: 2}, 0, 1))
    result = run(endless)
    verdicts = judge(
        result,
        [
            Expectation("finished", {"job": "x"}),
            Expectation("no_blocked_jobs"),
            Expectation("blocked", {"job": "big", "reason": "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED"}),
        ],
    )
    assert [verdict.judgement.value for verdict in verdicts] == ["fails", "fails", "holds"]
    assert "runs until something ends it" in verdicts[0].seen
    assert [(left.job, left.can_run) for left in result.unfinished] == [("big", False), ("x", True)]


def test_a_run_stops_at_until_and_says_what_is_left() -> None:
    """A horizon cuts the run, it does not hide jobs."""
    result = run(replace(WALKTHROUGH, until_ms=15 * MINUTE))
    assert result.end_ms == 15 * MINUTE
    assert {left.job: left.status for left in result.unfinished} == {
        "high": "RUNNING",
        "med": "RUNNABLE",
        "low": "RUNNABLE",
        "owner": "RUNNING",
    }


def test_a_run_need_not_keep_its_trace() -> None:
    """A million jobs run with the trace streamed away."""
    seen: list[object] = []
    result = run_into(WALKTHROUGH, seen.append)
    assert result.trace == ()
    assert len(seen) == len(run(WALKTHROUGH).trace)


def test_measures_follow_their_definitions() -> None:
    """Wait is up to the first start; borrowed is above the own limit; lent is the owner's idle in others' use."""
    measures = measure(run(WALKTHROUGH))
    first, second = measures.shares["QS1"], measures.shares["QS2"]
    assert first.wait.values_ms == (0, 0, 20 * MINUTE - 2000)
    assert (first.cross_share_preemptions, first.in_share_preemptions) == (1, 1)
    assert first.lost_instance_ms == (10 * MINUTE - 1000) + 20 * MINUTE
    assert first.borrowed[UNIT].most == second.lent[UNIT].most == 1
    assert first.borrowed[UNIT].instance_ms == second.lent[UNIT].instance_ms
    assert second.used[UNIT].instance_ms == 60 * MINUTE
    used = first.used[UNIT].instance_ms + second.used[UNIT].instance_ms
    assert measures.utilisation[UNIT].used_instance_ms == used
    assert measures.utilisation[UNIT].available_instance_ms == 3 * measures.window_ms


def test_percentiles_are_by_nearest_rank() -> None:
    """One definition for all reports."""
    waits = Waits((10, 20, 30, 40))
    assert [waits.percentile_ms(percent) for percent in (1, 25, 50, 51, 95, 100)] == [10, 10, 20, 30, 40, 40]
    assert Waits(()).percentile_ms(50) is None


@pytest.mark.parametrize(
    ("amount", "idle", "parts"),
    [
        (2, [4, 4], [1, 1]),
        (3, [4, 4], [2, 1]),
        (9, [4, 4], [4, 4]),
        (1, [1, 5], [0, 1]),
        (0, [1], [0]),
        (3, [], []),
    ],
)
def test_a_loan_is_divided_among_lenders_in_proportion(amount: int, idle: list[int], parts: list[int]) -> None:
    """The pool is fungible: no lender may be charged more than its idle instances."""
    assert divide(amount, idle) == parts


def test_capacity_changes_enter_utilisation_from_then_on() -> None:
    """Instances lost count as there before and as gone after."""
    result = run(scenario(job("x", "QS1", 0), events=(SetCapacity(30 * MINUTE, {UNIT: 1}),)))
    assert measure(result).utilisation[UNIT].available_instance_ms == (3 + 1) * 30 * MINUTE


def test_what_can_not_be_run_is_refused_with_a_type() -> None:
    """The command line turns these into one line and exit code 2."""
    with pytest.raises(ScenarioError, match="no job queue 'other'"):
        run(replace(WALKTHROUGH, queue="other"))
    with pytest.raises(AssumptionError):
        run(replace(WALKTHROUGH, assumptions={"backfill": "maybe"}))


def test_a_timeline_has_no_gaps() -> None:
    """The picture a person reads must account for the whole time."""
    result = run(WALKTHROUGH)
    lines = {
        line.job: [segment.kind.value for segment in line.segments] for line in timelines(result.trace, result.end_ms)
    }
    assert lines["med"] == ["borrowed", "preempted", "borrowed"]
    assert lines["low"] == ["waiting", "in-share"]
