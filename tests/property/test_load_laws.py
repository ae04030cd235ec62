"""Laws of what is drawn of each share over time: it adds up to what is measured, in however many parts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.model.work import Scenario
from quota_engine.simulate import SegmentKind, measure, run, timelines
from quota_engine.simulate.binned import Bins, GrowingBins
from quota_engine.simulate.loads import Loads

from .busy_histories import busy_histories

EXAMPLES = settings(max_examples=60, deadline=None)
WAITS = (SegmentKind.WAITING, SegmentKind.PREEMPTED)
stretches = st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 300), st.integers(1, 9)), max_size=30)


@EXAMPLES
@given(busy_histories(), st.integers(1, 160))
def test_loads_add_up_to_the_measures(scenario: Scenario, parts: int) -> None:
    """The picture and the table under it come from the same events; they must not disagree."""
    outcome = run(scenario)
    measures, loads = measure(outcome), Loads(scenario)
    for event in outcome.trace:
        loads(event)
    waited = dict.fromkeys(measures.shares, 0)
    for row in timelines(outcome.trace, outcome.end_ms):
        lasted_ms = sum(one.to_ms - one.from_ms for one in row.segments if one.kind in WAITS)
        waited[row.share] += lasted_ms * sum(row.need.values())
    for load in loads.over(outcome.end_ms, parts):
        share = measures.shares[load.share]
        borrowed = sum(amounts.instance_ms for amounts in share.borrowed.values())
        used = sum(amounts.instance_ms for amounts in share.used.values())
        assert len(load.own) == parts
        assert (sum(load.own), sum(load.borrowed)) == (used - borrowed, borrowed)
        assert sum(load.waiting) == waited[load.share]
        assert sum(load.preempted) == share.cross_share_preemptions + share.in_share_preemptions
        assert load.most_own <= load.nominal


@EXAMPLES
@given(stretches)
def test_bins_that_grow_hold_what_bins_of_that_width_hold(added: list[tuple[int, int, int]]) -> None:
    """Nothing may be lost or moved whenever the bins become twice as wide."""
    growing = GrowingBins(16)
    for from_ms, lasts_ms, amount in added:
        growing.add(from_ms, from_ms + lasts_ms, amount)
    known = Bins(growing.width_ms, growing.end_ms)
    for from_ms, lasts_ms, amount in added:
        known.add(from_ms, from_ms + lasts_ms, amount)
    assert [round(amount / growing.width_ms, 2) for amount in growing.sums()] == known.means()


@EXAMPLES
@given(stretches, st.integers(1, 200), st.integers(0, 7_000))
def test_columns_add_up_and_lie_where_they_belong(
    added: list[tuple[int, int, int]], columns: int, longer_ms: int
) -> None:
    """A column may take a little of its neighbour's bin, and never anything of what is further away."""
    end_ms = max((from_ms + lasts_ms for from_ms, lasts_ms, _ in added), default=0) + longer_ms + 1
    bins = GrowingBins(256)
    exact = [0.0] * columns
    for from_ms, lasts_ms, amount in added:
        bins.add(from_ms, from_ms + lasts_ms, amount)
        for column in range(columns):
            first, last = column * end_ms / columns, (column + 1) * end_ms / columns
            exact[column] += amount * max(0.0, min(last, from_ms + lasts_ms) - max(first, from_ms))
    found = bins.columns(columns, end_ms)
    assert sum(found) == sum(lasts_ms * amount for _, lasts_ms, amount in added)
    most = sum(amount for _, _, amount in added)
    assert all(abs(one - other) <= most * 2 * bins.width_ms + 1 for one, other in zip(found, exact, strict=True))
