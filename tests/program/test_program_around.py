"""What stands around the queues, as registered with Pulumi's mocks: every option, none deprecated."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pulumi_aws as aws
import pytest

from quota_engine.model.around import (
    METRICS,
    Access,
    Alarm,
    Around,
    Grantees,
    Notification,
    Occasion,
    TrainingRole,
)
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack, Strategy
from quota_engine.program.documents import metrics
from quota_engine.program.documents.notices import NOTICES
from quota_engine.program.settings import SettingsContradict

RunProgram = Callable[..., Any]
ACCOUNT = "123456789012"
QUEUE_ARN = f"arn:aws:batch:us-west-2:{ACCOUNT}:job-queue/training"
TEAM = f"arn:aws:iam::{ACCOUNT}:role/teams/team-a"
OPS = "arn:aws:sns:us-west-2:123456789012:ops"
TAGS = {"cost-center": "ml"}

AROUND = Around(
    access={
        "a": Access(
            "a",
            "training",
            "a",
            Grantees((TEAM, f"arn:aws:iam::{ACCOUNT}:user/ana", f"arn:aws:iam::{ACCOUNT}:group/ml"), (TEAM,)),
            max_priority=100,
        ),
        "b": Access("b", "training", "b", training_roles=("own-role",), may_terminate=True, job_tags={"team": "b"}),
    },
    administrators=Grantees((TEAM,)),
    auditors=Grantees(assumed_by=(TEAM,)),
    training_role=TrainingRole("ml-training", ("ml-models",), ("ml-data",)),
    notifications={
        Occasion.PREEMPTION: Notification(Occasion.PREEMPTION, sns_topic="quota-preemptions"),
        Occasion.QUEUE_BLOCKED: Notification(Occasion.QUEUE_BLOCKED, log_group="/quota/blocked"),
        Occasion.FAILURES: Notification(Occasion.FAILURES, sns_topic=OPS),
    },
    alarms=(
        Alarm("training-JobsPreempted", "training", "JobsPreempted", 10, 3600, notify="quota-preemptions"),
        Alarm("waits", "training", "JobAttemptRunnableToScheduledDuration", 1_800_000, 300, True, OPS),
        Alarm("quiet", "training", "JobsFailed", 0, 60),
    ),
    dashboard=True,
    tags=TAGS,
)
STACK = Stack(
    "dev",
    "us-west-2",
    account=ACCOUNT,
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 2})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={
        "training": JobQueue(
            "training",
            ("gpu",),
            "fifo",
            quota_shares={name: QuotaShare(name, {"ml.g5.xlarge": 1}, Strategy.LEND) for name in ("a", "b")},
        )
    },
    around=AROUND,
)


@pytest.fixture(autouse=True)
def _deprecation_is_an_error() -> Iterator[None]:
    """The SDK warns where an argument is deprecated; such a one would vanish with the next major version."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=DeprecationWarning, module=r"pulumi_aws.*")
        yield


@pytest.fixture
def seen(run: RunProgram) -> Any:
    return run(STACK)


def document(seen: Any, kind: str, name: str, member: str = "policy") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(seen.inputs(kind, name)[member])
    return found


def test_each_share_gets_its_own_policy_and_names_what_may_be_passed(seen: Any) -> None:
    """The default role is the declared one; an access that names its own gets no other."""
    own = document(seen, "Policy", "access-a")["Statement"]
    assert own[0]["Resource"][:2] == [QUEUE_ARN, "arn:share:training.a"]
    passed = {statement["Sid"]: statement["Resource"] for statement in own}["PassTrainingRoles"]
    assert passed == [f"arn:aws:iam::{ACCOUNT}:role/training-role"]
    other = {one["Sid"]: one for one in document(seen, "Policy", "access-b")["Statement"]}
    assert other["PassTrainingRoles"]["Resource"] == [f"arn:aws:iam::{ACCOUNT}:role/own-role"]
    assert "TerminateJobs" in other
    assert seen.inputs("Policy", "access-a")["name"] == "dev-submit-a"
    assert seen.inputs("Policy", "access-a")["tags"] == TAGS


def test_the_policy_is_attached_to_roles_users_and_groups_without_taking_others_away(seen: Any) -> None:
    """`PolicyAttachment` and `managed_policy_arns` would take the policy from everyone not named here."""
    assert seen.inputs("RolePolicyAttachment", "access-a/role/teams/team-a")["role"] == "team-a"
    assert seen.inputs("UserPolicyAttachment", "access-a/user/ana")["user"] == "ana"
    assert seen.inputs("GroupPolicyAttachment", "access-a/group/ml")["group"] == "ml"
    assert not {kind for kind, _ in seen.requests} & {"PolicyAttachment"}


def test_a_role_is_made_only_where_somebody_may_assume_it(seen: Any) -> None:
    """A role that nobody can take is one more thing to audit."""
    roles = {name for kind, name in seen.requests if kind == "Role"}
    assert roles == {"access-a", "auditors", "training-role"}
    assert document(seen, "Role", "access-a", "assumeRolePolicy")["Statement"][0]["Principal"] == {"AWS": [TEAM]}
    assert seen.inputs("RolePolicyAttachment", "access-a/own")["policyArn"].endswith("policy/access-a")


def test_the_training_role_is_for_sagemaker_on_behalf_of_this_account(seen: Any) -> None:
    """Without the condition another account's SageMaker could be made to use it (the confused deputy)."""
    [trust] = document(seen, "Role", "training-role", "assumeRolePolicy")["Statement"]
    assert trust["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    assert "ml-models" in seen.inputs("RolePolicy", "training-role")["policy"]


def test_notices_are_readable_in_a_topic_and_whole_in_a_log_group(seen: Any) -> None:
    """A person reads a topic's mail; a query reads the log group, and loses nothing."""
    started = seen.inputs("EventTarget", "preemption-started")
    assert started["arn"].endswith(":quota-preemptions")
    assert started["inputTransformer"]["inputPaths"]["job"] == "$.detail.preemptedJobArn"
    blocked = seen.inputs("EventTarget", "queue-blocked")
    assert blocked["arn"].endswith("log-group:/quota/blocked")
    assert "inputTransformer" not in blocked
    assert seen.inputs("EventTarget", "job-failed")["arn"] == OPS
    assert seen.inputs("LogGroup", "/quota/blocked")["retentionInDays"] == 90


def test_a_notice_is_delivered_only_once_its_target_lets_it_in(seen: Any) -> None:
    """A rule before its topic's policy loses what happens in between."""
    assert "quota-preemptions" in seen.depends_on("EventTarget", "preemption-started")
    assert "notifications" in seen.depends_on("EventTarget", "queue-blocked")
    services = [one["Principal"]["Service"] for one in document(seen, "TopicPolicy", "quota-preemptions")["Statement"]]
    assert services == ["events.amazonaws.com", "cloudwatch.amazonaws.com"]
    [statement] = document(seen, "LogResourcePolicy", "notifications", "policyDocument")["Statement"]
    assert statement["Resource"] == [f"arn:aws:logs:us-west-2:{ACCOUNT}:log-group:/quota/blocked:*"]


def test_an_existing_topic_is_used_and_not_made(seen: Any) -> None:
    """Its policy is its owner's; replacing it would lock others out."""
    assert {name for kind, name in seen.requests if kind in ("Topic", "TopicPolicy")} == {"quota-preemptions"}


def test_event_patterns_name_the_queues_where_the_event_does(seen: Any) -> None:
    """A preemption event names no queue, so a pattern that asks for one would never match."""
    pattern = json.loads(seen.inputs("EventRule", "job-failed")["eventPattern"])
    assert pattern["detail"] == {"status": ["FAILED"], "jobQueue": [QUEUE_ARN]}
    pattern = json.loads(seen.inputs("EventRule", "preemption-started")["eventPattern"])
    assert pattern == {"source": ["aws.batch"], "detail-type": ["Batch Service Job Preemption Started"]}


@pytest.mark.parametrize("notice", [one for group in NOTICES.values() for one in group], ids=lambda one: one.name)
def test_a_template_uses_every_variable_it_declares_and_no_other(notice: Any) -> None:
    """EventBridge refuses a template with an unknown variable, and it must be one JSON text."""
    used = {part.partition(">")[0] for part in json.loads(notice.template).split("<")[1:]}
    assert used <= notice.paths.keys()
    assert {"time", "account", "job"} <= used


def test_alarms_watch_the_sum_of_counts_and_the_longest_of_waits(seen: Any) -> None:
    """An average wait hides the one job that waits for ever."""
    count, wait = seen.inputs("MetricAlarm", "training-JobsPreempted"), seen.inputs("MetricAlarm", "waits")
    assert (count["statistic"], count["threshold"], count["period"]) == ("Sum", 10, 3600)
    assert (wait["statistic"], wait["threshold"], wait["alarmActions"]) == ("Maximum", 1_800_000, [OPS])
    assert count["dimensions"] == {"JobQueueName": "training"}
    assert count["alarmActions"][0].endswith(":quota-preemptions")
    assert "over 30m within 5m" in wait["alarmDescription"]
    assert "alarmActions" not in seen.inputs("MetricAlarm", "quiet")


def test_the_dashboard_shows_every_queue_with_known_metrics(seen: Any) -> None:
    """A misspelled metric is an empty graph that looks like good news."""
    body = json.loads(seen.inputs("Dashboard", "dashboard")["dashboardBody"])
    shown = [metric for widget in body["widgets"] for metric in widget["properties"].get("metrics", [])]
    assert {metric[1] for metric in shown} <= METRICS.keys()
    assert {metric[3] for metric in shown} == {"training"}


def test_widgets_of_several_queues_do_not_overlap() -> None:
    """CloudWatch draws one over the other."""
    widgets = metrics.dashboard_body("us-west-2", ["one", "two", "three"])["widgets"]
    cells = [
        (x, y)
        for widget in widgets
        for x in range(widget["x"], widget["x"] + widget["width"])
        for y in range(widget["y"], widget["y"] + widget["height"])
    ]
    assert len(cells) == len(set(cells))


def test_everything_taggable_carries_the_stacks_tags(seen: Any) -> None:
    """What has no cost center is nobody's."""
    for (kind, name), request in seen.requests.items():
        if request.type.startswith("aws:") and "tags" in inspect.signature(made_by(kind)._internal_init).parameters:
            assert seen.inputs(kind, name)["tags"] == TAGS, (kind, name)


def test_every_argument_exists_in_the_provider_and_none_is_deprecated(seen: Any) -> None:
    """The SDK is made from the provider's schema; an unknown or deprecated argument fails at the next upgrade."""
    for (kind, name), request in seen.requests.items():
        if not request.type.startswith("aws:"):
            continue
        resource = made_by(kind)
        known = inspect.signature(resource._internal_init).parameters
        for member in seen.inputs(kind, name):
            argument = snake(member)
            assert argument in known, (kind, member)
            getter = getattr(resource, argument).fget
            assert "_utilities.deprecated" not in inspect.getsource(getter), (kind, argument)


def made_by(kind: str) -> Any:
    """Return the SDK's class of a resource by its type's last part."""
    [found] = [getattr(module, kind) for module in (aws.iam, aws.sns, aws.cloudwatch) if hasattr(module, kind)]
    return found


def snake(member: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in member)


def test_nothing_around_means_no_second_provider(run: RunProgram) -> None:
    """pulumi-aws is half a gigabyte to download, for nothing."""
    plain = run(replace(STACK, around=Around()))
    assert not [request.type for request in plain.requests.values() if "aws:" in request.type.partition("native")[0]]


def test_the_second_provider_is_the_same_account_region_and_role(run: RunProgram) -> None:
    """Policies in another account than the queues would grant nothing."""
    role = {"roleArn": f"arn:aws:iam::{ACCOUNT}:role/deploy", "sessionName": "ci"}
    settings = {"aws-native:assumeRole": json.dumps(role), "aws-native:profile": "ml"}
    inputs = run(STACK, settings).inputs("aws", "aws")
    assert inputs["region"] == "us-west-2"
    assert json.loads(inputs["allowedAccountIds"]) == [ACCOUNT]
    assert json.loads(inputs["assumeRoles"]) == [role]
    assert inputs["profile"] == "ml"
    plain = run(STACK, {"aws-native:roleArn": role["roleArn"]}).inputs("aws", "aws")
    assert json.loads(plain["assumeRoles"]) == [{"roleArn": role["roleArn"]}]


def test_another_region_for_the_second_provider_stops_the_program(run: RunProgram) -> None:
    """One of the two settings is a mistake."""
    with pytest.raises(SettingsContradict, match=r"aws:region eu-west-1"):
        run(STACK, {"aws:region": "eu-west-1"})


def test_each_grantee_has_a_policy_of_its_own(seen: Any) -> None:
    """An entry that is forgotten shows only when somebody can't work."""
    names = {seen.inputs(kind, name)["name"] for kind, name in seen.requests if kind == "Policy"}
    assert names == {"dev-submit-a", "dev-submit-b", "dev-administrators", "dev-auditors"}
