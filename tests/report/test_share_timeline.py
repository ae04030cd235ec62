"""Each share over time as characters, and what was measured of it as tables."""

from __future__ import annotations

import pytest

from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, Strategy
from quota_engine.model.work import Job, Scenario
from quota_engine.report.share_table import bands, capacity_table, whole_lines, work_table
from quota_engine.report.share_timeline import draw
from quota_engine.report.times import instance_hours
from quota_engine.report.visible import width_of
from quota_engine.simulate import measure, run
from quota_engine.simulate.loads import Loads

UNIT = "ml.g5.xlarge"
HOUR = 3_600_000
SCENARIO = Scenario(
    "",
    Stack(
        "s",
        "r",
        service_environments={"e": ServiceEnvironment("e", {UNIT: 5})},
        job_queues={
            "q": JobQueue(
                "q",
                ("e",),
                None,
                quota_shares={
                    "A": QuotaShare("A", {UNIT: 2}, Strategy.LEND_AND_BORROW),
                    "B": QuotaShare("B", {UNIT: 2}, Strategy.LEND),
                    "C": QuotaShare("C", {UNIT: 1}, Strategy.RESERVE),
                },
            )
        },
    ),
    "q",
    (
        Job("a1", "A", {UNIT: 1}, 0, 10 * HOUR),
        Job("a2", "A", {UNIT: 1}, 0, 7 * HOUR + HOUR // 2),
        Job("a3", "A", {UNIT: 2}, 2 * HOUR + HOUR // 2, 5 * HOUR),
        Job("b1", "B", {UNIT: 2}, 5 * HOUR, 5 * HOUR),
    ),
)
PICTURE = """\
A
  own        ██████████▄▄▄▇██████  most 2 of 2
  borrowed      ▅██▅               most 2
  waiting          ▃██████▃        most 2
  preempted        1               1
B
  own              ▃██████▃        most 2 of 2
C; no jobs
             ┬───────────────┬───
             0               12h
  ▁ to █: of the own limit, else of the most at once   1-9, +: preemptions
"""


def loads() -> tuple[Loads, int]:
    found = Loads(SCENARIO)
    outcome = run(SCENARIO)
    for event in outcome.trace:
        found(event)
    return found, outcome.end_ms


def test_shares_are_drawn_as_they_were() -> None:
    """A column of 45 minutes: a3 borrows from 2h30m to 5h, is preempted for b1, and starts again at 10h."""
    found, end_ms = loads()
    assert end_ms == 15 * HOUR
    assert "\n".join(draw(found, end_ms, width=52)) + "\n" == PICTURE


@pytest.mark.parametrize("width", [80, 120])
def test_a_picture_of_shares_fits_and_can_do_with_ascii(width: int) -> None:
    """Neither a narrow terminal nor a log without UTF-8 breaks the rows."""
    found, end_ms = loads()
    lines = draw(found, end_ms, width=width, ascii_only=True)
    assert "\n".join(lines).isascii()
    assert max(map(width_of, lines)) <= width


def test_a_run_without_time_draws_no_shares() -> None:
    """Nothing lasted, so there is nothing to divide by."""
    assert draw(Loads(SCENARIO), 0) == []


def test_tables_say_what_was_measured() -> None:
    """Every figure by hand: instance-hours of use, waits in hours, the part of its own that each share was served."""
    measures = measure(run(SCENARIO))
    assert work_table(measures).rows == (
        ("share", "jobs", "wait p50", "p95", "max", "again p95", "never started", "preempted", "preempts", "lost work"),
        ("A", "3", "0s", "0s", "0s", "5h", "0", "1", "0", "5.0"),
        ("B", "1", "0s", "0s", "0s", "-", "0", "0", "1", "0"),
        ("C", "0", "-", "-", "-", "-", "0", "0", "0", "0"),
    )
    assert capacity_table(measures).rows == (
        ("share", "limit", "used", "left idle", "served", "borrowed", "at most", "lent", "at most"),
        ("A", "2", "32.5", "2.5", "92 %", "5.0", "2", "0", "0"),
        ("B", "2", "10.0", "15.0", "100 %", "0", "0", "5.0", "2"),
        ("C", "1", "0", "15.0", "-", "0", "0", "0", "0"),
    )
    use, fairness, reserve = whole_lines(measures)
    assert use == f"utilisation of {UNIT}: 57 %, 42.5 of 75.0 instance-hours"
    assert fairness.startswith("fairness: 1.00 of 1, by Jain's index")
    assert reserve.startswith(f"RESERVE kept 5.0 instance-hours of {UNIT} idle while jobs")
    assert reserve.endswith("and 5.0 of these would have served them")


def test_a_table_too_wide_is_divided_where_a_group_ends() -> None:
    """Waits stay with waits; each part names its rows."""
    table = work_table(measure(run(SCENARIO)))
    assert len(bands(table, 200)) == 1
    waits, hits = bands(table, 80)
    assert waits[0][-1] == "never started"
    assert hits[0] == ("share", "preempted", "preempts", "lost work")


@pytest.mark.parametrize(
    ("instance_ms", "shown"),
    [
        (0, "0"),
        (1, "<0.1"),
        (HOUR // 20, "0.1"),
        (7 * HOUR + HOUR // 5, "7.2"),
        (HOUR * 100 - 1, "100"),
        (HOUR * 342, "342"),
    ],
)
def test_instance_hours_have_one_decimal_while_it_matters(instance_ms: int, shown: str) -> None:
    """A hundred of them and a tenth is a figure nobody has measured."""
    assert instance_hours(instance_ms) == shown
