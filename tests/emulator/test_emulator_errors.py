"""Refusals: each text of the table, who says it, and that a refused call changes nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import quota_engine.emulator as package
from quota_engine.emulator.operations.judge import NOT_THE_SERVICES, TEXT_OF_RULE
from quota_engine.emulator.texts import TEXTS, Origin
from quota_engine.model.diagnostic import Severity
from quota_engine.rules import RULES
from tests.emulator.conftest import Refused
from tests.emulator.resources import (
    FIFO,
    limits,
    make_blog_queue,
    make_environment,
    make_policy,
    make_queue,
    queue_request,
    share_request,
)

WRAPPED = re.compile(r"Error executing request, Exception : (.*), RequestId: [0-9a-f-]{36}", re.DOTALL)
NUM = {"maxCapacity": 3, "capacityUnit": "NUM_INSTANCES"}


def bare(message: str) -> str:
    """Return the text of a field validation, which the service sends with the request id around."""
    match = WRAPPED.fullmatch(message)
    assert match, f"not wrapped: {message}"
    return match[1]


def test_every_text_is_used_and_marked() -> None:
    """A text nobody sends is a rule that was lost; an unmarked one would pass for the service's own."""
    sources = "".join(path.read_text() for path in Path(package.__path__[0]).rglob("*.py") if path.name != "texts.py")
    assert [key for key in TEXTS if f'"{key}"' not in sources] == []
    assert {text.origin for text in TEXTS.values()} == set(Origin)
    assert [key for key, text in TEXTS.items() if text.wrapped and text.origin is not Origin.RECORDED] == []


def test_every_rule_about_one_resource_is_judged_or_left_out_knowingly() -> None:
    """A new rule must not crash the emulator, nor be forgotten by it."""
    of_resources = {
        rule.id
        for rule in RULES.values()
        if rule.severity is Severity.ERROR and {"policy", "environment", "queue", "share"} & set(rule.scopes)
    }
    assert of_resources - NOT_THE_SERVICES - {"QE301", "QE316", "QE322"} == set(TEXT_OF_RULE) - {"QE309"}


def test_a_taken_name_is_answered_before_any_other_complaint(batch: Any, refused: Refused) -> None:
    """Clients compare "Object already exists" and go on; whatever else is wrong with their request."""
    make_queue(batch)
    batch.create_quota_share(**share_request("QS", "training"))
    existing = "Object already exists"
    assert refused(batch.create_scheduling_policy, name="training-policy") == existing
    environment = {"serviceEnvironmentName": "training-environment", "serviceEnvironmentType": "NONE"}
    assert refused(batch.create_service_environment, **environment, capacityLimits=[]) == existing
    assert refused(batch.create_job_queue, jobQueueName="training", priority=-1) == existing
    bad_share = {**share_request("QS", "training"), "capacityLimits": []}
    assert "already exists" in refused(batch.create_quota_share, **bad_share)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"serviceEnvironmentName": "a b"}, "Service environment name should match a valid pattern."),
        ({"serviceEnvironmentName": "x" * 129}, "Service environment name should match a valid pattern."),
        ({"capacityLimits": []}, "Capacitylimits are required."),
        (
            {"capacityLimits": [*limits(1), *(limits(1, f"ml.g5.{size}xlarge")[0] for size in (2, 4, 8, 12, 16))]},
            "Number of capacity limits exceeds 5.",
        ),
        ({"capacityLimits": limits(0)}, "Max capacity must be more than 0."),
        ({"capacityLimits": [{"capacityUnit": "ml.g5.xlarge"}]}, "Max capacity must be more than 0."),
        (
            {"capacityLimits": [NUM, *limits(1)]},
            "Capacity units must specify either number of instances OR instance type, but not both",
        ),
        ({"serviceEnvironmentType": "GLUE"}, "Service environment type must be one of [SAGEMAKER_TRAINING]."),
    ],
    ids=str,
)
def test_a_bad_environment_is_refused_in_the_recorded_words(
    batch: Any, refused: Refused, given: dict[str, Any], text: str
) -> None:
    """As recorded from live calls: with the request id around."""
    request = {
        "serviceEnvironmentName": "e",
        "serviceEnvironmentType": "SAGEMAKER_TRAINING",
        "capacityLimits": limits(1),
    }
    assert bare(refused(batch.create_service_environment, **{**request, **given})) == text


def test_an_unknown_unit_is_named_with_the_known_ones(batch: Any, refused: Refused) -> None:
    """The list is SageMaker's own; a misspelt type would otherwise never run a job."""
    text = bare(refused(make_environment, batch=batch, capacityLimits=limits(1, "ml.r7i.16xlargo")))
    assert text.startswith("ml.r7i.16xlargo is unknown capacity unit in [")
    assert "ml.g5.xlarge" in text


@pytest.mark.parametrize("given", [[*limits(1), *limits(2)], [{"maxCapacity": 1}]], ids=["twice", "no unit"])
def test_limits_that_no_mapping_could_hold_are_refused(batch: Any, refused: Refused, given: list[Any]) -> None:
    """The same unit twice has no documented reading (A-02)."""
    refused(make_environment, batch=batch, capacityLimits=given)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"name": "a.b"}, "Scheduling policy name should match a valid pattern."),
        (
            {"fairsharePolicy": {}},
            "A scheduling policy can have either fairsharePolicy or quotaSharePolicy, but not both.",
        ),
        (
            {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "LIFO"}},
            "Idle resource assignment strategy must be one of [FIFO].",
        ),
    ],
    ids=str,
)
def test_a_bad_policy_is_refused_in_the_recorded_words(
    batch: Any, refused: Refused, given: dict[str, Any], text: str
) -> None:
    """As recorded from live calls."""
    assert bare(refused(batch.create_scheduling_policy, **{"name": "p", "quotaSharePolicy": FIFO, **given})) == text


@pytest.mark.parametrize(
    "policy",
    [
        {"shareDecaySeconds": 604_801},
        {"computeReservation": 100},
        {"shareDistribution": [{"shareIdentifier": "a", "weightFactor": 0}]},
        {"shareDistribution": [{"shareIdentifier": str(number)} for number in range(501)]},
    ],
    ids=lambda policy: next(iter(policy)),
)
def test_a_fair_share_policy_out_of_range_is_refused(batch: Any, refused: Refused, policy: dict[str, Any]) -> None:
    """Policies of the other kind are kept, so they are judged."""
    refused(batch.create_scheduling_policy, name="p", fairsharePolicy=policy)


def test_a_policys_kind_is_for_life(batch: Any, refused: Refused) -> None:
    """Shares would dangle."""
    arn = make_policy(batch)
    refused(batch.update_scheduling_policy, arn=arn, fairsharePolicy={"shareDecaySeconds": 60})
    refused(batch.update_scheduling_policy, arn=arn + "-unknown", quotaSharePolicy=FIFO)
    refused(batch.delete_scheduling_policy, arn="policy")
    batch.update_scheduling_policy(arn=arn, quotaSharePolicy=FIFO)


ORDER = {"order": 1, "serviceEnvironment": "environment"}
ACTION = {
    "reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
    "state": "RUNNABLE",
    "maxTimeSeconds": 600,
    "action": "TERMINATE",
}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"jobQueueName": "a/b"}, "Job Queue name should match a valid pattern."),
        ({"serviceEnvironmentOrder": [ORDER, ORDER]}, "Job queue can only have 1 service environment."),
        (
            {"serviceEnvironmentOrder": []},
            "Job queues of type SAGEMAKER_TRAINING must have serviceEnvironmentOrder.",
        ),
        ({"jobQueueType": "EKS"}, "The jobQueueType provided is EKS, which is incompatible"),
        (
            {"serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "no"}]},
            "Service environments must be created and valid before attaching them to a job queue.",
        ),
        ({"schedulingPolicyArn": "policy"}, "Only scheduling policy Arn can be allowed."),
        (
            {"schedulingPolicyArn": "arn:aws:batch:us-west-2:123456789012:scheduling-policy/no"},
            "SchedulingPolicy arn:aws:batch:us-west-2:123456789012:scheduling-policy/no not found.",
        ),
        ({"priority": 1001}, "Job queue priority must be between 0 and 1000."),
        ({"priority": -1}, "Job queue priority must be between 0 and 1000."),
        ({"jobStateTimeLimitActions": [{**ACTION, "action": "CANCEL"}]}, "Valid job actions: [TERMINATE]"),
        ({"jobStateTimeLimitActions": [ACTION, ACTION]}, "Duplicate job state limit actions are not allowed."),
        ({"jobStateTimeLimitActions": [{**ACTION, "reason": "HUNGER"}]}, "HUNGER is not a valid"),
        ({"jobStateTimeLimitActions": [{**ACTION, "maxTimeSeconds": 599}]}, "between 600 and 86400"),
        (
            {"jobQueueType": "EKS", "serviceEnvironmentOrder": []},
            "Quota Management feature is only supported for SageMaker Training job queues.",
        ),
        ({"computeEnvironmentOrder": [{"order": 1, "computeEnvironment": "c"}]}, "not emulated"),
    ],
    ids=str,
)
def test_a_bad_queue_is_refused(batch: Any, refused: Refused, given: dict[str, Any], text: str) -> None:
    """Recorded words where there are any."""
    policy = make_policy(batch)
    make_environment(batch)
    assert text in refused(batch.create_job_queue, **{**queue_request("q", policy, "environment"), **given})


def test_a_queue_without_a_type_is_an_ecs_queue_to_the_service(batch: Any, refused: Refused) -> None:
    """The recorded text names the default."""
    policy = make_policy(batch)
    make_environment(batch)
    request = queue_request("q", policy, "environment")
    del request["jobQueueType"]
    assert "The jobQueueType provided is ECS" in refused(batch.create_job_queue, **request)


def test_a_quota_queue_has_its_environment_to_itself(batch: Any, refused: Refused) -> None:
    """One queue for an environment, in instance types; neither by creating nor by updating can it be otherwise."""
    make_queue(batch)
    policy = make_policy(batch)
    refused(batch.create_job_queue, **queue_request("q", policy, "training-environment"))
    refused(batch.create_job_queue, **queue_request("q", None, "training-environment"))
    make_environment(batch, "counted", capacityLimits=[NUM])
    refused(batch.create_job_queue, **queue_request("q", policy, "counted"))
    batch.create_job_queue(**queue_request("fifo", None, "counted"))
    batch.create_job_queue(**queue_request("fifo-2", None, "counted"))
    order = [{"order": 1, "serviceEnvironment": "counted"}]
    refused(batch.update_job_queue, jobQueue="training", serviceEnvironmentOrder=order)
    refused(batch.update_service_environment, serviceEnvironment="training-environment", capacityLimits=[NUM])


def test_a_queues_policy_is_replaced_by_its_kind_only(batch: Any, refused: Refused) -> None:
    """Neither added later, nor removed, nor swapped (A-34)."""
    make_queue(batch)
    fair = batch.create_scheduling_policy(name="fair", fairsharePolicy={})["arn"]
    refused(batch.update_job_queue, jobQueue="training", schedulingPolicyArn=fair)
    refused(batch.update_job_queue, jobQueue="training", schedulingPolicyArn="")
    refused(batch.update_job_queue, jobQueue="training", schedulingPolicyArn=fair + "-unknown")
    make_environment(batch)
    batch.create_job_queue(**queue_request("fifo", None, "environment"))
    refused(batch.update_job_queue, jobQueue="fifo", schedulingPolicyArn=fair)
    refused(batch.update_job_queue, jobQueue="fifo", priority=2000)
    refused(batch.create_quota_share, **share_request("QS", "fifo"))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"quotaShareName": "a b"}, "name should match a valid pattern"),
        ({"capacityLimits": []}, "are required"),
        ({"capacityLimits": limits(0)}, "more than 0"),
        ({"capacityLimits": [NUM]}, "NUM_INSTANCES is not an instance type"),
        ({"capacityLimits": [*limits(1), *limits(1)]}, "listed more than once"),
        ({"resourceSharingConfiguration": {"strategy": "LEND", "borrowLimit": -1}}, "only be set with"),
        ({"resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": -2}}, "-1 or more"),
        ({"resourceSharingConfiguration": {"strategy": "SHARE"}}, "[RESERVE, LEND, LEND_AND_BORROW]"),
        ({"preemptionConfiguration": {"inSharePreemption": "MAYBE"}}, "[ENABLED, DISABLED]"),
        ({"state": "PAUSED"}, "[ENABLED, DISABLED]"),
        ({"tags": {"aws:x": "y"}}, "must not begin with aws:"),
    ],
    ids=str,
)
def test_a_bad_share_is_refused_on_create_and_update(
    batch: Any, refused: Refused, given: dict[str, Any], text: str
) -> None:
    """The same judgement both times; the existing share keeps every member."""
    make_queue(batch)
    request = share_request("QS", "training", "LEND_AND_BORROW")
    assert text in refused(batch.create_quota_share, **{**request, **given})
    if not given.keys() & {"quotaShareName", "tags"}:
        arn = batch.create_quota_share(**request)["quotaShareArn"]
        assert text in refused(batch.update_quota_share, quotaShareArn=arn, **{"state": "DISABLED", **given})


def test_the_services_quotas_hold(batch: Any, refused: Refused) -> None:
    """20 shares a queue, 50 environments and 50 queues a region."""
    make_queue(batch)
    for number in range(20):
        batch.create_quota_share(**share_request(f"QS{number}", "training"))
    assert "maximum of 20" in refused(batch.create_quota_share, **share_request("QS", "training"))
    for number in range(49):
        make_environment(batch, f"e{number}", capacityLimits=[NUM])
        batch.create_job_queue(**queue_request(f"q{number}", None, f"e{number}"))
    assert "maximum of 50" in refused(make_environment, batch=batch)
    assert "maximum of 50" in refused(batch.create_job_queue, **queue_request("q", None, "e0"))


@pytest.mark.parametrize(
    "arn",
    ["training", "arn:aws:s3:::bucket", "arn:aws:batch:us-west-2:123456789012:job-definition/x", "arn:aws:batch"],
)
def test_only_batch_resources_have_tags(batch: Any, refused: Refused, arn: str) -> None:
    """A wrong ARN must not look like a resource without tags."""
    refused(batch.list_tags_for_resource, resourceArn=arn)


def test_tags_of_what_is_absent_or_too_many_are_refused(batch: Any, refused: Refused) -> None:
    """The bound counts what is there already."""
    make_blog_queue(batch)
    arn = "arn:aws:batch:us-west-2:123456789012:job-queue/training"
    refused(batch.list_tags_for_resource, resourceArn=arn + "-unknown")
    refused(batch.list_tags_for_resource, resourceArn=arn.replace("us-west-2", "us-east-1"))
    batch.tag_resource(resourceArn=arn, tags={f"k{number}": "" for number in range(50)})
    refused(batch.tag_resource, resourceArn=arn, tags={"one-more": ""})
    batch.tag_resource(resourceArn=arn, tags={"k0": "changed"})
    refused(batch.tag_resource, resourceArn=arn, tags={"k1": "x" * 257})
