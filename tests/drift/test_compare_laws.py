"""Laws over random declarations: in sync with itself, one edit is one change, unreadable is not missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quota_engine.drift import KINDS, Action, DriftReport, Outcome, compare
from quota_engine.model import shapes
from quota_engine.model.arns import Scope
from quota_engine.model.observation import Observation, Problem
from quota_engine.model.stack import (
    JobQueue,
    Path,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    State,
    Strategy,
    TimeLimitAction,
)

SCOPE = Scope("123456789012", "us-east-1")
PROBLEM = Problem("batch:DescribeJobQueues", "AccessDeniedException", "no")
FEWER = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
"""Random stacks are large; the laws are few."""
UNITS = ("ml.g5.xlarge", "ml.p4d.24xlarge", "ml.p5.48xlarge")
REASONS = (
    "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE",
    "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED",
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
)

names = st.text("abcXYZ019_-", min_size=1, max_size=6)
states = st.sampled_from(State)
printable = st.characters(exclude_categories=("C", "Zl", "Zp"))
tags = st.dictionaries(st.text("abc.:/é", min_size=1, max_size=5), st.text(printable, max_size=4), max_size=3)
capacities = st.dictionaries(st.sampled_from(UNITS), st.integers(1, 500), min_size=1, max_size=3)


@st.composite
def shares(draw: st.DrawFn, name: str) -> QuotaShare:
    strategy = draw(st.sampled_from(Strategy))
    limit = draw(st.none() | st.integers(-1, 1000)) if strategy.can_borrow else None
    return QuotaShare(name, draw(capacities), strategy, limit, draw(states), draw(states), draw(tags))


def mapped(draw: st.DrawFn, make: Callable[[str], st.SearchStrategy[Any]], most: int = 3) -> dict[str, Any]:
    chosen = draw(st.lists(names, unique=True, min_size=1, max_size=most))
    return {name: draw(make(name)) for name in chosen}


@st.composite
def queues(draw: st.DrawFn, name: str, environments: list[str], policies: list[str]) -> JobQueue:
    actions = draw(st.lists(st.sampled_from(REASONS), unique=True, max_size=3))
    return JobQueue(
        name,
        (draw(st.sampled_from(environments)),),
        draw(st.sampled_from(policies)),
        draw(st.integers(0, 1000)),
        draw(states),
        tuple(TimeLimitAction(reason, draw(st.integers(600, 86_400))) for reason in actions),
        mapped(draw, shares),
        draw(tags),
    )


@st.composite
def stacks(draw: st.DrawFn) -> Stack:
    environments = mapped(draw, lambda name: st.builds(ServiceEnvironment, st.just(name), capacities, states, tags))
    policies = mapped(draw, lambda name: st.builds(SchedulingPolicy, st.just(name), tags=tags))
    found = mapped(draw, lambda name: queues(name, list(environments), list(policies)), 2)
    return Stack("random", "us-east-1", None, environments, policies, found)


def backwards(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return dict(reversed(list(mapping.items())))


def as_aws_shows_it(stack: Stack) -> Observation:
    """Send a declaration through the API's shapes and turn around every order that means nothing."""

    def detail(request: dict[str, Any]) -> dict[str, Any]:
        shown = backwards({**request, "tags": {**backwards(request.get("tags", {})), "aws:createdBy": "someone"}})
        for key in ("capacityLimits", "jobStateTimeLimitActions"):
            shown[key] = list(reversed(shown.get(key, [])))
        return shown

    def queue(declared: JobQueue) -> JobQueue:
        arn = SCOPE.job_queue(declared.name)
        live = [shapes.share_from_api(detail(shapes.share_to_api(one, arn))) for one in declared.quota_shares.values()]
        return shapes.queue_from_api(detail(shapes.queue_to_api(declared, SCOPE)), live)

    return Observation(
        replace(
            stack,
            account=SCOPE.account,
            service_environments=backwards(
                {
                    name: shapes.environment_from_api(detail(shapes.environment_to_api(one)))
                    for name, one in stack.service_environments.items()
                }
            ),
            scheduling_policies=backwards(
                {
                    name: shapes.policy_from_api(detail(shapes.policy_to_api(one)))
                    for name, one in stack.scheduling_policies.items()
                }
            ),
            job_queues=backwards({name: queue(one) for name, one in stack.job_queues.items()}),
        )
    )


def all_paths(stack: Stack) -> list[Path]:
    paths: list[Path] = [("service_environments", name) for name in stack.service_environments]
    paths += [("scheduling_policies", name) for name in stack.scheduling_policies]
    paths += [("job_queues", name) for name in stack.job_queues]
    paths += [("job_queues", queue.name, "quota_shares", share.name) for queue, share in stack.shares()]
    return paths


def with_share(observation: Observation, queue: str, share: QuotaShare) -> Observation:
    live = observation.stack
    changed = replace(live.job_queues[queue], quota_shares={**live.job_queues[queue].quota_shares, share.name: share})
    return replace(observation, stack=replace(live, job_queues={**live.job_queues, queue: changed}))


def check_sentences(report: DriftReport) -> None:
    for change in report.changes:
        assert change.about.rule in KINDS
        assert change.consequence
        assert "\n" not in change.consequence
        assert not change.consequence.endswith(".")


@FEWER
@given(stacks())
def test_a_declaration_is_in_sync_with_itself(stack: Stack) -> None:
    """No order, default or spelling of AWS's may look like drift, or nobody reads the report twice."""
    report = compare(stack, as_aws_shows_it(stack))
    assert report.changes == ()
    assert report.outcome is Outcome.IN_SYNC
    assert sum((report.compared or {}).values()) == len(all_paths(stack))


EDITS: dict[str, Callable[[QuotaShare], QuotaShare]] = {
    "state": lambda share: replace(share, state=other(share.state)),
    "in_share": lambda share: replace(share, in_share_preemption=other(share.in_share_preemption)),
    "limit": lambda share: replace(
        share,
        capacity_limits={**share.capacity_limits, first_unit(share): share.capacity_limits[first_unit(share)] + 1},
    ),
    "tag": lambda share: replace(share, tags={**share.tags, "new tag": ""}),
}
PATHS: dict[str, Callable[[QuotaShare], Path]] = {
    "state": lambda share: ("state",),
    "in_share": lambda share: ("preemption", "in_share"),
    "limit": lambda share: ("capacity_limits", first_unit(share)),
    "tag": lambda share: ("tags", "new tag"),
}


def other(state: State) -> State:
    return State.DISABLED if state is State.ENABLED else State.ENABLED


def first_unit(share: QuotaShare) -> str:
    return min(share.capacity_limits)


@FEWER
@given(stacks(), st.data(), st.sampled_from(sorted(EDITS)))
def test_one_edit_is_one_change_at_its_place(stack: Stack, data: st.DataObject, edit: str) -> None:
    """What was edited is found, and nothing besides: neither missed nor smeared over its neighbours."""
    queue, share = data.draw(st.sampled_from(list(stack.shares())))
    edited = EDITS[edit](share)
    report = compare(stack, with_share(as_aws_shows_it(stack), queue.name, edited))
    (change,) = report.changes
    assert change.path == ("job_queues", queue.name, "quota_shares", share.name, *PATHS[edit](share))
    assert change.action is Action.UPDATE
    assert report.exit_code == 1
    check_sentences(report)


@FEWER
@given(stacks(), stacks())
def test_any_two_stacks_compare_without_fault_and_in_order(declared: Stack, live: Stack) -> None:
    """Whatever lives there, the report is whole, ordered by path, and the same each time."""
    observation = as_aws_shows_it(live)
    report = compare(declared, observation)
    keys = [(change.resource, change.attribute) for change in report.changes]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert report == compare(declared, observation)
    check_sentences(report)


@FEWER
@given(stacks(), st.data())
def test_what_is_unreadable_is_never_missing(stack: Stack, data: st.DataObject) -> None:
    """Whatever subset could not be read: exit 2, no change about it, and every other resource still compared."""
    unread = data.draw(st.sets(st.sampled_from(all_paths(stack)), min_size=1))
    empty = Observation(Stack("random", "us-east-1", SCOPE.account), unreadable=dict.fromkeys(unread, PROBLEM))
    report = compare(stack, empty)
    assert report.exit_code == 2
    assert {gap.path for gap in report.unreadable} == unread
    assert {change.resource for change in report.changes} == set(all_paths(stack)) - unread
