"""Laws of measuring, against a slow count that looks at every instant anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.model.stack import QuotaShare, State, Strategy
from quota_engine.model.work import ApplyStack, Expectation, Scenario, SetCapacity
from quota_engine.scheduler.trace import Dispatched, Submitted, TraceEvent
from quota_engine.simulate import Meter, Run, judge, measure, run, run_into, timelines
from quota_engine.simulate.balance import divide
from quota_engine.simulate.settings import settings_over_time
from quota_engine.simulate.timeline import SegmentKind
from tests.property.busy_histories import busy_histories

EXAMPLES = settings(max_examples=80, deadline=None)
DISPATCHED = (SegmentKind.OWN, SegmentKind.BORROWED, SegmentKind.IN_SHARE)


def stretches(outcome: Run) -> Iterator[tuple[int, int, dict[str, Counter[str]]]]:
    """Yield (from, to, {share: {unit: instances in use}}) of each stretch in which nothing changes."""
    rows = timelines(outcome.trace, outcome.end_ms)
    times = {0, outcome.end_ms, *(one.at_ms for one in settings_over_time(outcome.scenario))}
    times |= {at_ms for row in rows for segment in row.segments for at_ms in (segment.from_ms, segment.to_ms)}
    order = sorted(at_ms for at_ms in times if at_ms <= outcome.end_ms)
    for from_ms, to_ms in pairwise(order):
        use: dict[str, Counter[str]] = {}
        for row in rows:
            if any(one.kind in DISPATCHED and one.from_ms <= from_ms < one.to_ms for one in row.segments):
                use.setdefault(row.share, Counter()).update(row.need)
        yield from_ms, to_ms, use


def lent_now(shares: Mapping[str, QuotaShare], use: Mapping[str, Counter[str]]) -> dict[tuple[str, str], int]:
    """Return what each share lends of each unit: what is borrowed of it, divided among those who may lend."""
    found = {}
    for unit in {unit for amounts in use.values() for unit in amounts}:
        nominal = {name: share.capacity_limits.get(unit, 0) for name, share in shares.items()}
        over = sum(max(0, amounts[unit] - nominal.get(name, 0)) for name, amounts in use.items())
        lenders = [name for name, share in shares.items() if share.strategy is not Strategy.RESERVE and nominal[name]]
        idle = [max(0, nominal[name] - use.get(name, Counter())[unit]) for name in lenders]
        found.update({(name, unit): part for name, part in zip(lenders, divide(over, idle), strict=True)})
    return found


@EXAMPLES
@given(busy_histories())
def test_use_is_what_counting_at_each_instant_gives(scenario: Scenario) -> None:
    """Amounts are kept by adding and subtracting; one slip would stay to the end."""
    outcome = run(scenario)
    measures = measure(outcome)
    used: Counter[tuple[str, str]] = Counter()
    borrowed: Counter[tuple[str, str]] = Counter()
    lent: Counter[tuple[str, str]] = Counter()
    most: dict[tuple[str, str], int] = {}
    for from_ms, to_ms, use in stretches(outcome):
        now = [one for one in settings_over_time(scenario) if one.at_ms <= from_ms][-1]
        for share, amounts in use.items():
            for unit, count in amounts.items():
                nominal = now.shares[share].capacity_limits.get(unit, 0) if share in now.shares else 0
                used[share, unit] += count * (to_ms - from_ms)
                borrowed[share, unit] += max(0, count - nominal) * (to_ms - from_ms)
                most[share, unit] = max(most.get((share, unit), 0), count)
        for (share, unit), count in lent_now(now.shares, use).items():
            lent[share, unit] += count * (to_ms - from_ms)
    for name, share_measures in measures.shares.items():
        for unit, found in share_measures.used.items():
            assert (found.instance_ms, found.most) == (used[name, unit], most.get((name, unit), 0))
            assert share_measures.borrowed[unit].instance_ms == borrowed[name, unit]
            assert share_measures.lent[unit].instance_ms == lent[name, unit]
    assert sum(used.values()) == sum(
        amounts.instance_ms for one in measures.shares.values() for amounts in one.used.values()
    )


@EXAMPLES
@given(busy_histories())
def test_no_more_is_lent_than_is_idle(scenario: Scenario) -> None:
    """Nothing of a limit gets lost, and nobody lends what nobody borrows."""
    measures = measure(run(scenario))
    lent: Counter[str] = Counter()
    borrowed: Counter[str] = Counter()
    for share in measures.shares.values():
        for unit in share.used:
            own = share.used[unit].instance_ms - share.borrowed[unit].instance_ms
            assert share.idle_instance_ms[unit] >= 0
            assert own <= share.wanted[unit].instance_ms <= share.nominal[unit].instance_ms
            lent[unit] += share.lent[unit].instance_ms
            borrowed[unit] += share.borrowed[unit].instance_ms
    assert all(lent[unit] <= borrowed[unit] for unit in lent)
    assert all(one.wanted_instance_ms <= one.idle_instance_ms for one in measures.reserved.values())
    assert measures.fairness is None or 0 < measures.fairness <= 1.000001


@EXAMPLES
@given(busy_histories())
def test_every_job_waits_once_from_its_submission(scenario: Scenario) -> None:
    """Waits are those of the trace, and a job that never starts is counted apart, never dropped."""
    outcome = run(scenario)
    submitted: dict[str, Submitted] = {}
    first: dict[str, int] = {}
    for event in outcome.trace:
        if isinstance(event, Submitted):
            submitted[event.job] = event
        elif isinstance(event, Dispatched):
            first.setdefault(event.job, event.at_ms)
    for name, share in measure(outcome).shares.items():
        own = {job: event.at_ms for job, event in submitted.items() if event.share == name}
        assert share.wait.values_ms == tuple(sorted(first[job] - at_ms for job, at_ms in own.items() if job in first))
        assert share.wait.unstarted == sum(job not in first for job in own) == len(share.wait.unstarted_ms)
        assert share.submitted == len(own)


@EXAMPLES
@given(busy_histories())
def test_measuring_while_it_runs_is_measuring_the_trace(scenario: Scenario) -> None:
    """A million jobs are measured without a trace in memory, and the same comes out."""
    meter = Meter(scenario)
    events: list[TraceEvent] = []

    def sink(event: TraceEvent) -> None:
        meter(event)
        events.append(event)

    outcome = run_into(scenario, sink)
    assert meter.finish(outcome.end_ms) == measure(run(scenario))


def calm(scenario: Scenario) -> Scenario:
    """Return a scenario without edits, its environment as large as all own limits: the pool comes from the shares.

    Nobody takes time to stop: a victim that does holds its instances while others already have them by right (A-15).
    """
    queue = scenario.stack.job_queues[scenario.queue]
    limits: Counter[str] = Counter()
    for share in queue.quota_shares.values():
        limits.update(share.capacity_limits)
    environment = replace(scenario.stack.service_environments["e"], capacity_limits=dict(limits), state=State.ENABLED)
    stack = replace(scenario.stack, service_environments={"e": environment})
    events = tuple(one for one in scenario.events if not isinstance(one, SetCapacity | ApplyStack))
    return replace(scenario, stack=stack, events=events, timing=replace(scenario.timing, stopping_ms=0))


@EXAMPLES
@given(busy_histories())
def test_what_is_borrowed_is_lent_where_the_shares_own_all(scenario: Scenario) -> None:
    """No instance comes from nowhere: what one has above its limit is another's idle one, at every instant."""
    scenario = calm(scenario)
    measures = measure(run(scenario))
    for unit, used in measures.utilisation.items():
        assert used.used_instance_ms <= used.available_instance_ms
        assert used.beyond_instance_ms == 0
        shares = [share for share in measures.shares.values() if unit in share.used]
        assert sum(share.lent[unit].instance_ms for share in shares) == sum(
            share.borrowed[unit].instance_ms for share in shares
        )
        for share in shares:
            assert share.borrowed[unit].instance_ms <= share.used[unit].instance_ms
            assert share.borrowed[unit].most <= share.used[unit].most


@EXAMPLES
@given(busy_histories(), st.randoms(use_true_random=False))
def test_the_order_of_the_file_measures_nothing(scenario: Scenario, draw: Random) -> None:
    """Jobs and events are ranked by what they are; two files that say the same get the same figures and verdicts."""
    jobs, events = list(scenario.jobs), list(scenario.events)
    draw.shuffle(jobs)
    draw.shuffle(events)
    mixed = replace(scenario, jobs=tuple(jobs), events=tuple(events))
    before, after = run(scenario), run(mixed)
    assert measure(before) == measure(after)
    asked = [Expectation("wait", {"share": name, "max": {"at_most_ms": 0}}) for name in measure(before).shares]
    seen = [(one.judgement, one.seen, one.at_ms) for one in judge(before, asked)]
    assert seen == [(one.judgement, one.seen, one.at_ms) for one in judge(after, asked)]


@EXAMPLES
@given(busy_histories(), st.integers(1, 1_000))
def test_waiting_for_a_later_start_measures_the_same_work(scenario: Scenario, later: int) -> None:
    """Waits, use and lost work don't depend on the hour at which all of it happens."""
    by_ms = later * 1_000
    moved = replace(
        scenario,
        jobs=tuple(replace(job, submit_at_ms=job.submit_at_ms + by_ms) for job in scenario.jobs),
        events=tuple(replace(event, at_ms=event.at_ms + by_ms) for event in scenario.events),
        until_ms=None if scenario.until_ms is None else scenario.until_ms + by_ms,
    )
    before, after = measure(run(scenario)), measure(run(moved))
    for name, share in before.shares.items():
        other = after.shares[name]
        assert (share.wait, share.lost_instance_ms) == (other.wait, other.lost_instance_ms)
        for unit, used in share.used.items():
            assert (used.most, used.instance_ms) == (other.used[unit].most, other.used[unit].instance_ms)
            assert share.lent[unit].instance_ms == other.lent[unit].instance_ms
