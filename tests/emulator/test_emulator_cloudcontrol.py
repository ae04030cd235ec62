"""Cloud Control over the same store: what infrastructure tools see."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, WaiterError

from quota_engine.emulator import LifecycleDelays
from tests.conftest import Emulator, StartEmulator
from tests.emulator.resources import make_blog_queue, status, submit

POLICY, ENVIRONMENT = "AWS::Batch::SchedulingPolicy", "AWS::Batch::ServiceEnvironment"
QUEUE, SHARE = "AWS::Batch::JobQueue", "AWS::Batch::QuotaShare"
LIMITS = [{"MaxCapacity": 3, "CapacityUnit": "ml.g5.xlarge"}]


@pytest.fixture
def control(emulator: Emulator) -> Any:
    return emulator.client("cloudcontrol")


def finish(control: Any, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the event a request ends with; the default delays need no waiting."""
    assert answer["ProgressEvent"]["OperationStatus"] == "IN_PROGRESS"
    token = answer["ProgressEvent"]["RequestToken"]
    event: dict[str, Any] = control.get_resource_request_status(RequestToken=token)["ProgressEvent"]
    return event


def create(control: Any, type_name: str, **desired: Any) -> str:
    """Create a resource; return its identifier."""
    event = finish(control, control.create_resource(TypeName=type_name, DesiredState=json.dumps(desired)))
    assert event["OperationStatus"] == "SUCCESS", event
    identifier: str = event["Identifier"]
    return identifier


def read(control: Any, type_name: str, identifier: str) -> dict[str, Any]:
    answer = control.get_resource(TypeName=type_name, Identifier=identifier)
    properties: dict[str, Any] = json.loads(answer["ResourceDescription"]["Properties"])
    return properties


def patch(control: Any, type_name: str, identifier: str, *operations: dict[str, Any]) -> dict[str, Any]:
    document = json.dumps(operations)
    return finish(control, control.update_resource(TypeName=type_name, Identifier=identifier, PatchDocument=document))


def remove(control: Any, type_name: str, identifier: str) -> dict[str, Any]:
    return finish(control, control.delete_resource(TypeName=type_name, Identifier=identifier))


def make_all(control: Any) -> dict[str, str]:
    """Create one of each type, as the Pulumi program does; return the identifiers by type."""
    policy = create(control, POLICY, Name="fifo", QuotaSharePolicy={"IdleResourceAssignmentStrategy": "FIFO"})
    environment = create(
        control,
        ENVIRONMENT,
        ServiceEnvironmentName="gpu",
        ServiceEnvironmentType="SAGEMAKER_TRAINING",
        CapacityLimits=LIMITS,
        Tags={"Team/ml": "a"},
    )
    queue = create(
        control,
        QUEUE,
        JobQueueName="training",
        JobQueueType="SAGEMAKER_TRAINING",
        Priority=1,
        SchedulingPolicyArn=policy,
        ServiceEnvironmentOrder=[{"Order": 1, "ServiceEnvironment": environment}],
    )
    share = create(
        control,
        SHARE,
        QuotaShareName="QS1",
        JobQueue=queue,
        CapacityLimits=[{"MaxCapacity": 1, "CapacityUnit": "ml.g5.xlarge"}],
        ResourceSharingConfiguration={"Strategy": "LEND_AND_BORROW", "BorrowLimit": 200},
        PreemptionConfiguration={"InSharePreemption": "ENABLED"},
    )
    return {POLICY: policy, ENVIRONMENT: environment, QUEUE: queue, SHARE: share}


def test_both_faces_show_the_same_resources(emulator: Emulator, control: Any) -> None:
    """What Cloud Control creates, Batch describes, and the other way round."""
    made = make_all(control)
    batch = emulator.client("batch")
    described = batch.describe_quota_share(quotaShareArn=made[SHARE])
    assert described["resourceSharingConfiguration"] == {"strategy": "LEND_AND_BORROW", "borrowLimit": 200}
    (environment,) = batch.describe_service_environments()["serviceEnvironments"]
    assert environment["tags"] == {"Team/ml": "a"}
    batch.update_quota_share(quotaShareArn=made[SHARE], state="DISABLED")
    assert read(control, SHARE, made[SHARE])["State"] == "DISABLED"


def test_properties_are_the_schemas_own(control: Any) -> None:
    """Schema names only: no status, no nulls, no empty tags; the share's queue by ARN; the identifier included."""
    made = make_all(control)
    assert read(control, SHARE, made[SHARE]) == {
        "QuotaShareName": "QS1",
        "QuotaShareArn": made[SHARE],
        "JobQueue": made[QUEUE],
        "CapacityLimits": [{"MaxCapacity": 1, "CapacityUnit": "ml.g5.xlarge"}],
        "ResourceSharingConfiguration": {"Strategy": "LEND_AND_BORROW", "BorrowLimit": 200},
        "PreemptionConfiguration": {"InSharePreemption": "ENABLED"},
        "State": "ENABLED",
    }
    assert read(control, QUEUE, made[QUEUE]) == {
        "JobQueueName": "training",
        "JobQueueArn": made[QUEUE],
        "JobQueueType": "SAGEMAKER_TRAINING",
        "Priority": 1,
        "SchedulingPolicyArn": made[POLICY],
        "ServiceEnvironmentOrder": [{"Order": 1, "ServiceEnvironment": made[ENVIRONMENT]}],
        "State": "ENABLED",
    }
    assert read(control, ENVIRONMENT, made[ENVIRONMENT]) == {
        "ServiceEnvironmentName": "gpu",
        "ServiceEnvironmentArn": made[ENVIRONMENT],
        "ServiceEnvironmentType": "SAGEMAKER_TRAINING",
        "CapacityLimits": LIMITS,
        "State": "ENABLED",
        "Tags": {"Team/ml": "a"},
    }
    assert read(control, POLICY, made[POLICY]) == {
        "Name": "fifo",
        "Arn": made[POLICY],
        "QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"},
    }


def test_the_waiter_of_boto3_is_satisfied(control: Any) -> None:
    """It polls the token until SUCCESS, and fails on FAILED."""
    desired = json.dumps({"Name": "p", "QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}})
    waiter = control.get_waiter("resource_request_success")
    for expected in ("SUCCESS", "FAILED"):
        token = control.create_resource(TypeName=POLICY, DesiredState=desired)["ProgressEvent"]["RequestToken"]
        if expected == "SUCCESS":
            waiter.wait(RequestToken=token)
        else:
            with pytest.raises(WaiterError):
                waiter.wait(RequestToken=token)


def test_a_taken_name_ends_failed_without_an_identifier(control: Any) -> None:
    """Pulumi would adopt what a FAILED create names; so it must name nothing, and keep its token."""
    make_all(control)
    answer = control.create_resource(TypeName=POLICY, DesiredState=json.dumps({"Name": "fifo"}))
    event = finish(control, answer)
    assert (event["OperationStatus"], event["ErrorCode"]) == ("FAILED", "AlreadyExists")
    assert "Identifier" not in event
    assert event["StatusMessage"] == "Object already exists"


def test_names_are_generated_where_the_schema_lets_them_be_left_out(control: Any) -> None:
    """Policy, environment and queue; a share's name is required."""
    identifier = create(control, POLICY, QuotaSharePolicy={"IdleResourceAssignmentStrategy": "FIFO"})
    assert read(control, POLICY, identifier)["Name"].startswith("SchedulingPolicy-")
    with pytest.raises(ClientError, match="quotaShareName is required"):
        control.create_resource(TypeName=SHARE, DesiredState=json.dumps({"JobQueue": "q"}))


def test_updates_in_place_are_patches(emulator: Emulator, control: Any) -> None:
    """Whole properties as Pulumi sends them, deeper pointers as people do; what is not named stays."""
    made = make_all(control)
    event = patch(
        control,
        SHARE,
        made[SHARE],
        {"op": "replace", "path": "/CapacityLimits/0/MaxCapacity", "value": 2},
        {"op": "replace", "path": "/ResourceSharingConfiguration", "value": {"Strategy": "RESERVE"}},
        {"op": "add", "path": "/Tags", "value": {"a/b": "c"}},
    )
    assert event["OperationStatus"] == "SUCCESS", event
    assert event["Identifier"] == made[SHARE]
    found = read(control, SHARE, made[SHARE])
    assert found["CapacityLimits"] == [{"MaxCapacity": 2, "CapacityUnit": "ml.g5.xlarge"}]
    assert found["ResourceSharingConfiguration"] == {"Strategy": "RESERVE"}
    assert found["Tags"] == {"a/b": "c"}
    patch(control, SHARE, made[SHARE], {"op": "replace", "path": "/Tags/a~1b", "value": "d"})
    assert emulator.client("batch").list_tags_for_resource(resourceArn=made[SHARE])["tags"] == {"a/b": "d"}
    patch(control, SHARE, made[SHARE], {"op": "remove", "path": "/Tags"})
    assert "Tags" not in read(control, SHARE, made[SHARE])
    patch(control, QUEUE, made[QUEUE], {"op": "replace", "path": "/State", "value": "DISABLED"})
    patch(control, QUEUE, made[QUEUE], {"op": "remove", "path": "/State"})
    assert read(control, QUEUE, made[QUEUE])["State"] == "ENABLED"


@pytest.mark.parametrize(
    ("type_name", "path", "value"),
    [
        (POLICY, "/Name", "other"),
        (ENVIRONMENT, "/ServiceEnvironmentName", "other"),
        (QUEUE, "/JobQueueName", "other"),
        (QUEUE, "/JobQueueType", "ECS"),
        (SHARE, "/QuotaShareName", "other"),
        (SHARE, "/JobQueue", "arn:aws:batch:us-west-2:123456789012:job-queue/other"),
        (SHARE, "/QuotaShareArn", "other"),
    ],
)
def test_create_only_properties_are_not_updatable(control: Any, type_name: str, path: str, value: str) -> None:
    """The engine replaces instead; an update that seemed to work would leave state and service apart."""
    made = make_all(control)
    before = read(control, type_name, made[type_name])
    event = patch(control, type_name, made[type_name], {"op": "replace", "path": path, "value": value})
    assert (event["OperationStatus"], event["ErrorCode"]) == ("FAILED", "NotUpdatable")
    assert path in event["StatusMessage"]
    assert read(control, type_name, made[type_name]) == before


def test_a_queue_named_instead_of_its_arn_is_the_same_queue(control: Any) -> None:
    """The schema takes a name or an ARN, so this is no change."""
    made = make_all(control)
    event = patch(control, SHARE, made[SHARE], {"op": "replace", "path": "/JobQueue", "value": "training"})
    assert event["OperationStatus"] == "SUCCESS"
    assert read(control, SHARE, made[SHARE])["JobQueue"] == made[QUEUE]


@pytest.mark.parametrize(
    ("type_name", "operation"),
    [
        (SHARE, {"op": "replace", "path": "/CapacityLimits", "value": []}),
        (SHARE, {"op": "remove", "path": "/CapacityLimits"}),
        (SHARE, {"op": "replace", "path": "/ResourceSharingConfiguration/Strategy", "value": "RESERVE"}),
        (SHARE, {"op": "test", "path": "/State", "value": "DISABLED"}),
        (SHARE, {"op": "replace", "path": "/Nothing/here", "value": 1}),
        (SHARE, {"op": "add", "path": "/Colour", "value": "red"}),
        (SHARE, {"op": "replace", "path": "", "value": []}),
        (SHARE, {"op": "add", "path": "/Tags", "value": {"aws:x": "y"}}),
        (QUEUE, {"op": "remove", "path": "/SchedulingPolicyArn"}),
        (QUEUE, {"op": "replace", "path": "/Priority", "value": 1001}),
        (POLICY, {"op": "add", "path": "/FairsharePolicy", "value": {"ShareDecaySeconds": 60}}),
    ],
    ids=str,
)
def test_a_patch_the_service_refuses_changes_nothing(control: Any, type_name: str, operation: dict[str, Any]) -> None:
    """A failed update must not be half done."""
    made = make_all(control)
    before = read(control, type_name, made[type_name])
    event = patch(control, type_name, made[type_name], operation)
    assert event["OperationStatus"] == "FAILED", event
    assert event["ErrorCode"] == "InvalidRequest"
    assert event["StatusMessage"]
    assert read(control, type_name, made[type_name]) == before


@pytest.mark.parametrize("document", ["{", "3", '{"op": "add"}', '[{"op": "jump", "path": "/State"}]', "[[]]", "[3]"])
def test_what_is_no_patch_is_refused_at_once(control: Any, document: str) -> None:
    """No request comes of it."""
    made = make_all(control)
    with pytest.raises(ClientError) as caught:
        control.update_resource(TypeName=SHARE, Identifier=made[SHARE], PatchDocument=document)
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_a_delete_disables_first_and_takes_running_jobs_with_it(emulator: Emulator, control: Any) -> None:
    """`pulumi destroy` deletes enabled shares with running jobs; SUCCESS means gone, for each in turn."""
    batch = emulator.client("batch")
    make_blog_queue(batch)
    job = submit(batch, "job", "QS1")
    prefix = "arn:aws:batch:us-west-2:123456789012:"
    for identifier, type_name in (
        *((f"{prefix}job-queue/training/quota-share/QS{number}", SHARE) for number in (1, 2, 3)),
        (f"{prefix}job-queue/training", QUEUE),
        (f"{prefix}scheduling-policy/training-policy", POLICY),
        (f"{prefix}service-environment/training-environment", ENVIRONMENT),
    ):
        assert remove(control, type_name, identifier)["OperationStatus"] == "SUCCESS"
        with pytest.raises(ClientError) as caught:
            control.get_resource(TypeName=type_name, Identifier=identifier)
        assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert status(batch, job) == "FAILED"
    assert batch.describe_job_queues(jobQueues=["training"])["jobQueues"] == []


def test_a_delete_of_what_is_in_use_fails_with_the_services_words(control: Any) -> None:
    """An order bug of the program must surface."""
    made = make_all(control)
    for type_name in (POLICY, ENVIRONMENT, QUEUE):
        event = remove(control, type_name, made[type_name])
        assert (event["OperationStatus"], event["ErrorCode"]) == ("FAILED", "InvalidRequest")
        assert event["StatusMessage"].startswith("Cannot delete, ")


def test_a_delete_of_what_is_gone_is_accepted_and_fails_with_not_found(control: Any) -> None:
    """An exception from DeleteResource itself would fail a destroy; NotFound does not."""
    made = make_all(control)
    for identifier in (made[SHARE] + "-gone", "no-arn"):
        event = remove(control, SHARE, identifier)
        assert (event["OperationStatus"], event["ErrorCode"]) == ("FAILED", "NotFound")


@pytest.mark.parametrize(
    ("type_name", "desired", "words"),
    [
        (POLICY, '{"Name": "p", "Colour": "red"}', "extraneous key [Colour]"),
        (POLICY, '{"Name": "p", "QuotaSharePolicy": {"Colour": 1}}', "extraneous key [Colour]"),
        (POLICY, '{"Name": "p", "Arn": "x"}', "read-only property [Arn]"),
        (POLICY, '{"Name": 3}', "name must be a string"),
        (POLICY, "[]", "expected type"),
        (POLICY, "{", "not valid JSON"),
        (POLICY, "[" * 100 + "]" * 100, "nested too deeply"),
        (SHARE, '{"QuotaShareName": "s"}', "is required"),
        (ENVIRONMENT, '{"ServiceEnvironmentType": "X", "CapacityLimits": []}', "must be one of"),
    ],
)
def test_a_desired_state_outside_the_schema_is_refused(control: Any, type_name: str, desired: str, words: str) -> None:
    """additionalProperties is false in all four schemas."""
    with pytest.raises(ClientError) as caught:
        control.create_resource(TypeName=type_name, DesiredState=desired)
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert words in error["Message"]


def test_a_whole_number_written_as_a_float_is_taken(control: Any) -> None:
    """Infrastructure tools carry numbers as doubles."""
    desired = '{"ServiceEnvironmentName":"f","ServiceEnvironmentType":"SAGEMAKER_TRAINING",'
    desired += '"CapacityLimits":[{"MaxCapacity":3.0,"CapacityUnit":"ml.g5.xlarge"}]}'
    event = finish(control, control.create_resource(TypeName=ENVIRONMENT, DesiredState=desired))
    assert read(control, ENVIRONMENT, event["Identifier"])["CapacityLimits"] == LIMITS


def test_types_and_tokens_that_are_unknown_are_named(control: Any) -> None:
    """With the code a tool tells them apart by."""
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: control.get_resource(TypeName="AWS::S3::Bucket", Identifier="b"), "TypeNotFoundException"),
        (lambda: control.get_resource_request_status(RequestToken="t"), "RequestTokenNotFoundException"),
        (lambda: control.cancel_resource_request(RequestToken="t"), "RequestTokenNotFoundException"),
        (lambda: control.get_resource(TypeName=POLICY, Identifier="p"), "ResourceNotFoundException"),
        (lambda: control.list_resources(TypeName=SHARE), "InvalidRequestException"),
        (lambda: control.list_resources(TypeName=SHARE, ResourceModel='{"JobQueue": 1}'), "InvalidRequestException"),
        (lambda: control.list_resources(TypeName=QUEUE, NextToken="x"), "ValidationException"),
    ]
    for call, code in calls:
        with pytest.raises(ClientError) as caught:
            call()
        assert caught.value.response["Error"]["Code"] == code
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_lists_page_and_shares_are_listed_by_queue(control: Any) -> None:
    """Every description has an identifier; a share's list handler needs its queue."""
    made = make_all(control)
    for number in range(3):
        create(control, POLICY, Name=f"p{number}")
    pages = control.get_paginator("list_resources").paginate(TypeName=POLICY, PaginationConfig={"PageSize": 3})
    found = [len(page["ResourceDescriptions"]) for page in pages]
    assert found == [3, 1]
    model = json.dumps({"JobQueue": made[QUEUE]})
    answer = control.list_resources(TypeName=SHARE, ResourceModel=model)
    assert [item["Identifier"] for item in answer["ResourceDescriptions"]] == [made[SHARE]]


def test_a_client_token_makes_one_request(control: Any) -> None:
    """The same request again gets the same token; another one is a conflict."""
    desired = json.dumps({"Name": "p"})
    first = control.create_resource(TypeName=POLICY, DesiredState=desired, ClientToken="token")
    again = control.create_resource(TypeName=POLICY, DesiredState=desired, ClientToken="token")
    assert again["ProgressEvent"]["RequestToken"] == first["ProgressEvent"]["RequestToken"]
    assert again["ProgressEvent"]["OperationStatus"] == "SUCCESS"
    with pytest.raises(ClientError) as caught:
        control.create_resource(TypeName=POLICY, DesiredState='{"Name": "q"}', ClientToken="token")
    assert caught.value.response["Error"]["Code"] == "ClientTokenConflictException"


def test_requests_are_listed_newest_first_and_filtered(control: Any) -> None:
    """What an operator looks at after a failed deployment."""
    create(control, POLICY, Name="p")
    finish(control, control.create_resource(TypeName=POLICY, DesiredState='{"Name": "p"}'))

    def listed(**asked: Any) -> list[str]:
        answer = control.list_resource_requests(ResourceRequestStatusFilter=asked)
        return [event["OperationStatus"] for event in answer["ResourceRequestStatusSummaries"]]

    assert listed() == ["FAILED", "SUCCESS"]
    assert listed(OperationStatuses=["FAILED"]) == ["FAILED"]
    assert listed(Operations=["DELETE"]) == []
    pages = control.get_paginator("list_resource_requests").paginate(PaginationConfig={"PageSize": 1})
    assert sum(len(page["ResourceRequestStatusSummaries"]) for page in pages) == 2


def test_delays_show_pending_and_in_progress(start_emulator: StartEmulator) -> None:
    """A delete disables, waits, deletes, waits again; while PENDING nothing has happened, and it can be cancelled."""
    delays = LifecycleDelays(create_ms=100, update_ms=200, delete_ms=300, pending_ms=1000, progress_ms=50)
    emulator = start_emulator(delays=delays)
    control, batch = emulator.client("cloudcontrol"), emulator.client("batch")

    def step(token: str, by_ms: int) -> str:
        emulator.advance(by_ms)
        found: str = control.get_resource_request_status(RequestToken=token)["ProgressEvent"]["OperationStatus"]
        return found

    def environments() -> list[tuple[str, str]]:
        found = batch.describe_service_environments()["serviceEnvironments"]
        return [(environment["status"], environment["state"]) for environment in found]

    desired = {"ServiceEnvironmentName": "e", "ServiceEnvironmentType": "SAGEMAKER_TRAINING", "CapacityLimits": LIMITS}
    first = control.create_resource(TypeName=ENVIRONMENT, DesiredState=json.dumps(desired))["ProgressEvent"]
    assert first["OperationStatus"] == "PENDING"
    assert environments() == []
    token = first["RequestToken"]
    assert [step(token, 999), step(token, 1), step(token, 99), step(token, 1)] == [
        "PENDING",
        "IN_PROGRESS",
        "IN_PROGRESS",
        "SUCCESS",
    ]
    identifier = control.get_resource_request_status(RequestToken=token)["ProgressEvent"]["Identifier"]
    token = control.delete_resource(TypeName=ENVIRONMENT, Identifier=identifier)["ProgressEvent"]["RequestToken"]
    with pytest.raises(ClientError, match="ConcurrentOperationException"):
        control.delete_resource(TypeName=ENVIRONMENT, Identifier=identifier)
    assert control.cancel_resource_request(RequestToken=token)["ProgressEvent"]["OperationStatus"] == "CANCEL_COMPLETE"
    emulator.advance(5000)
    assert environments() == [("VALID", "ENABLED")]
    with pytest.raises(ClientError, match="ConcurrentModificationException"):
        control.cancel_resource_request(RequestToken=token)
    token = control.delete_resource(TypeName=ENVIRONMENT, Identifier=identifier)["ProgressEvent"]["RequestToken"]
    emulator.advance(1000)
    assert environments() == [("UPDATING", "DISABLED")]
    emulator.advance(200)
    assert environments() == [("DELETING", "DISABLED")]
    assert step(token, 299) == "IN_PROGRESS"
    assert step(token, 1) == "SUCCESS"
    assert environments() == []
