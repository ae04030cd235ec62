"""What the program registers for a declaration: every resource, every property, every option."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pulumi
import pytest

from quota_engine.model.around import Around, TrainingRole
from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    State,
    Strategy,
    TimeLimitAction,
)
from quota_engine.program import QuotaManagedQueue, QuotaManagedShare, QuotaShareArgs

RunProgram = Callable[..., Any]

SHARES = {
    "QS1": QuotaShare(
        "QS1",
        {"ml.g5.xlarge": 1, "ml.g5.2xlarge": 2},
        Strategy.LEND_AND_BORROW,
        borrow_limit_percent=200,
        in_share_preemption=State.ENABLED,
        tags={"team-a": "x", "Cost.Center": "y"},
    ),
    "QS2": QuotaShare("QS2", {"ml.g5.xlarge": 1}, Strategy.LEND),
    "QS3": QuotaShare("QS3", {"ml.g5.xlarge": 1}, Strategy.RESERVE, state=State.DISABLED),
}
QUEUE = JobQueue(
    "training",
    ("gpu",),
    "quota-fifo",
    priority=7,
    quota_shares=SHARES,
    time_limit_actions=(TimeLimitAction("MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", 3600),),
)
STACK = Stack(
    "ml-training-dev",
    "us-west-2",
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 3}, tags={"a": "b"})},
    scheduling_policies={"quota-fifo": SchedulingPolicy("quota-fifo")},
    job_queues={"training": QUEUE},
)


def with_share(share: QuotaShare) -> Stack:
    queue = replace(QUEUE, quota_shares={share.name: share})
    return replace(STACK, job_queues={"training": queue})


def test_every_property_of_every_resource_is_the_declared_one(run: RunProgram) -> None:
    """What is declared is what is deployed: names explicit, states stated, nothing the declaration doesn't hold."""
    seen = run(STACK)
    assert seen.inputs("SchedulingPolicy", "quota-fifo") == {
        "name": "quota-fifo",
        "quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"},
    }
    assert seen.inputs("ServiceEnvironment", "gpu") == {
        "serviceEnvironmentName": "gpu",
        "serviceEnvironmentType": "SAGEMAKER_TRAINING",
        "capacityLimits": [{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 3}],
        "state": "ENABLED",
        "tags": {"a": "b"},
    }
    assert seen.inputs("JobQueue", "training") == {
        "jobQueueName": "training",
        "jobQueueType": "SAGEMAKER_TRAINING",
        "priority": 7,
        "state": "ENABLED",
        "schedulingPolicyArn": "arn:aws:batch:us-west-2:123456789012:scheduling-policy/quota-fifo",
        "serviceEnvironmentOrder": [
            {"order": 1, "serviceEnvironment": "arn:aws:batch:us-west-2:123456789012:service-environment/gpu"}
        ],
        "jobStateTimeLimitActions": [
            {
                "reason": "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED",
                "state": "RUNNABLE",
                "maxTimeSeconds": 3600,
                "action": "TERMINATE",
            }
        ],
    }
    assert seen.inputs("QuotaShare", "training.QS1") == {
        "quotaShareName": "QS1",
        "jobQueue": "arn:aws:batch:us-west-2:123456789012:job-queue/training",
        "capacityLimits": [
            {"capacityUnit": "ml.g5.xlarge", "maxCapacity": 1},
            {"capacityUnit": "ml.g5.2xlarge", "maxCapacity": 2},
        ],
        "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": 200},
        "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
        "state": "ENABLED",
        "tags": {"team-a": "x", "Cost.Center": "y"},
    }
    assert seen.inputs("QuotaShare", "training.QS3")["state"] == "DISABLED"


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        (None, {"strategy": "LEND_AND_BORROW"}),
        (0, {"strategy": "LEND_AND_BORROW", "borrowLimit": 0}),
        (-1, {"strategy": "LEND_AND_BORROW", "borrowLimit": -1}),
    ],
)
def test_an_unstated_borrow_limit_is_not_sent_and_zero_is(
    run: RunProgram, declared: int | None, sent: dict[str, Any]
) -> None:
    """0 means "may borrow nothing", unstated means "without limit": mixing them up would change what is preempted."""
    seen = run(with_share(replace(SHARES["QS1"], borrow_limit_percent=declared)))
    assert seen.inputs("QuotaShare", "training.QS1")["resourceSharingConfiguration"] == sent


def test_empty_tags_and_actions_are_left_out(run: RunProgram) -> None:
    """The official provider fails on an empty map, and the API's range for tags begins at one."""
    seen = run(replace(STACK, job_queues={"training": replace(QUEUE, time_limit_actions=())}))
    assert "tags" not in seen.inputs("QuotaShare", "training.QS2")
    assert not {"tags", "jobStateTimeLimitActions"} & seen.inputs("JobQueue", "training").keys()


def test_deletion_goes_shares_then_queue_then_policy_and_environment(run: RunProgram) -> None:
    """The engine deletes in reverse order of dependency, and Batch refuses any other order."""
    seen = run(STACK)
    for share in SHARES:
        assert "training" in seen.depends_on("QuotaShare", f"training.{share}")
    assert seen.depends_on("JobQueue", "training") >= {"gpu", "quota-fifo"}


def test_replacements_delete_before_they_create(run: RunProgram) -> None:
    """Names are unique: creating the new resource first would collide with the old one."""
    batch = {
        name: request for name, request in run(STACK).requests.items() if "batch" in request.type and request.custom
    }
    assert len(batch) == 6
    assert all(request.deleteBeforeReplace for request in batch.values())


@pytest.mark.parametrize("option", ["protect", "retain_on_delete"])
def test_protect_and_retain_on_delete_reach_the_engine_on_every_kind(run: RunProgram, option: str) -> None:
    """A share that must not be deleted by accident is the reason why these exist."""
    chosen: dict[str, Any] = {option: True}
    stack = replace(
        STACK,
        service_environments={"gpu": replace(STACK.service_environments["gpu"], **chosen)},
        scheduling_policies={"quota-fifo": replace(STACK.scheduling_policies["quota-fifo"], **chosen)},
        job_queues={
            "training": replace(QUEUE, quota_shares={"QS1": replace(SHARES["QS1"], **chosen)}, **chosen),
        },
    )
    field = {"protect": "protect", "retain_on_delete": "retainOnDelete"}[option]
    seen, plain = run(stack), run(STACK)
    for key in (
        ("ServiceEnvironment", "gpu"),
        ("SchedulingPolicy", "quota-fifo"),
        ("JobQueue", "training"),
        ("QuotaShare", "training.QS1"),
    ):
        assert getattr(seen.requests[key], field)
        assert not getattr(plain.requests[key], field)


def test_a_renamed_share_is_an_alias_of_the_old_one(run: RunProgram) -> None:
    """Without the alias Pulumi would create the new share beside the old one, which may exceed 20 a queue."""
    seen = run(with_share(replace(SHARES["QS1"], name="QS9", renamed_from="QS1")))
    aliases = seen.requests["QuotaShare", "training.QS9"].aliases
    assert [alias.spec.name for alias in aliases] == ["training.QS1"]
    assert not run(STACK).requests["QuotaShare", "training.QS1"].aliases


def test_two_queues_may_each_have_a_share_of_one_name(run: RunProgram) -> None:
    """Share names are unique in a queue only; logical names must be unique in the whole stack."""
    other = replace(QUEUE, name="inference", service_environments=("cpu",))
    stack = replace(
        STACK,
        service_environments={**STACK.service_environments, "cpu": ServiceEnvironment("cpu", {"ml.m5.large": 9})},
        job_queues={"training": QUEUE, "inference": other},
    )
    shares = [name for kind, name in run(stack).requests if kind == "QuotaShare"]
    assert sorted(shares) == sorted(f"{queue}.{share}" for queue in ("training", "inference") for share in SHARES)


def test_logical_names_do_not_depend_on_the_order_of_the_file(run: RunProgram) -> None:
    """Reordering shares in the file must not show as a change."""
    turned = replace(QUEUE, quota_shares=dict(reversed(list(SHARES.items()))))
    assert run(replace(STACK, job_queues={"training": turned})).requests.keys() == run(STACK).requests.keys()


def test_resources_are_children_of_the_declarations_components(run: RunProgram) -> None:
    """The tree shows as the declaration reads: a stack, its queues, their shares."""
    parents = {key: request.parent.split("::")[-1] for key, request in run(STACK).requests.items()}
    assert parents["QuotaShare", "training.QS1"] == "training"
    assert parents["JobQueue", "training"] == "training"
    assert parents["QuotaManagedQueue", "training"] == "ml-training-dev"
    assert parents["ServiceEnvironment", "gpu"] == parents["SchedulingPolicy", "quota-fifo"] == "ml-training-dev"


def test_outputs_are_arns_by_name(run: RunProgram, value: Callable[[Any], Any]) -> None:
    """Scripts read ARNs by the AWS name, not by position."""
    outputs = run(STACK).deployed.outputs
    assert {kind: value(pulumi.Output.from_input(names)) for kind, names in outputs.items()} == {
        "scheduling_policies": {"quota-fifo": "arn:aws:batch:us-west-2:123456789012:scheduling-policy/quota-fifo"},
        "service_environments": {"gpu": "arn:aws:batch:us-west-2:123456789012:service-environment/gpu"},
        "job_queues": {"training": "arn:aws:batch:us-west-2:123456789012:job-queue/training"},
        "quota_shares": {"training": {name: f"arn:share:training.{name}" for name in SHARES}},
    }


def test_what_is_declared_around_the_queue_is_left_out_where_the_endpoint_is_redirected(run: RunProgram) -> None:
    """On an emulator's queues it would be created on AWS, for queues that don't exist there; silently, it would look
    like a deployment of alarms that don't exist.
    """
    settings = {"aws-native:endpoints": '{"cloudcontrol": "http://127.0.0.1:4577"}'}
    seen = run(replace(STACK, around=Around(dashboard=True, training_role=TrainingRole("ml"))), settings)
    assert [line for line in seen.log if "training_role, dashboard" in line]
    assert not [kind for kind, _ in seen.requests if kind in ("Role", "Dashboard")]


def test_a_renamed_queue_is_an_alias_of_the_old_one(run: RunProgram) -> None:
    """Without it the new queue would be made first, on an environment that the old one still has."""
    stack = replace(STACK, job_queues={"learning": replace(QUEUE, name="learning", renamed_from="training")})
    component = run(stack).requests["QuotaManagedQueue", "learning"]
    assert [alias.spec.name for alias in component.aliases] == ["training"]


def test_the_components_work_in_another_program_with_values_known_later(
    record: Callable[..., Any], value: Callable[[Any], Any]
) -> None:
    """A platform that has its own Pulumi program wants the shares, not the file format."""
    made: dict[str, Any] = {}

    def program() -> None:
        later = pulumi.Output.from_input(3)
        made["queue"] = QuotaManagedQueue(
            "training",
            service_environment_arn=pulumi.Output.from_input("arn:environment"),
            scheduling_policy_arn="arn:policy",
            quota_shares={"a": QuotaShareArgs({"ml.g5.xlarge": later}, pulumi.Output.from_input("LEND"))},
        )
        made["share"] = QuotaManagedShare(
            "b", QuotaShareArgs({"ml.g5.xlarge": 1}, "RESERVE"), job_queue_arn=made["queue"].job_queue_arn
        )

    seen = record(program)
    limits = seen.inputs("QuotaShare", "training.a")["capacityLimits"]
    assert limits == [{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 3}]
    assert seen.inputs("QuotaShare", "b")["quotaShareName"] == "b"
    assert value(made["queue"].job_queue_arn).endswith("job-queue/training")
    assert value(made["queue"].quota_share_arns["a"]) == "arn:share:training.a"
    assert value(made["share"].quota_share_arn) == "arn:share:b"
