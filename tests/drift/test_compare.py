"""Single decisions of the comparison that no recorded account shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quota_engine.drift import Action, Outcome, Unmanaged, compare, overall
from quota_engine.model.observation import Condition, Observation, Problem
from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    Strategy,
)

SHARE = QuotaShare("A", {"ml.g5.xlarge": 2}, Strategy.LEND)
QUEUE = JobQueue("q", ("gpu",), "fifo", quota_shares={"A": SHARE})
STACK = Stack(
    "s",
    "us-east-1",
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 2})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={"q": QUEUE},
)
SAME = Observation(replace(STACK, account="123456789012"))
PATH = ("job_queues", "q", "quota_shares", "A")


def with_queue(queue: JobQueue) -> Observation:
    return Observation(replace(SAME.stack, job_queues={"q": queue}))


def with_share(share: QuotaShare) -> Observation:
    return with_queue(replace(QUEUE, quota_shares={share.name: share}))


@pytest.mark.parametrize(
    ("status", "rule", "outcome"),
    [
        ("VALID", None, Outcome.IN_SYNC),
        ("CREATING", "QE614", Outcome.IN_SYNC),
        ("UPDATING", "QE614", Outcome.IN_SYNC),
        ("DELETING", "QE613", Outcome.DRIFT),
        ("INVALID", "QE612", Outcome.DRIFT),
        ("SOME_NEW_STATUS", None, Outcome.IN_SYNC),
    ],
)
def test_a_status_is_told_and_counts_where_the_resource_cant_do_its_work(
    status: str, rule: str | None, outcome: Outcome
) -> None:
    """Equal attributes are no comfort when the resource is INVALID or about to be gone."""
    report = compare(STACK, replace(SAME, conditions={PATH: Condition(status, "because")}))
    assert [note.about.rule for note in report.notes] == ([rule] if rule else [])
    assert report.outcome is outcome


def test_a_queue_without_a_policy_is_not_repaired_by_a_refresh() -> None:
    """Batch gives no policy to a queue that was made without one, so Pulumi's update would fail."""
    (change,) = compare(STACK, with_queue(replace(QUEUE, scheduling_policy=None))).changes
    assert change.action is Action.REPLACE
    assert not change.repaired_by_refresh


def test_a_queue_on_several_environments_shows_them_all() -> None:
    """The declared one may be among them; the queue still is not as declared."""
    (change,) = compare(STACK, with_queue(replace(QUEUE, service_environments=("gpu", "other")))).changes
    assert (change.declared, change.live) == ("gpu", ("gpu", "other"))


@pytest.mark.parametrize("protect", [False, True])
def test_pulumi_does_not_replace_what_is_protected(protect: bool) -> None:
    """Promising a repair that Pulumi refuses would be the worse report."""
    declared = replace(STACK, job_queues={"q": replace(QUEUE, protect=protect)})
    (change,) = compare(declared, with_queue(replace(QUEUE, type="ECS"))).changes
    assert change.action is Action.REPLACE
    assert change.repaired_by_refresh is not protect


def test_a_borrow_limit_that_borrows_no_whole_instance_more_says_so() -> None:
    """The difference is drift all the same, only without effect yet."""
    declared = replace(SHARE, strategy=Strategy.LEND_AND_BORROW, borrow_limit_percent=100)
    stack = replace(STACK, job_queues={"q": replace(QUEUE, quota_shares={"A": declared})})
    (change,) = compare(stack, with_share(replace(declared, borrow_limit_percent=149))).changes
    assert change.consequence == "none yet: A may borrow as many whole instances as declared"


def test_minus_one_shown_for_a_share_that_cant_borrow_is_no_drift_but_a_limit_is() -> None:
    """-1 is the default of the field, also where it may not be set; any other value was set by somebody."""
    assert compare(STACK, with_share(replace(SHARE, borrow_limit_percent=-1))).changes == ()
    (change,) = compare(STACK, with_share(replace(SHARE, borrow_limit_percent=0))).changes
    assert (change.declared, change.live) == (None, 0)


def test_shares_of_an_unreadable_queue_are_still_compared() -> None:
    """DescribeJobQueues denied says nothing about the shares."""
    problem = Problem("batch:DescribeJobQueues", "AccessDeniedException", "no")
    observation = Observation(
        replace(SAME.stack, job_queues={}),
        unreadable={("job_queues", "q"): problem},
        shares_of_unreadable_queues={"q": {"A": replace(SHARE, strategy=Strategy.RESERVE)}},
    )
    report = compare(STACK, observation)
    assert [change.path[-1] for change in report.changes] == ["strategy"]
    assert [gap.path for gap in report.unreadable] == [("job_queues", "q")]


def test_a_rename_not_yet_deployed_is_one_replacement_and_no_unmanaged_share() -> None:
    """Else the old name would read as somebody's extra share, with the advice to delete it by hand."""
    renamed = replace(SHARE, name="B", renamed_from="A")
    stack = replace(STACK, job_queues={"q": replace(QUEUE, quota_shares={"B": renamed})})
    (change,) = compare(stack, SAME).changes
    assert (change.action, change.declared, change.live) == (Action.REPLACE, "B", "A")
    assert "deletes A with the jobs in it" in change.consequence


def test_an_unmanaged_share_that_cant_be_understood_is_unreadable() -> None:
    """It is there, so the borrowing pool is not what was declared; what it does to it is not known."""
    path = ("job_queues", "q", "quota_shares", "X")
    observation = replace(SAME, unreadable={path: Problem("batch:ListQuotaShares", "UnexpectedAnswer", "?")})
    assert [gap.path for gap in compare(STACK, observation).unreadable] == [path]
    assert compare(STACK, observation, unmanaged=Unmanaged.IGNORE).outcome is Outcome.IN_SYNC


def test_the_worst_of_several_reports_decides() -> None:
    """ "Could not look" at one account must not be lost among ten that are in sync or drifted."""
    in_sync, drift = compare(STACK, SAME), compare(STACK, with_queue(replace(QUEUE, priority=9)))
    unread = compare(
        STACK, replace(SAME, unreadable={("scheduling_policies", "fifo"): Problem("batch:X", "Denied", "")})
    )
    assert overall([]) is Outcome.IN_SYNC
    assert overall([in_sync, drift]) is Outcome.DRIFT
    assert overall([drift, unread, in_sync]) is Outcome.UNKNOWN


RENAMED = replace(STACK, job_queues={"new": replace(QUEUE, name="new", renamed_from="q")})


def test_a_queue_that_lives_under_its_former_name_is_replaced_and_said_so_once() -> None:
    """Told as a missing queue, missing shares and an undeclared queue it would hide that all its jobs end."""
    report = compare(RENAMED, replace(SAME, whole_account=True))
    (change,) = report.changes
    assert (change.action, change.resource, change.declared, change.live) == (
        Action.REPLACE,
        ("job_queues", "new"),
        "new",
        "q",
    )
    assert "deploying deletes q with its shares and the jobs in them" in change.consequence


def test_a_queue_renamed_from_one_that_does_not_live_is_missing_with_its_shares() -> None:
    """There is nothing to replace; nor is a declared queue another one's former name."""
    nothing = replace(SAME, stack=replace(SAME.stack, job_queues={}))
    report = compare(RENAMED, nothing)
    assert [(change.action, change.resource[-1]) for change in report.changes] == [
        (Action.CREATE, "new"),
        (Action.CREATE, "A"),
    ]
    both = replace(RENAMED, job_queues={**RENAMED.job_queues, "q": QUEUE})
    assert [change.action for change in compare(both, SAME).changes] == [Action.CREATE, Action.CREATE]


def test_a_former_queue_that_lives_beside_the_new_one_is_undeclared() -> None:
    """The renaming is done, and somebody made the old one again."""
    live = replace(SAME.stack, job_queues={"q": QUEUE, "new": replace(QUEUE, name="new")})
    report = compare(RENAMED, Observation(live, whole_account=True))
    assert [(change.about.rule, change.resource) for change in report.changes] == [("QE616", ("job_queues", "q"))]
