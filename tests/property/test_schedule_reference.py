"""The scheduler against a second one that shares no code with it: the same trace, event by event, on histories."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from quota_engine.model.work import Scenario
from quota_engine.simulate import run
from tests.property.busy_histories import busy_histories
from tests.property.reference_scheduler import reference_trace
from tests.property.schedule_strategies import BACKOFF_MS, SMALL, Size, scenarios

SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)


def same_trace(scenario: Scenario) -> None:
    trace = run(scenario).trace
    wanted = reference_trace(scenario, BACKOFF_MS)
    for number, (seen, expected) in enumerate(zip(trace, wanted, strict=False)):
        assert seen == expected, f"event {number}"
    assert len(trace) == len(wanted)


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW_IS_FINE)
@given(scenarios(SMALL))
def test_the_fast_scheduler_does_what_the_slow_one_does(scenario: Scenario) -> None:
    """Indexes, dirty marks and heaps are there for speed only: counting everything anew gives the same decisions."""
    same_trace(scenario)


@settings(max_examples=250, deadline=None)
@given(busy_histories())
def test_so_it_is_where_jobs_fight_for_capacity(scenario: Scenario) -> None:
    """Borrowing, claims and preemption seldom meet in small histories; here they do."""
    same_trace(scenario)


@settings(max_examples=20, deadline=None)
@given(busy_histories(jobs=80, shares=20, units=5))
def test_so_it_is_with_twenty_shares_and_five_units(scenario: Scenario) -> None:
    """The service's own bounds: 20 shares a queue, 5 units a share."""
    same_trace(scenario)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None)
@given(busy_histories())
def test_twenty_thousand_histories_agree(scenario: Scenario) -> None:
    """Rare orders of events need many tries."""
    same_trace(scenario)


@pytest.mark.long
@settings(max_examples=2_000, deadline=None, suppress_health_check=SLOW_IS_FINE)
@given(scenarios(Size(shares=6, units=3, jobs=20, events=8)))
def test_two_thousand_shrinkable_histories_agree(scenario: Scenario) -> None:
    """The histories that can be shrunk look for the odd small case."""
    same_trace(scenario)
