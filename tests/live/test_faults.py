"""Failing calls: exactly the resources concerned are unreadable, never missing, and no partial answer looks whole."""

from __future__ import annotations

from typing import Any

import pytest

from quota_engine.drift import DriftReport, Outcome, Unmanaged, compare
from quota_engine.live import NotAuthenticated, observe
from quota_engine.model.stack import Path, Stack
from tests.live.conftest import StartAccount
from tests.live.recorded_account import CUT, SILENT, Fault, broken, denied, gone, throttled

TRAIN: Path = ("job_queues", "train")
EVAL: Path = ("job_queues", "eval")

UNREADABLE_AFTER: dict[Any, list[Path]] = {
    "describejobqueues": [TRAIN, EVAL],
    "describeserviceenvironments": [("service_environments", "pool-a"), ("service_environments", "pool-b")],
    "describeschedulingpolicies": [("scheduling_policies", "fifo")],
    "listquotashares": [(*TRAIN, "quota_shares"), (*EVAL, "quota_shares")],
    ("listquotashares", "train"): [(*TRAIN, "quota_shares")],
    "describequotashare": [
        (*TRAIN, "quota_shares", "vision", "tags"),
        (*TRAIN, "quota_shares", "speech", "tags"),
        (*EVAL, "quota_shares", "vision", "tags"),
    ],
    ("describequotashare", "speech"): [(*TRAIN, "quota_shares", "speech", "tags")],
}
"""What fails → what can't be read then. Everything else is read and found in sync."""

FAULTS = {
    "denied": (denied(), "AccessDeniedException"),
    "throttled": (throttled(), "TooManyRequestsException"),
    "500": (broken(), "ServerException"),
    "cut": (CUT, "ConnectionClosedError"),
    "html": (Fault(200, b"<html>please log in</html>"), "UnexpectedAnswer"),
    "empty": (Fault(200, b""), "UnexpectedAnswer"),
    "truncated": (Fault(200, b'{"jobQueues": ['), "UnexpectedAnswer"),
    "list": (Fault(200, b"[1]"), "UnexpectedAnswer"),
    "null": (Fault(200, b"null"), "UnexpectedAnswer"),
    "not utf-8": (Fault(200, b"\xff\xfe"), "UnexpectedAnswer"),
    "wrong types": (
        Fault(
            200,
            b'{"jobQueues": 1, "serviceEnvironments": "x", "schedulingPolicies": 2, "quotaShares": [3], "tags": 4}',
        ),
        "UnexpectedAnswer",
    ),
}


def compared(stack: Stack, start_account: StartAccount, **settings: Any) -> DriftReport:
    _, session = start_account(**settings)
    return compare(stack, observe(stack, session))


@pytest.mark.parametrize("failing", list(UNREADABLE_AFTER), ids=str)
@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_failing_call_makes_exactly_its_resources_unreadable(
    fault: str, failing: Any, stack: Stack, start_account: StartAccount
) -> None:
    """Taking "could not look" for "is missing" would have someone recreate what is there, and end its jobs."""
    answer, code = FAULTS[fault]
    report = compared(stack, start_account, faults={failing: answer})
    assert [gap.path for gap in report.unreadable] == sorted(UNREADABLE_AFTER[failing])
    assert {gap.problem.code for gap in report.unreadable} == {code}
    operation = failing if isinstance(failing, str) else failing[0]
    assert {gap.problem.operation.lower() for gap in report.unreadable} == {f"batch:{operation}"}
    assert report.changes == ()
    assert report.outcome is Outcome.UNKNOWN
    assert report.exit_code == 2


def test_drift_beside_something_unreadable_is_told_but_the_answer_stays_could_not_tell(
    stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """A partial answer is worth showing, and is never shown as a whole one."""
    live["serviceEnvironments"][0]["state"] = "DISABLED"
    report = compared(stack, start_account, faults={"describejobqueues": denied()})
    assert [change.about.rule for change in report.changes] == ["QE606"]
    assert report.exit_code == 2


def test_shares_whose_list_is_denied_are_read_one_by_one(
    stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """Only what undeclared shares there are stays unknown; a declared one that is gone is known to be gone."""
    live["quotaShares"] = [share for share in live["quotaShares"] if share["quotaShareName"] != "speech"]
    report = compared(stack, start_account, faults={"listquotashares": denied()})
    assert [(change.about.rule, change.resource[-1]) for change in report.changes] == [("QE601", "speech")]
    assert [gap.what for gap in report.unreadable] == [
        "which quota shares job queue 'eval' holds",
        "which quota shares job queue 'train' holds",
    ]


def test_a_denied_list_does_not_matter_where_unmanaged_shares_are_ignored(
    stack: Stack, start_account: StartAccount
) -> None:
    """Who asked not to look for undeclared shares needs no permission to list them."""
    _, session = start_account(faults={"listquotashares": denied()})
    assert compare(stack, observe(stack, session), unmanaged=Unmanaged.IGNORE).outcome is Outcome.IN_SYNC


def test_a_share_deleted_between_list_and_describe_is_missing(stack: Stack, start_account: StartAccount) -> None:
    """The service says it does not exist: that is an answer, not a failure."""
    report = compared(stack, start_account, faults={("describequotashare", "speech"): gone("speech")})
    assert [(change.about.rule, change.resource[-1]) for change in report.changes] == [("QE601", "speech")]
    assert report.exit_code == 1


def test_a_queue_deleted_between_describe_and_list_is_missing_with_its_shares(
    stack: Stack, start_account: StartAccount
) -> None:
    """The later answer counts: the queue is gone."""
    report = compared(stack, start_account, faults={("listquotashares", "eval"): gone("eval")})
    assert [(change.about.rule, change.resource) for change in report.changes] == [
        ("QE601", EVAL),
        ("QE601", (*EVAL, "quota_shares", "vision")),
    ]
    assert report.unreadable == ()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda share: share["capacityLimits"].append({"maxCapacity": 9, "capacityUnit": "ml.g5.xlarge"}),
        lambda share: share["capacityLimits"].append({"maxCapacity": "many", "capacityUnit": "ml.g6.xlarge"}),
        lambda share: share["capacityLimits"].append({"capacityUnit": "ml.g6.xlarge"}),
        lambda share: share["resourceSharingConfiguration"].update(strategy="SHARE"),
        lambda share: share["resourceSharingConfiguration"].pop("strategy"),
        lambda share: share.pop("preemptionConfiguration"),
        lambda share: share.update(state="SOMETIMES"),
    ],
)
def test_a_share_that_cant_be_understood_is_unreadable(
    spoil: Any, stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """A value outside the API's model is not rounded, guessed or skipped."""
    spoil(next(share for share in live["quotaShares"] if share["quotaShareName"] == "speech"))
    report = compared(stack, start_account)
    assert report.exit_code == 2
    assert report.changes == ()
    assert {gap.problem.code for gap in report.unreadable} == {"UnexpectedAnswer"}
    assert (*TRAIN, "quota_shares", "speech") in {gap.path for gap in report.unreadable} or (
        *TRAIN,
        "quota_shares",
    ) in {gap.path for gap in report.unreadable}


def test_credentials_that_expire_at_once_are_trouble(stack: Stack, start_account: StartAccount) -> None:
    """Nothing was read at all, so there is no report to show."""
    expired = Fault(
        403, b'{"message": "The security token included in the request is expired"}', "ExpiredTokenException"
    )
    operations = ("describejobqueues", "describeserviceenvironments", "describeschedulingpolicies")
    _, session = start_account(faults=dict.fromkeys(operations, expired))
    with pytest.raises(NotAuthenticated, match="credentials"):
        observe(stack, session)


def test_credentials_that_expire_on_the_way_leave_the_rest_unreadable_without_asking_on(
    stack: Stack, start_account: StartAccount
) -> None:
    """Every further call would fail after as many retries; what was read stays, the rest is said to be unknown."""
    expired = Fault(403, b'{"message": "expired"}', "ExpiredTokenException")
    account, session = start_account(faults={"listquotashares": expired})
    report = compare(stack, observe(stack, session, max_workers=1))
    assert report.exit_code == 2
    assert report.changes == ()
    assert [name for name, _ in account.calls].count("listquotashares") == 1
    assert "describequotashare" not in [name for name, _ in account.calls]


def test_a_throttled_call_is_tried_again_within_a_bound(
    stack: Stack, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One throttled answer among many is no reason to give up on the night's report."""
    monkeypatch.delenv("AWS_MAX_ATTEMPTS")
    account, session = start_account(faults={"describeschedulingpolicies": throttled()})
    observation = observe(stack, session, max_attempts=2)
    assert [name for name, _ in account.calls].count("describeschedulingpolicies") == 2
    assert ("scheduling_policies", "fifo") in observation.unreadable


def test_an_answer_that_never_comes_makes_its_resources_unreadable(stack: Stack, start_account: StartAccount) -> None:
    """A hanging endpoint must not hang the night's report, nor empty it."""
    _, session = start_account(faults={("listquotashares", "eval"): SILENT})
    report = compare(stack, observe(stack, session, read_timeout_seconds=0.3))
    assert report.exit_code == 2
    assert [gap.problem.code for gap in report.unreadable] == ["ReadTimeoutError"]
    assert [gap.what for gap in report.unreadable] == ["which quota shares job queue 'eval' holds"]


@pytest.mark.parametrize("code", ["SignatureDoesNotMatch", "RequestExpired"])
def test_a_clock_that_is_off_is_trouble_and_the_fix_says_so(
    code: str, stack: Stack, start_account: StartAccount
) -> None:
    """AWS refuses every signature then; nothing is missing, and signing in again would not help."""
    body = f"<ErrorResponse><Error><Code>{code}</Code><Message>Signature expired: is now earlier than</Message></Error>"
    _, session = start_account(faults={"getcalleridentity": Fault(403, f"{body}</ErrorResponse>".encode())})
    with pytest.raises(NotAuthenticated) as refused:
        observe(stack, session)
    assert "clock" in refused.value.fix
    assert refused.value.problem is not None
    assert refused.value.problem.operation == "sts:GetCallerIdentity"


def test_an_empty_page_with_a_token_is_not_the_end(stack: Stack, start_account: StartAccount) -> None:
    """AWS may answer an empty page in the middle; what comes after it lives all the same."""
    report = compared(stack, start_account, page_size=1, empty_page_in_the_middle=True)
    assert report.outcome is Outcome.IN_SYNC
