"""Laws of the scheduler on random histories: conservation, ceilings, minimal victims, determinism, replay, scale.

Each law is checked from the outside: on the state after every instant, or on the trace alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.model.stack import Stack, State
from quota_engine.model.work import ApplyStack, Event, Scenario, SetCapacity
from quota_engine.scheduler import DISPATCHED, Assumptions, SchedulerState, advance, next_due_ms
from quota_engine.scheduler.trace import (
    ClaimMade,
    Dispatched,
    Failed,
    PreemptionCompleted,
    PreemptionKind,
    PreemptionStarted,
    PriorityUpdated,
    RequeueCause,
    Requeued,
    Submitted,
    Succeeded,
    TraceEvent,
)
from quota_engine.simulate import measure, run, timelines
from quota_engine.simulate.agenda import agenda, inputs_of, queue_of
from quota_engine.simulate.replay import replay
from tests.property.busy_histories import busy_histories
from tests.property.schedule_strategies import scaled
from tests.scheduler.test_assumptions import OTHER_VALUES

EXAMPLES = settings(max_examples=120, deadline=None)


def instants(scenario: Scenario, trace: list[TraceEvent]) -> Iterator[SchedulerState]:
    """Yield the state after each instant of a run."""
    queue, environment = queue_of(scenario.stack, scenario.queue)
    state = SchedulerState.create(queue, environment, scenario.timing, Assumptions.of(scenario.assumptions))
    given_instants = list(agenda(scenario))
    while given_instants or next_due_ms(state) is not None:
        due_ms = next_due_ms(state)
        if given_instants and (due_ms is None or given_instants[0].at_ms <= due_ms):
            instant = given_instants.pop(0)
            inputs, queue, environment = inputs_of(instant, queue, environment)
            advance(state, instant.at_ms, inputs, trace.append)
        elif due_ms is not None:
            advance(state, due_ms, (), trace.append)
        yield state


def counted(state: SchedulerState, share: str, unit: str) -> int:
    """Return what a share's jobs use of a unit, counted from the jobs: dispatched ones and its claim's."""
    held = [record for record in state.jobs.values() if record.status in DISPATCHED and record.stopping is None]
    held += [claim.record for claim in state.claims]
    return sum(record.need.by_unit.get(unit, 0) for record in held if record.share_name == share)


def physical(state: SchedulerState, unit: str) -> int:
    """Return the instances that jobs hold, those being stopped included."""
    return sum(record.need.by_unit.get(unit, 0) for record in state.jobs.values() if record.status in DISPATCHED)


@EXAMPLES
@given(busy_histories())
def test_the_ledger_is_what_counting_all_jobs_gives(scenario: Scenario) -> None:
    """Every amount is kept by adding and subtracting; one slip would bend all later decisions."""
    for state in instants(scenario, []):
        ledger = state.ledger
        for unit, number in ledger.unit_numbers.items():
            idle = over = reserved = 0
            for name, share in state.shares.items():
                used, nominal = counted(state, name, unit), share.settings.capacity_limits.get(unit, 0)
                assert share.use[number] == used
                over += max(0, used - nominal)
                if share.settings.strategy.can_lend:
                    idle += max(0, nominal - used)
                else:
                    reserved += max(0, nominal - used)
            assert ledger.slack[number] == idle - over
            assert ledger.reserved[number] == reserved
            assert ledger.committed[number] >= physical(state, unit)


@EXAMPLES
@given(busy_histories(calm=True))
def test_ceilings_hold_while_no_setting_changes(scenario: Scenario) -> None:
    """P1 to P4: the environment, each share's maximum, what is reserved; and an own-fitting head never waits.

    With victims that take time to stop, "never waits" means: holds a claim.
    """
    for state in instants(scenario, []):
        queue, environment = queue_of(scenario.stack, scenario.queue)
        for unit, number in state.ledger.unit_numbers.items():
            limit = environment.capacity_limits.get(unit, 0)
            nominal = sum(share.capacity_limits.get(unit, 0) for share in queue.quota_shares.values())
            assert physical(state, unit) <= state.ledger.committed[number] <= limit
            # What a claim was to borrow may be taken back before it is redeemed; then it lapses.
            assert -state.ledger.slack[number] <= limit - nominal or state.claims
            assert (
                state.ledger.committed[number] + state.ledger.reserved[number] <= limit or scenario.timing.stopping_ms
            )
        for share in state.shares.values():
            assert all(used <= most for used, most in zip(share.use, share.max_use, strict=True))
            head = share.head
            if head is not None and share.claim is None and head.eligible_ms <= state.now_ms:
                assert not share.fits_own(head.need.pairs) or scenario.timing.stopping_ms


@EXAMPLES
@given(busy_histories(calm=True))
def test_shares_that_can_not_borrow_are_safe_from_others(scenario: Scenario) -> None:
    """P5, and the promise the guide makes to RESERVE and LEND shares: only in-share preemption touches their jobs."""
    shares = queue_of(scenario.stack, scenario.queue)[0].quota_shares
    for event in run(scenario).trace:
        if isinstance(event, PreemptionStarted):
            share = shares[event.share]
            if event.kind is PreemptionKind.CROSS_SHARE:
                assert share.strategy.can_borrow
                assert event.by_share != event.share
            else:
                assert share.in_share_preemption is State.ENABLED
                assert event.by_share == event.share


@EXAMPLES
@given(busy_histories())
def test_every_victim_makes_room_for_a_job_that_gets_it(scenario: Scenario) -> None:
    """P6 and P7: victims belong to one dispatch or claim, in-share ones have strictly lower priority."""
    trace = run(scenario).trace
    priorities: dict[str, int] = {}
    pending: dict[str, list[str]] = {}
    for event in trace:
        if isinstance(event, Submitted | PriorityUpdated):
            priorities[event.job] = event.priority
        elif isinstance(event, PreemptionStarted):
            pending.setdefault(event.by, []).append(event.job)
            if event.kind is PreemptionKind.IN_SHARE:
                assert priorities[event.job] < priorities[event.by]
        elif isinstance(event, Dispatched | ClaimMade):
            victims = pending.pop(event.job, [])
            assert not victims or tuple(victims) == event.victims
    assert not pending


@EXAMPLES
@given(busy_histories())
def test_preempting_uses_no_retry_attempt(scenario: Scenario) -> None:
    """P9: the two limits are separate; preemptions count by one and never fail a job that has attempts left."""
    counts: dict[str, int] = {}
    attempts: dict[str, int] = {}
    for event in run(scenario).trace:
        if isinstance(event, PreemptionCompleted):
            counts[event.job] = counts.get(event.job, 0) + 1
            assert event.preempted_count == counts[event.job]
        elif isinstance(event, Requeued) and event.cause is RequeueCause.RETRY:
            attempts[event.job] = attempts.get(event.job, 0) + 1
        elif isinstance(event, Dispatched):
            assert event.attempt == attempts.get(event.job, 0) + 1


@EXAMPLES
@given(busy_histories(), st.randoms(use_true_random=True))
def test_the_order_of_the_file_changes_nothing(scenario: Scenario, random: Random) -> None:
    """All events of one instant are applied before one pass: how a user sorts a file must not matter."""
    jobs, events = list(scenario.jobs), list(scenario.events)
    random.shuffle(jobs)
    random.shuffle(events)
    assert run(replace(scenario, jobs=tuple(jobs), events=tuple(events))).trace == run(scenario).trace


@EXAMPLES
@given(busy_histories())
def test_twice_as_slow_is_twice_as_long(scenario: Scenario) -> None:
    """No time is built in: doubling every duration, timing and limit doubles every instant and changes nothing else."""
    once, twice = run(scenario).trace, run(scaled(scenario, 2)).trace

    def doubled(event: TraceEvent) -> TraceEvent:
        event = msgspec.structs.replace(event, at_ms=2 * event.at_ms)
        if isinstance(event, PreemptionCompleted | Requeued):
            return msgspec.structs.replace(event, lost_ms=2 * event.lost_ms)
        return event

    assert [doubled(event) for event in once] == list(twice)


@EXAMPLES
@given(busy_histories())
def test_names_matter_only_by_their_order(scenario: Scenario) -> None:
    """A renaming that keeps the order of names changes names only: nothing hangs on a name's text or hash."""
    old = repr(run(scenario).trace)
    assert repr(run(renamed(scenario)).trace) == old.replace("'j", "'renamed-j").replace("'s", "'renamed-s").replace(
        "'t00", "'renamed-t00"
    ).replace("'renamed-share", "'share")


def renamed(scenario: Scenario) -> Scenario:
    def stack(old: Stack) -> Stack:
        queue = old.job_queues["q"]
        shares = {
            f"renamed-{name}": replace(share, name=f"renamed-{name}") for name, share in queue.quota_shares.items()
        }
        return replace(old, job_queues={"q": replace(queue, quota_shares=shares)})

    def event(old: Event) -> Event:
        if isinstance(old, ApplyStack):
            return replace(old, stack=stack(old.stack))
        return old if isinstance(old, SetCapacity) else replace(old, job=f"renamed-{old.job}")

    return replace(
        scenario,
        stack=stack(scenario.stack),
        jobs=tuple(replace(job, name=f"renamed-{job.name}", share=f"renamed-{job.share}") for job in scenario.jobs),
        events=tuple(event(old) for old in scenario.events),
    )


@EXAMPLES
@given(busy_histories())
def test_replaying_the_trace_gives_the_state(scenario: Scenario) -> None:
    """Reports read the trace only, so the trace must tell everything."""
    result = run(scenario)
    replayed = replay(result.trace)
    assert list(replayed.jobs) == list(result.records)
    for name, record in result.records.items():
        job = replayed.jobs[name]
        assert (job.status, job.priority, job.preempted_count) == (
            record.status,
            record.priority,
            record.preempted_count,
        )
        assert job.is_stopping == (record.stopping is not None)


@EXAMPLES
@given(busy_histories())
def test_timelines_and_measures_add_up(scenario: Scenario) -> None:
    """A picture that leaves out time, or a sum that loses a job, would be believed."""
    result = run(scenario)
    ends = {event.job: event.at_ms for event in result.trace if isinstance(event, Failed | Succeeded)}
    used_ms = 0
    for line in timelines(result.trace, result.end_ms):
        at_ms = result.records[line.job].created_ms
        for segment in line.segments:
            assert segment.from_ms == at_ms < segment.to_ms
            at_ms = segment.to_ms
            if segment.kind.value in ("own", "borrowed", "in-share"):
                used_ms += (segment.to_ms - segment.from_ms) * sum(line.need.values())
        assert at_ms == ends.get(line.job, result.end_ms)
    measures = measure(result)
    assert sum(share.submitted for share in measures.shares.values()) == len(result.records)
    assert sum(amounts.instance_ms for share in measures.shares.values() for amounts in share.used.values()) == used_ms
    lent = sum(amounts.instance_ms for share in measures.shares.values() for amounts in share.lent.values())
    borrowed = sum(amounts.instance_ms for share in measures.shares.values() for amounts in share.borrowed.values())
    assert lent <= borrowed


@EXAMPLES
@given(busy_histories(calm=True), st.sampled_from(OTHER_VALUES))
def test_no_assumption_gives_away_what_is_not_there(scenario: Scenario, other: tuple[str, object]) -> None:
    """Whatever is assumed, the environment's limit holds, no amount falls below zero and the run ends."""
    assumed = replace(scenario, assumptions={**scenario.assumptions, other[0]: other[1]})
    for state in instants(assumed, []):
        for unit, number in state.ledger.unit_numbers.items():
            limit = state.environment.capacity_limits.get(unit, 0)
            assert physical(state, unit) <= state.ledger.committed[number] <= limit
    assert run(assumed).stopped_because == ""
