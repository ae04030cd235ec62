"""What `observe` reads, in which calls, and whose account it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import boto3
import pytest

from quota_engine.drift import Outcome, compare
from quota_engine.live import (
    LiveTrouble,
    NotAuthenticated,
    Unreachable,
    WrongAccount,
    WrongRegion,
    observe,
    open_session,
)
from quota_engine.model.stack import ServiceEnvironment, Stack
from tests.live.conftest import StartAccount
from tests.live.recorded_account import CUT, Fault


def operations(calls: list[tuple[str, Any]]) -> dict[str, int]:
    names = [name for name, _ in calls]
    return {name: names.count(name) for name in sorted(set(names))}


def test_a_whole_declaration_takes_one_call_a_kind_one_a_queue_and_one_a_share(
    stack: Stack, start_account: StartAccount
) -> None:
    """A nightly run over many accounts lives within the API's rate limits only if it asks for no more than needed."""
    account, session = start_account()
    observation = observe(stack, session)
    assert operations(account.calls) == {
        "describejobqueues": 1,
        "describequotashare": 3,
        "describeschedulingpolicies": 1,
        "describeserviceenvironments": 1,
        "listquotashares": 2,
    }
    assert observation.unreadable == {}
    assert observation.stack.account == "123456789012"


def test_without_tags_no_share_is_described_and_tags_are_not_compared(
    stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """The call per share is the bulk of the time; who doesn't need tags doesn't pay for them, and is told so."""
    for share in live["quotaShares"]:
        share["tags"] = {"someone": "else"}
    account, session = start_account()
    observation = observe(stack, session, with_tags=False)
    assert "describequotashare" not in operations(account.calls)
    report = compare(stack, observation)
    assert report.outcome is Outcome.IN_SYNC
    assert not report.share_tags_compared


def test_more_than_a_hundred_names_are_asked_for_in_batches(stack: Stack, start_account: StartAccount) -> None:
    """The API takes at most 100 names a call; the 101st must not fall off the end."""
    account, session = start_account()
    many = {f"env-{n}": ServiceEnvironment(f"env-{n}", {"ml.g5.xlarge": 1}) for n in range(201)}
    observe(replace(stack, service_environments=many), session)
    asked = [request["serviceEnvironments"] for name, request in account.calls if name == "describeserviceenvironments"]
    assert sorted(len(names) for names in asked) == [1, 100, 100]
    assert sorted(name for names in asked for name in names) == sorted(many)


def test_an_empty_page_with_a_token_is_not_the_end(stack: Stack, start_account: StartAccount) -> None:
    """AWS may answer an empty page in the middle; taking it for the end would report half the shares as missing."""
    _, session = start_account(page_size=1, empty_page_in_the_middle=True)
    assert compare(stack, observe(stack, session)).outcome is Outcome.IN_SYNC


def test_undeclared_shares_of_declared_queues_are_seen_and_other_queues_are_not(
    stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """An undeclared share changes the borrowing pool of the queue; an undeclared queue is somebody else's."""
    queues = {"train": replace(stack.job_queues["train"], quota_shares={})}
    _, session = start_account()
    observation = observe(replace(stack, job_queues=queues), session)
    assert sorted(observation.shares_of("train")) == ["speech", "vision"]
    assert list(observation.stack.job_queues) == ["train"]


def test_a_row_with_status_deleted_is_absent(stack: Stack, live: dict[str, Any], start_account: StartAccount) -> None:
    """Batch may still show what it has deleted; that is not there."""
    live["jobQueues"][0]["status"] = "DELETED"
    _, session = start_account()
    observation = observe(stack, session)
    assert live["jobQueues"][0]["jobQueueName"] not in observation.stack.job_queues
    assert observation.unreadable == {}


def test_a_queue_of_another_type_is_not_asked_for_shares(
    stack: Stack, live: dict[str, Any], start_account: StartAccount
) -> None:
    """Only SageMaker Training queues have shares; asking another would fail and hide what is really wrong."""
    train = next(queue for queue in live["jobQueues"] if queue["jobQueueName"] == "train")
    train["jobQueueType"] = "ECS"
    account, session = start_account()
    report = compare(stack, observe(stack, session))
    assert operations(account.calls)["listquotashares"] == 1
    found = {(change.about.rule, change.action.value, change.attribute) for change in report.changes}
    assert ("QE611", "replace", ("type",)) in found


def test_a_wrong_account_refuses_to_compare(stack: Stack, start_account: StartAccount) -> None:
    """The same names in another account are other resources: a comparison would be nonsense that looks like drift."""
    account, session = start_account(account="999999999999")
    with pytest.raises(WrongAccount) as refusal:
        observe(replace(stack, account="123456789012"), session)
    assert "123456789012" in refusal.value.what
    assert "999999999999" in refusal.value.what
    assert account.calls == []


def test_an_endpoint_of_another_region_refuses_to_compare(stack: Stack, start_account: StartAccount) -> None:
    """An endpoint variable left over from another region must not turn into a report of drift."""
    _, session = start_account()
    with pytest.raises(WrongRegion, match="us-east-1"):
        observe(replace(stack, region="eu-west-1"), session)


def test_batch_and_sts_of_different_accounts_refuse_to_compare(stack: Stack, start_account: StartAccount) -> None:
    """With one endpoint variable set and the other forgotten, the guard would check the wrong account."""
    _, session = start_account(account="999999999999")
    with pytest.raises(WrongAccount, match="AWS Batch answers for 123456789012"):
        observe(stack, session)


def test_the_surroundings_default_region_plays_no_part(
    stack: Stack, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The declaration's region is the truth, so one run can look at several regions."""
    monkeypatch.setenv("AWS_REGION", "ap-south-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-south-1")
    _, session = start_account()
    assert observe(stack, session).stack.region == "us-east-1"


def test_no_credentials_are_one_clear_trouble(stack: Stack, start_account: StartAccount) -> None:
    """The commonest first run of all: it must say what is missing and what to do."""
    start_account()
    with pytest.raises(NotAuthenticated) as trouble:
        observe(stack, boto3.Session())
    assert "credentials" in trouble.value.what
    assert trouble.value.problem is not None
    assert trouble.value.problem.operation == "sts:GetCallerIdentity"
    assert trouble.value.fix


def test_an_unknown_profile_is_one_clear_trouble() -> None:
    """A mistyped --profile names the profile."""
    with pytest.raises(NotAuthenticated, match="no-such-profile"):
        open_session("no-such-profile")


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(403, b"<ErrorResponse><Error><Code>ExpiredToken</Code><Message>old</Message></Error></ErrorResponse>"),
         NotAuthenticated),
        (Fault(200, b"<html>please log in</html>"), Unreachable),
        (Fault(200, b"{}"), Unreachable),
        (Fault(500, b"oops"), Unreachable),
        (Fault(200, b"\xff\xfe"), Unreachable),
        (CUT, Unreachable),
    ],
)  # fmt: skip
def test_an_account_that_cant_be_told_is_trouble_that_names_the_operation(
    fault: Fault, kind: type[LiveTrouble], stack: Stack, start_account: StartAccount
) -> None:
    """Whatever stands between us and STS, the user learns which call failed, and sees no traceback."""
    _, session = start_account(faults={"getcalleridentity": fault})
    with pytest.raises(kind) as trouble:
        observe(stack, session)
    assert "sts:GetCallerIdentity" in trouble.value.why


def test_a_refused_connection_is_trouble_that_names_the_endpoint(
    stack: Stack, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulator that isn't running: say where nobody answered."""
    _, session = start_account()
    monkeypatch.setenv("AWS_ENDPOINT_URL_BATCH", "http://127.0.0.1:9")
    with pytest.raises(Unreachable, match="can't be reached") as trouble:
        observe(stack, session)
    assert "http://127.0.0.1:9" in trouble.value.why


@pytest.mark.parametrize(
    ("region", "endpoint"), [("us east 1", None), ("us-east-1", "not a url"), ("us-east-1", "http://[")]
)
def test_unusable_settings_are_trouble(
    region: str, endpoint: str | None, stack: Stack, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip in an environment variable is the user's to mend, with a message and not with a traceback."""
    _, session = start_account()
    if endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BATCH", endpoint)
    with pytest.raises(LiveTrouble, match="can't set up"):
        observe(replace(stack, region=region), session)
