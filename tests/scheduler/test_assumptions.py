"""The assumptions: what they take, how they refuse, and that each other value makes a difference somewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from quota_engine.scheduler import POINTS, AssumptionError, Assumptions
from quota_engine.scheduler.assumptions import ASSUMPTION_NAMES, LEGAL, VICTIM_CRITERIA
from quota_engine.simulate import run
from tests.property.busy_histories import busy_history
from tests.property.schedule_strategies import BACKOFF_MS

OTHER_VALUES: list[tuple[str, object]] = [
    ("borrow_unlisted_units", True),
    ("straddle_reclaims", True),
    ("unallocated_borrowable", True),
    ("share_order", "creation"),
    ("share_order", "name"),
    ("share_order", "round_robin"),
    ("disabled_shares_lend", False),
    ("backfill", True),
    ("victim_order", ["youngest", "priority"]),
    ("victim_order", ["priority", "oldest"]),
    ("victim_order", ["largest"]),
    ("victim_order", ["smallest"]),
    ("victim_order", ["most_borrowed"]),
    ("eager_limit_enforcement", True),
    ("requeue_position", "requeued"),
    ("blocked_reason_order", "share_first"),
    ("borrow_fifo_strict", True),
    ("timeout_from", "scheduled"),
    ("timeout_from", "running"),
    ("borrow_attribution", "job"),
    ("capacity_backoff", "5s"),
]


@pytest.mark.parametrize(("name", "value"), OTHER_VALUES)
def test_every_other_value_changes_some_schedule(name: str, value: object) -> None:
    """A switch that does nothing would make the sensitivity of a prediction look better than it is."""
    for seed in range(600):
        usual = busy_history(Random(seed), 40, 6, 2, calm=False)
        other = replace(usual, assumptions={"capacity_backoff": BACKOFF_MS, name: value})
        if run(other).trace != run(usual).trace:
            return
    pytest.fail(f"{name}={value} changed none of 600 histories")


def test_every_switch_has_another_value_here() -> None:
    """The list above must not fall behind the switches."""
    assert {name for name, _ in OTHER_VALUES} == set(ASSUMPTION_NAMES) == set(LEGAL)


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"victim_ordering": "priority"}, "there is no assumption 'victim_ordering'"),
        ({"backfill": "yes"}, "true or false"),
        ({"backfill": 1}, "true or false"),
        ({"share_order": "random"}, "oldest_head or creation or name or round_robin"),
        ({"victim_order": []}, "a list of different criteria"),
        ({"victim_order": ["priority", "priority"]}, "a list of different criteria"),
        ({"victim_order": ["youngest", "oldest"]}, "without opposites"),
        ({"victim_order": [{}]}, "a list of different criteria"),
        ({"capacity_backoff": "soon"}, "a duration"),
        ({"capacity_backoff": "0s"}, "at least 1ms"),
        ({"capacity_backoff": True}, "a duration"),
        ({"timeout_from": None}, "starting or scheduled or running"),
    ],
)
def test_a_wrong_value_is_refused_with_what_it_takes(given: dict[str, object], part: str) -> None:
    """The message is all a user sees of `--assume`."""
    with pytest.raises(AssumptionError, match=part):
        Assumptions.of(given)


def test_values_come_as_text_too() -> None:
    """The command line has text only."""
    read = Assumptions.of(
        {"backfill": "true", "victim_order": "priority, oldest", "capacity_backoff": "1m30s", "share_order": "name"}
    )
    assert read == Assumptions(
        backfill=True, victim_order=("priority", "oldest"), capacity_backoff_ms=90_000, share_order="name"
    )
    assert read.changed() == {
        "backfill": True,
        "victim_order": ("priority", "oldest"),
        "capacity_backoff": 90_000,
        "share_order": "name",
    }


def test_each_criterion_is_legal_alone() -> None:
    """Every criterion the list names can be used."""
    for criterion in VICTIM_CRITERIA:
        assert Assumptions.of({"victim_order": criterion}).victim_order == (criterion,)


def test_points_are_numbered_once_and_switches_are_named() -> None:
    """The generated table of what is documented, inferred and assumed is built from them."""
    numbers = [point.number for point in POINTS]
    assert numbers == sorted(set(numbers))
    switches = {point.switch for point in POINTS if point.switch} - {"timing.stopping", "a job's checkpoint"}
    assert switches == set(ASSUMPTION_NAMES)


def test_the_documentation_lists_every_point_as_it_is() -> None:
    """The page's table is generated; an edited statement must not leave it behind."""
    text = (Path(__file__).parent.parent.parent / "docs" / "scheduling-model.md").read_text()
    for point in POINTS:
        assert f"| {point.number} | {point.title} | {point.statement} | {point.status.value} |" in text
