"""Looking at everything in an account, waiting until it settles, and snapshots of what was seen."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from quota_engine.drift import Outcome, Unmanaged, compare
from quota_engine.live import iam_policy, observe, observe_settled
from quota_engine.model.arns import Scope
from quota_engine.model.observation import Condition, Observation, Problem
from quota_engine.model.snapshot import read_snapshot, write_snapshot
from quota_engine.model.stack import Stack
from quota_engine.model.trouble import Trouble
from tests.conftest import ACCOUNT, StartEmulator
from tests.live.conftest import StartAccount
from tests.live.recorded_account import denied
from tests.live.test_against_emulator import create


def without_eval(stack: Stack) -> Stack:
    return replace(
        stack,
        job_queues={"train": stack.job_queues["train"]},
        service_environments={"pool-a": stack.service_environments["pool-a"]},
    )


def test_on_request_undeclared_queues_and_environments_are_found(stack: Stack, start_account: StartAccount) -> None:
    """Somebody's queue made by hand beside the declared ones is seen by whoever asks for the whole account."""
    _, session = start_account()
    observation = observe(without_eval(stack), session, whole_account=True)
    report = compare(without_eval(stack), observation)
    assert [(change.about.rule, change.path) for change in report.changes] == [
        ("QE616", ("job_queues", "eval")),
        ("QE616", ("service_environments", "pool-b")),
    ]
    assert report.changes[0].consequence == "jobs run through it in vision, which no declaration here predicts"
    assert compare(without_eval(stack), observation, unmanaged=Unmanaged.REPORT).outcome is Outcome.IN_SYNC


def test_container_queues_and_fair_share_policies_are_not_quota_managements_business(
    stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """An account full of container queues must not drown the report."""
    arn = "arn:aws:batch:us-east-1:123456789012:"
    container = {"jobQueueName": "ecs", "jobQueueArn": f"{arn}job-queue/ecs", "jobQueueType": "ECS", "priority": 1}
    live["jobQueues"].append({**container, "state": "ENABLED", "computeEnvironmentOrder": []})
    live["schedulingPolicies"].append({"name": "fair", "arn": f"{arn}scheduling-policy/fair", "fairsharePolicy": {}})
    _, session = start_account()
    assert compare(stack, observe(stack, session, whole_account=True)).changes == ()


@pytest.mark.parametrize(
    ("operation", "what"),
    [
        ("describejobqueues", "which job queues the account holds"),
        ("describeserviceenvironments", "which service environments the account holds"),
        ("listschedulingpolicies", "which scheduling policies the account holds"),
    ],
)
def test_a_denied_list_of_the_account_is_unreadable(
    operation: str, what: str, stack: Stack, start_account: StartAccount
) -> None:
    """Not being allowed to look is not the same as nothing being there."""
    _, session = start_account(faults={operation: denied()})
    report = compare(stack, observe(stack, session, whole_account=True))
    assert what in [gap.what for gap in report.unreadable]
    assert report.exit_code == 2


def actions_of(policy: dict[str, Any]) -> set[str]:
    return {action.lower() for statement in policy["Statement"] for action in statement["Action"]}


@pytest.mark.parametrize("whole_account", [False, True])
def test_the_printed_policy_allows_exactly_the_calls_made(
    whole_account: bool, stack: Stack, start_account: StartAccount
) -> None:
    """Least privilege is only worth something if it is neither too little nor too much."""
    account, session = start_account()
    observe(stack, session, whole_account=whole_account)
    called = {f"batch:{name}" for name, _ in account.calls}
    assert actions_of(iam_policy(stack, whole_account=whole_account)) == called


def test_waiting_ends_when_nothing_moves_any_more() -> None:
    """`--wait` after a deployment: the report is taken when the last update is through."""
    moving = Observation(Stack("s", "us-east-1"), conditions={("job_queues", "q"): Condition("UPDATING")})
    still = Observation(Stack("s", "us-east-1"))
    looks, pauses = iter([moving, moving, still]), list[float]()
    found = observe_settled(
        lambda: next(looks), timeout_seconds=60, clock=lambda: sum(pauses), sleep=pauses.append, pause_seconds=5
    )
    assert found is still
    assert pauses == [5, 5]


def test_waiting_ends_at_the_timeout_with_what_was_last_seen() -> None:
    """A resource that never settles is told as such, not waited for without end."""
    moving = Observation(Stack("s", "us-east-1"), conditions={("job_queues", "q"): Condition("DELETING")})
    pauses: list[float] = []
    found = observe_settled(
        lambda: moving, timeout_seconds=12, clock=lambda: sum(pauses), sleep=pauses.append, pause_seconds=5
    )
    assert found is moving
    assert pauses == [5, 5]


@pytest.mark.parametrize("whole_account", [False, True])
def test_a_snapshot_read_back_is_the_same_observation(
    whole_account: bool, stack: Stack, start_account: StartAccount
) -> None:
    """Judged offline, the report must be the one that the account itself would have given."""
    _, session = start_account(faults={("describequotashare", "speech"): denied(), "describejobqueues": denied()})
    seen = observe(stack, session, whole_account=whole_account)
    again = read_snapshot(write_snapshot(seen), "seen.json")
    assert again == seen
    assert compare(stack, again) == compare(stack, seen)
    assert write_snapshot(again) == write_snapshot(seen)


def test_a_snapshot_keeps_absent_unlimited_and_zero_apart(stack: Stack) -> None:
    """The three values that look alike are three values in a file too."""
    for limit in (None, -1, 0):
        share = replace(stack.job_queues["eval"].quota_shares["vision"], borrow_limit_percent=limit)
        queue = replace(stack.job_queues["eval"], quota_shares={"vision": share})
        seen = Observation(replace(stack, account="123456789012", job_queues={"eval": queue}))
        assert read_snapshot(write_snapshot(seen), "f") == seen


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "null",
        '{"kind": "stack"}',
        '{"kind": "snapshot", "version": 2}',
        '{"kind": "snapshot", "version": 1}',
        '{"kind": "snapshot", "version": 1, "quotaShares": [1]}',
    ],
)
def test_what_is_no_snapshot_is_one_clear_trouble(text: str) -> None:
    """A truncated upload, the wrong file: what is wrong, and what to do."""
    with pytest.raises(Trouble, match=r"seen\.json is not a snapshot"):
        read_snapshot(text, "seen.json")


def test_a_snapshot_of_which_one_value_is_spoilt_is_refused_or_compared(stack: Stack) -> None:
    """Snapshots are kept for months and sent around. Whichever value is spoilt: an answer, or why there is none."""
    whole = json.loads(write_snapshot(Observation(replace(stack, account="123456789012"), whole_account=True)))
    refused = 0
    for path in places(whole):
        for junk in (None, 7, "x", [], {}, float("inf"), True, ["a"], {"a": 1}):
            spoilt = copy.deepcopy(whole)
            inner = spoilt
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = junk
            try:
                compare(stack, read_snapshot(json.dumps(spoilt), "f"))
            except Trouble:
                refused += 1
    assert refused


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value within a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


@pytest.mark.parametrize("section", ["quotaShares", "jobQueues", "serviceEnvironments", "schedulingPolicies"])
def test_a_section_of_another_shape_does_not_read_as_empty(section: str) -> None:
    """Everything in it would be missing, and created anew beside what is there."""
    whole = json.loads(write_snapshot(Observation(Stack("s", "us-east-1", "123456789012"), whole_account=True)))
    with pytest.raises(Trouble) as caught:
        read_snapshot(json.dumps({**whole, section: {}}), "f")
    assert f"its {section} is no list of objects" in caught.value.why


def test_unreadable_paths_survive_a_snapshot() -> None:
    """What could not be read then is not missing now."""
    problem = Problem("batch:ListQuotaShares", "AccessDeniedException", "no")
    seen = Observation(
        Stack("s", "us-east-1", "123456789012"), unreadable={("job_queues", "q", "quota_shares"): problem}
    )
    assert json.loads(write_snapshot(seen))["unreadable"][0]["operation"] == "batch:ListQuotaShares"
    assert read_snapshot(write_snapshot(seen), "f").unreadable == seen.unreadable


def test_a_whole_emulator_is_observed(
    stack: Stack, start_emulator: StartEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same on the emulator's own lists, which are paged by its own rules."""
    emulator = start_emulator()
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    create(emulator.client("batch", region=stack.region), stack, Scope(ACCOUNT, stack.region))
    session = emulator.session(region=stack.region)
    assert compare(stack, observe(stack, session, whole_account=True)).outcome is Outcome.IN_SYNC
