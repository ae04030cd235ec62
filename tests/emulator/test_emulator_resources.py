"""Resources through boto3: life and death in the right order, and what goes in comes out."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.conftest import Emulator, StartEmulator
from tests.emulator.conftest import Refused
from tests.emulator.resources import (
    FIFO,
    limits,
    make_environment,
    make_policy,
    make_queue,
    payload,
    queue_request,
    share_request,
    submit,
)

ODD_TAGS = {"under_score": "x", "Cost-Center": "00420", "team/ml": "a~b", "empty": "", "UPPER": "Lower"}
TWO_UNITS = [{"maxCapacity": 4, "capacityUnit": "ml.g5.xlarge"}, {"maxCapacity": 2, "capacityUnit": "ml.p5.48xlarge"}]


def only(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the one item of a describe answer."""
    (items,) = (value for key, value in answer.items() if key != "ResponseMetadata")
    (item,) = items
    found: dict[str, Any] = item
    return found


def describe_environment(batch: Any, name: str) -> dict[str, Any]:
    return only(batch.describe_service_environments(serviceEnvironments=[name]))


def describe_queue(batch: Any, name: str) -> dict[str, Any]:
    return only(batch.describe_job_queues(jobQueues=[name]))


def test_a_scheduling_policy_comes_back_with_every_member(batch: Any) -> None:
    """A handler that forgets one member shows as drift for ever."""
    arn = batch.create_scheduling_policy(name="fifo", quotaSharePolicy=FIFO, tags=ODD_TAGS)["arn"]
    assert arn == "arn:aws:batch:us-west-2:123456789012:scheduling-policy/fifo"
    found = only(batch.describe_scheduling_policies(arns=[arn]))
    assert found == {"name": "fifo", "arn": arn, "quotaSharePolicy": FIFO, "tags": ODD_TAGS}
    assert batch.list_scheduling_policies()["schedulingPolicies"] == [{"arn": arn}]


def test_a_fair_share_policy_comes_back_too(batch: Any) -> None:
    """The other kind of policy exists beside ours in real accounts."""
    policy = {"shareDecaySeconds": 60, "shareDistribution": [{"shareIdentifier": "a", "weightFactor": 0.5}]}
    arn = batch.create_scheduling_policy(name="fair", fairsharePolicy=policy)["arn"]
    batch.update_scheduling_policy(arn=arn, fairsharePolicy={**policy, "computeReservation": 9})
    found = only(batch.describe_scheduling_policies(arns=[arn, arn + "-unknown"]))
    assert found["fairsharePolicy"] == {**policy, "computeReservation": 9}


def test_an_environment_comes_back_and_is_updated_in_part(batch: Any) -> None:
    """An update of the limits alone must not enable it, and the other way round."""
    arn = make_environment(batch, "gpu", capacityLimits=TWO_UNITS, state="DISABLED", tags=ODD_TAGS)
    found = describe_environment(batch, "gpu")
    assert found == {
        "serviceEnvironmentName": "gpu",
        "serviceEnvironmentArn": arn,
        "serviceEnvironmentType": "SAGEMAKER_TRAINING",
        "state": "DISABLED",
        "status": "VALID",
        "capacityLimits": TWO_UNITS,
        "tags": ODD_TAGS,
    }
    batch.update_service_environment(serviceEnvironment=arn, capacityLimits=TWO_UNITS[:1])
    assert describe_environment(batch, arn) == {**found, "capacityLimits": TWO_UNITS[:1]}
    batch.update_service_environment(serviceEnvironment="gpu", state="ENABLED")
    assert describe_environment(batch, "gpu") == {**found, "capacityLimits": TWO_UNITS[:1], "state": "ENABLED"}


def test_a_queue_comes_back_with_arns_for_names(batch: Any) -> None:
    """Clients give names and read ARNs; required members are there though empty; priority 0 is a value."""
    policy, environment = make_policy(batch), make_environment(batch)
    action = {
        "reason": "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE",
        "state": "RUNNABLE",
        "maxTimeSeconds": 600,
        "action": "TERMINATE",
    }
    request = queue_request("q", policy, "environment", priority=0, tags=ODD_TAGS, jobStateTimeLimitActions=[action])
    arn = batch.create_job_queue(**request, computeEnvironmentOrder=[])["jobQueueArn"]
    assert describe_queue(batch, "q") == {
        "jobQueueName": "q",
        "jobQueueArn": arn,
        "state": "ENABLED",
        "status": "VALID",
        "statusReason": "JobQueue Healthy",
        "schedulingPolicyArn": policy,
        "priority": 0,
        "computeEnvironmentOrder": [],
        "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": environment}],
        "jobQueueType": "SAGEMAKER_TRAINING",
        "jobStateTimeLimitActions": [action],
        "tags": ODD_TAGS,
    }


def test_a_queues_policy_and_environment_can_be_replaced(batch: Any) -> None:
    """UpdateJobQueue replaces what it names and keeps the rest."""
    make_queue(batch)
    other_policy, other_environment = make_policy(batch, "other"), make_environment(batch, "other")
    batch.update_job_queue(jobQueue="training", schedulingPolicyArn=other_policy, priority=1000)
    found = describe_queue(batch, "training")
    assert (found["schedulingPolicyArn"], found["priority"], found["state"]) == (other_policy, 1000, "ENABLED")
    order = [{"order": 3, "serviceEnvironment": "other"}]
    batch.update_job_queue(jobQueue=found["jobQueueArn"], serviceEnvironmentOrder=order)
    found = describe_queue(batch, "training")
    assert found["serviceEnvironmentOrder"] == [{"order": 3, "serviceEnvironment": other_environment}]
    assert found["schedulingPolicyArn"] == other_policy


def test_a_share_comes_back_with_borrow_limit_zero(batch: Any) -> None:
    """0 is a limit, not an unset one."""
    queue = make_queue(batch)
    request = share_request("QS", "training", "LEND_AND_BORROW", borrow_limit=0, in_share="ENABLED")
    created = batch.create_quota_share(**{**request, "capacityLimits": TWO_UNITS, "state": "DISABLED"}, tags=ODD_TAGS)
    arn = created["quotaShareArn"]
    assert arn == f"{queue}/quota-share/QS"
    found = batch.describe_quota_share(quotaShareArn=arn)
    del found["ResponseMetadata"]
    assert found == {
        "quotaShareName": "QS",
        "quotaShareArn": arn,
        "jobQueueArn": queue,
        "capacityLimits": TWO_UNITS,
        "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": 0},
        "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
        "state": "DISABLED",
        "status": "VALID",
        "tags": ODD_TAGS,
    }
    (listed,) = batch.list_quota_shares(jobQueue=queue)["quotaShares"]
    assert listed == {name: value for name, value in found.items() if name != "tags"}


def test_a_sharing_configuration_that_is_sent_replaces_the_whole(batch: Any) -> None:
    """LEND_AND_BORROW with 200 % becomes RESERVE without any limit (API Reference, UpdateQuotaShare)."""
    make_queue(batch)
    request = share_request("QS", "training", "LEND_AND_BORROW", borrow_limit=200)
    arn = batch.create_quota_share(**request)["quotaShareArn"]
    batch.update_quota_share(quotaShareArn=arn, resourceSharingConfiguration={"strategy": "RESERVE"})
    found = batch.describe_quota_share(quotaShareArn=arn)
    assert found["resourceSharingConfiguration"] == {"strategy": "RESERVE"}
    assert found["capacityLimits"] == limits(1)


def test_an_unset_borrow_limit_reads_as_unlimited(batch: Any) -> None:
    """The default is -1 by definition; other strategies have none to show (A-33)."""
    make_queue(batch)
    arn = batch.create_quota_share(**share_request("QS", "training", "LEND_AND_BORROW"))["quotaShareArn"]
    found = batch.describe_quota_share(quotaShareArn=arn)
    assert found["resourceSharingConfiguration"] == {"strategy": "LEND_AND_BORROW", "borrowLimit": -1}


def test_tags_have_one_store(batch: Any) -> None:
    """What TagResource writes, Describe reads; keys stay as they are."""
    queue = make_queue(batch)
    share = batch.create_quota_share(**share_request("QS", queue), tags=ODD_TAGS)["quotaShareArn"]
    job = submit(batch, "job", "QS", tags=ODD_TAGS)
    job_arn = batch.describe_service_job(jobId=job)["jobArn"]
    for arn in (share, job_arn):
        batch.tag_resource(resourceArn=arn, tags={"added": "1", "UPPER": "changed"})
        batch.untag_resource(resourceArn=arn, tagKeys=["empty", "absent"])
    expected = {**ODD_TAGS, "added": "1", "UPPER": "changed"}
    del expected["empty"]
    assert batch.list_tags_for_resource(resourceArn=share)["tags"] == expected
    assert batch.describe_quota_share(quotaShareArn=share)["tags"] == expected
    assert batch.describe_service_job(jobId=job)["tags"] == expected


def test_unknown_names_are_absent_from_describe_and_refused_elsewhere(batch: Any, refused: Refused) -> None:
    """Clients test existence by an empty list, and by the words "does not exist" for shares."""
    queue = make_queue(batch)
    assert batch.describe_job_queues(jobQueues=["no"])["jobQueues"] == []
    assert batch.describe_service_environments(serviceEnvironments=["no"])["serviceEnvironments"] == []
    elsewhere = queue.replace("us-west-2", "eu-west-1")
    assert batch.describe_job_queues(jobQueues=[elsewhere])["jobQueues"] == []
    assert "does not exist" in refused(batch.describe_quota_share, quotaShareArn=f"{queue}/quota-share/no")
    assert "does not exist" in refused(batch.list_quota_shares, jobQueue="no")
    assert "does not exist" in refused(batch.create_quota_share, **share_request("QS", "no"))
    assert refused(batch.get_job_queue_snapshot, jobQueue="no") == "JobQueue no not found."
    assert refused(batch.update_job_queue, jobQueue="no", priority=1) == "no does not exist"


def test_resources_die_in_the_order_that_teardowns_use(batch: Any, refused: Refused) -> None:
    """Share, queue, policy, environment: each refused while it is enabled or in use, and gone afterwards."""
    queue = make_queue(batch)
    share = batch.create_quota_share(**share_request("QS", queue))["quotaShareArn"]
    policy = describe_queue(batch, queue)["schedulingPolicyArn"]
    refused(batch.delete_quota_share, quotaShareArn=share)
    refused(batch.delete_job_queue, jobQueue=queue)
    refused(batch.delete_service_environment, serviceEnvironment="training-environment")
    refused(batch.delete_scheduling_policy, arn=policy)
    batch.update_service_environment(serviceEnvironment="training-environment", state="DISABLED")
    text = refused(batch.delete_service_environment, serviceEnvironment="training-environment")
    assert text == "Cannot delete, found existing JobQueue relationship"
    batch.update_job_queue(jobQueue=queue, state="DISABLED")
    assert describe_queue(batch, queue)["status"] == "VALID"
    refused(batch.delete_job_queue, jobQueue=queue)  # its share is still there
    batch.update_quota_share(quotaShareArn=share, state="DISABLED")
    batch.delete_quota_share(quotaShareArn=share)
    batch.delete_job_queue(jobQueue=queue)
    batch.delete_scheduling_policy(arn=policy)
    batch.delete_service_environment(serviceEnvironment="training-environment")
    assert batch.describe_scheduling_policies(arns=[policy])["schedulingPolicies"] == []
    assert describe_environment(batch, "training-environment")["status"] == "DELETING"
    assert batch.describe_service_environments()["serviceEnvironments"] == []
    make_queue(batch)  # every name is free again


def test_a_deleted_resource_shows_as_deleting_once(batch: Any, refused: Refused) -> None:
    """Clients poll for DELETING to pass; a row that stayed would make them wait for ever (A-31)."""
    queue = make_queue(batch)
    share = batch.create_quota_share(**share_request("QS", queue, state="DISABLED"))["quotaShareArn"]
    batch.delete_quota_share(quotaShareArn=share)
    assert batch.list_quota_shares(jobQueue=queue)["quotaShares"] == []
    assert batch.describe_quota_share(quotaShareArn=share)["status"] == "DELETING"
    assert "does not exist" in refused(batch.describe_quota_share, quotaShareArn=share)


def test_names_are_unique_per_account_and_region_only(emulator: Emulator, batch: Any) -> None:
    """The signature says where a call belongs; one emulator serves many accounts."""
    arns = [make_queue(batch), make_queue(emulator.client("batch", region="eu-west-1"))]
    arns.append(make_queue(emulator.client("batch", account="999999999999")))
    assert [arn.split(":")[3:5] for arn in arns] == [
        ["us-west-2", "123456789012"],
        ["eu-west-1", "123456789012"],
        ["us-west-2", "999999999999"],
    ]
    assert [queue["jobQueueArn"] for queue in batch.describe_job_queues()["jobQueues"]] == arns[:1]


def test_delays_pass_through_creating_updating_and_deleting(start_emulator: StartEmulator) -> None:
    """With delays the emulator shows what makes naive clients fail on AWS: things that aren't VALID yet."""
    from quota_engine.emulator import LifecycleDelays

    emulator = start_emulator(delays=LifecycleDelays(create_ms=3000, update_ms=2000, delete_ms=1000))
    batch = emulator.client("batch")
    policy = make_policy(batch)
    make_environment(batch)
    assert describe_environment(batch, "environment")["status"] == "CREATING"
    with pytest.raises(ClientError, match="must be created and valid"):
        batch.create_job_queue(**queue_request("q", policy, "environment"))
    emulator.advance(3000)
    batch.create_job_queue(**queue_request("q", policy, "environment"))
    with pytest.raises(ClientError, match="VALID"):
        batch.create_quota_share(**share_request("QS", "q"))
    emulator.advance(3000)
    batch.update_job_queue(jobQueue="q", state="DISABLED")
    assert describe_queue(batch, "q")["status"] == "UPDATING"
    with pytest.raises(ClientError, match="Cannot delete, resource is being modified"):
        batch.delete_job_queue(jobQueue="q")
    emulator.advance(2000)
    batch.delete_job_queue(jobQueue="q")
    assert describe_queue(batch, "q")["status"] == "DELETING"
    with pytest.raises(ClientError, match="already exists"):
        batch.create_job_queue(**queue_request("q", policy, "environment"))
    emulator.advance(999)
    assert describe_queue(batch, "q")["status"] == "DELETING"
    emulator.advance(1)
    assert batch.describe_job_queues()["jobQueues"] == []


def test_a_payload_goes_through_unread(batch: Any) -> None:
    """Batch hands the payload on as text; spaces and order are the caller's."""
    make_queue(batch)
    batch.create_quota_share(**share_request("QS", "training"))
    text = payload() + "  "
    job = submit(batch, "job", "QS", serviceRequestPayload=text)
    assert batch.describe_service_job(jobId=job)["serviceRequestPayload"] == text
