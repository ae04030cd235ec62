"""Expectations about amounts and groups of jobs: what holds, what fails, and what speaks of nothing."""

from __future__ import annotations

from typing import Any

import pytest

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, Strategy
from quota_engine.model.work import Expectation, Job, Scenario
from quota_engine.simulate import Judging, Meter, judge, run, run_into
from quota_engine.simulate.judge import describe

UNIT = "ml.g5.xlarge"
MINUTE = 60_000
SHARES = {
    "A": QuotaShare("A", {UNIT: 1}, Strategy.LEND_AND_BORROW),
    "B": QuotaShare("B", {UNIT: 1}, Strategy.LEND),
    "C": QuotaShare("C", {UNIT: 1}, Strategy.RESERVE),
}
STACK = Stack(
    "s",
    "us-west-2",
    service_environments={"gpu": ServiceEnvironment("gpu", {UNIT: 3})},
    job_queues={"training": JobQueue("training", ("gpu",), None, quota_shares=SHARES)},
)


def job(name: str, share: str, at_ms: int, duration_ms: int | None = 60 * MINUTE) -> Job:
    return Job(name, share, {UNIT: 1}, at_ms, duration_ms)


SCENARIO = Scenario(
    "",
    STACK,
    "training",
    (
        job("etl-1", "A", 0),
        job("etl-2", "A", 0),
        job("etl-3", "A", 0),
        job("owner", "B", 10 * MINUTE, 20 * MINUTE),
        job("late", "A", 20 * MINUTE),
    ),
    until_ms=85 * MINUTE,
)
"""etl-1 on A's own instance, etl-2 on B's, which owner takes back from 10m to 30m; etl-3 starts when etl-1 ends, at 1h;
late would start at 1h30m, when etl-2 ends, but the run is over at 1h25m. C's instance lies idle, kept by RESERVE."""


@pytest.mark.parametrize(
    ("kind", "arguments", "judgement", "seen"),
    [
        (
            "wait",
            {"share": "A", "p95": {"at_most_ms": 62 * MINUTE}},
            "fails",
            "p95 at least 1h5m of 4 jobs, 1 of which",
        ),
        ("wait", {"share": "A", "max": {"at_least_ms": 2 * MINUTE}}, "holds", "longest late: 1h5m from 20m on"),
        (
            "wait",
            {"workload": "etl", "max": {"at_most_ms": 60 * MINUTE}},
            "holds",
            "3 jobs; longest etl-3: 1h from 0s on",
        ),
        ("wait", {"workload": "etl", "mean": {"at_most_ms": MINUTE}}, "fails", "mean 20m of 3 jobs"),
        ("wait", {"share": "B", "p95": {"at_most_ms": 0}, "mean": {"at_most_ms": 0}}, "holds", "p95 0s, mean 0s"),
        ("wait", {"share": "C", "p95": {"at_most_ms": 0}}, "undecided", "no job was ever submitted (share C)"),
        ("wait", {"workload": "other", "p95": {"at_most_ms": 0}}, "undecided", "(workload other)"),
        ("borrowed", {"share": "A", "at_most": 1}, "holds", f"at most 1 {UNIT} (first at 0s) at once"),
        ("borrowed", {"share": "A", "instance_type": UNIT, "at_least": 2}, "fails", f"at most 1 {UNIT}"),
        ("borrowed", {"share": "C", "at_most": 0}, "undecided", "no job was ever submitted"),
        ("borrowed", {"share": "A", "instance_type": "ml.p5.48xlarge", "at_most": 1}, "undecided", "ml.p5.48xlarge"),
        ("lent", {"share": "B", "at_least": 1}, "holds", f"at most 1 {UNIT}"),
        ("lent", {"share": "C", "at_most": 0}, "holds", f"at most 0 {UNIT}"),
        ("utilisation", {"instance_type": UNIT, "at_most": 0.9}, "holds", "was used to"),
        ("utilisation", {"instance_type": UNIT, "at_least": 0.9}, "fails", "over 1h25m"),
        ("utilisation", {"instance_type": "ml.p5.48xlarge", "at_least": 0.9}, "undecided", "never had any"),
        ("never_preempted", {"workload": "etl"}, "fails", "etl-2 was preempted (cross-share) by owner at 10m"),
        ("never_preempted", {"share": "B"}, "holds", "its only job was not preempted"),
        ("preempted", {"share": "A", "by": "owner"}, "holds", "etl-2 was preempted"),
        ("preempted", {"share": "B"}, "fails", "no job of share B was ever preempted"),
        ("preempted", {"workload": "etl", "kind": "in-share"}, "fails", "etl-2 was preempted (cross-share)"),
        ("finished", {"share": "B", "by_ms": 30 * MINUTE}, "holds", "its only job finished at 30m"),
        ("finished", {"job": "etl-1", "by_ms": 59 * MINUTE}, "fails", "etl-1 finished at 1h"),
        ("finished", {"workload": "etl"}, "fails", "etl-2 had not ended: it is still RUNNING"),
        ("finished", {"job": "late"}, "fails", "late had not ended"),
    ],
)
def test_amounts_and_groups_are_judged(kind: str, arguments: dict[str, Any], judgement: str, seen: str) -> None:
    """A policy simulation stands or falls with its verdicts."""
    [verdict] = judge(run(SCENARIO), [Expectation(kind, arguments)])
    assert verdict.judgement.value == judgement, verdict.seen
    assert seen in verdict.seen


def test_judging_while_it_runs_is_judging_the_trace() -> None:
    """A million jobs are judged without a trace in memory."""
    asked = [
        Expectation("state_at", {"at_ms": 5 * MINUTE, "running": ("etl-1",)}),
        Expectation("wait", {"share": "A", "p95": {"at_most_ms": MINUTE}}),
        Expectation("finished", {"share": "B"}),
    ]
    meter, judging = Meter(SCENARIO), Judging(SCENARIO, asked)

    def sink(event: Any) -> None:
        meter(event)
        judging(event)

    outcome = run_into(SCENARIO, sink)
    assert judging.finish(outcome, meter.finish(outcome.end_ms)) == judge(run(SCENARIO), asked)


def test_an_expectation_reads_as_a_sentence() -> None:
    """The verdict shows what was asked for in the words of the file."""
    wait = Expectation("wait", {"share": "A", "p95": {"at_most_ms": 120 * MINUTE}, "max": {"at_least_ms": MINUTE}})
    assert describe(wait) == "wait share A p95 at most 2h max at least 1m"
    assert describe(Expectation("utilisation", {"instance_type": UNIT, "at_least": 0.8})) == (
        f"utilisation instance type {UNIT} at least 0.8"
    )
