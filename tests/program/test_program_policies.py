"""The IAM policies, judged by a policy evaluator that others wrote: what a team can do, and above all what it can't."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from quota_engine.model.arns import Scope
from quota_engine.model.around import TrainingRole
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack, Strategy
from quota_engine.program.documents import access, training
from quota_engine.program.documents.notices import topic_policy

from .policy_evaluator import Evaluator, NoEvaluator, Request, installed

SCOPE = Scope("123456789012", "us-west-2")
QUEUE, OTHER_QUEUE = SCOPE.job_queue("training"), SCOPE.job_queue("inference")
SHARE_A, SHARE_B = SCOPE.quota_share("training", "team-a"), SCOPE.quota_share("training", "team-b")
JOB = SCOPE.service_job("5f8b-1")
ROLE = "arn:aws:iam::123456789012:role/ml-training"
OTHER_ROLE = "arn:aws:iam::123456789012:role/administrator"
SAGEMAKER = {"iam:PassedToService": "sagemaker.amazonaws.com"}

TEAM_A = access.submit_policy(QUEUE, SHARE_A, SCOPE, max_priority=100, training_roles=[ROLE])
TAGGED = access.submit_policy(
    QUEUE, SHARE_A, SCOPE, max_priority=100, training_roles=[ROLE], job_tags={"team": "a"}, may_terminate=True
)
STACK = Stack(
    "dev",
    "us-west-2",
    service_environments={"gpu": ServiceEnvironment("gpu", {"ml.g5.xlarge": 2})},
    scheduling_policies={"fifo": SchedulingPolicy("fifo")},
    job_queues={
        "training": JobQueue(
            "training", ("gpu",), "fifo", quota_shares={"a": QuotaShare("a", {"ml.g5.xlarge": 1}, Strategy.LEND)}
        )
    },
)


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    try:
        return Evaluator(installed())
    except NoEvaluator as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


def submit(share: str, queue: str = QUEUE, **context: str) -> Request:
    return request("batch:SubmitServiceJob", queue, share, JOB, **context)


def request(action: str, *resources: str, **context: str) -> Request:
    """Build a request; `priority` and tags stand for the service's condition keys."""
    keys = {"priority": "batch:SchedulingPriority", "tag": "aws:RequestTag/team", "has_tag": "aws:ResourceTag/team"}
    return Request(action, resources, {keys.get(key, key): value for key, value in context.items()})


def check(evaluator: Evaluator, document: Mapping[str, Any], expected: Sequence[tuple[Request, bool]]) -> None:
    answers = evaluator.allows(document, [one for one, _ in expected])
    wrong = [(one, answer) for (one, right), answer in zip(expected, answers, strict=True) if answer is not right]
    assert wrong == []


def test_team_a_can_submit_to_its_share_and_to_no_other(evaluator: Evaluator) -> None:
    """The one promise of `access`: a team can't use what belongs to another."""
    check(
        evaluator,
        TEAM_A,
        [
            (submit(SHARE_A, priority="1"), True),
            (submit(SHARE_A), True),
            (submit(SHARE_B, priority="1"), False),
            (submit(SHARE_B), False),
            (submit(SCOPE.quota_share("inference", "team-a"), OTHER_QUEUE, priority="1"), False),
            (submit(Scope("123456789012", "eu-west-1").quota_share("training", "team-a"), priority="1"), False),
        ],
    )


def test_the_priority_is_capped_on_submission_and_afterwards(evaluator: Evaluator) -> None:
    """A cap on submission alone is none: the priority could be raised a second later."""
    check(
        evaluator,
        TEAM_A,
        [
            (submit(SHARE_A, priority="100"), True),
            (submit(SHARE_A, priority="101"), False),
            (request("batch:UpdateServiceJob", JOB, priority="100"), True),
            (request("batch:UpdateServiceJob", JOB, priority="101"), False),
            (request("batch:UpdateServiceJob", JOB), False),
        ],
    )


def test_only_the_named_roles_can_be_passed_and_only_to_sagemaker(evaluator: Evaluator) -> None:
    """Whoever may pass any role to a job has that role's rights."""
    check(
        evaluator,
        TEAM_A,
        [
            (Request("iam:PassRole", (ROLE,), SAGEMAKER), True),
            (Request("iam:PassRole", (OTHER_ROLE,), SAGEMAKER), False),
            (Request("iam:PassRole", (ROLE,), {"iam:PassedToService": "ec2.amazonaws.com"}), False),
            (Request("iam:PassRole", (ROLE,), {}), False),
        ],
    )


def test_a_team_sees_its_queue_and_changes_nothing_of_it(evaluator: Evaluator) -> None:
    """Reading is what `explain` needs; limits are the platform's."""
    check(
        evaluator,
        TEAM_A,
        [
            (request("batch:GetJobQueueSnapshot", QUEUE), True),
            (request("batch:ListQuotaShares", QUEUE), True),
            (request("batch:DescribeQuotaShare", SHARE_B), True),
            (request("batch:DescribeServiceJob", "*"), True),
            (request("batch:ListServiceJobs", "*"), True),
            (request("batch:GetJobQueueSnapshot", OTHER_QUEUE), False),
            (request("batch:UpdateQuotaShare", SHARE_A), False),
            (request("batch:DeleteQuotaShare", SHARE_A), False),
            (request("batch:UpdateJobQueue", QUEUE), False),
            (request("batch:TerminateServiceJob", JOB), False),
        ],
    )


def test_with_job_tags_a_team_touches_only_jobs_that_carry_them(evaluator: Evaluator) -> None:
    """A job's ARN doesn't name its share, so without tags a team could end every other team's jobs."""
    check(
        evaluator,
        TAGGED,
        [
            (submit(SHARE_A, tag="a"), True),
            (submit(SHARE_A, tag="b"), False),
            (submit(SHARE_A), False),
            (request("batch:UpdateServiceJob", JOB, priority="1", has_tag="a"), True),
            (request("batch:UpdateServiceJob", JOB, priority="1", has_tag="b"), False),
            (request("batch:TerminateServiceJob", JOB, has_tag="a"), True),
            (request("batch:TerminateServiceJob", JOB, has_tag="b"), False),
            (request("batch:TerminateServiceJob", JOB), False),
            (request("batch:TagResource", JOB, tag="a"), True),
            (request("batch:TagResource", JOB, tag="a", has_tag="b"), False),
            (request("batch:TagResource", QUEUE, tag="a"), False),
        ],
    )


def test_administrators_manage_what_is_declared_and_nothing_else(evaluator: Evaluator) -> None:
    """Deploying by Cloud Control takes Batch's actions of the caller; another team's queue is not theirs to change."""
    document = access.administrator_policy(STACK, SCOPE)
    share, environment = SCOPE.quota_share("training", "new"), SCOPE.service_environment("gpu")
    linked = "arn:aws:iam::123456789012:role/aws-service-role/sagemaker-queuing.batch.amazonaws.com/"
    linked += "AWSServiceRoleForAWSBatchWithSagemaker"
    name = {"iam:AWSServiceName": "sagemaker-queuing.batch.amazonaws.com"}
    check(
        evaluator,
        document,
        [
            (request("batch:CreateQuotaShare", QUEUE, share), True),
            (request("batch:DeleteQuotaShare", share), True),
            (request("batch:CreateJobQueue", QUEUE, environment, SCOPE.scheduling_policy("fifo")), True),
            (request("batch:UpdateServiceEnvironment", environment), True),
            (request("batch:TagResource", share), True),
            (request("batch:TerminateServiceJob", JOB), True),
            (request("cloudformation:UpdateResource", "*"), True),
            (Request("iam:CreateServiceLinkedRole", (linked,), name), True),
            (Request("iam:CreateServiceLinkedRole", (linked,), {"iam:AWSServiceName": "ec2.amazonaws.com"}), False),
            (request("batch:UpdateJobQueue", OTHER_QUEUE), False),
            (request("batch:DeleteServiceEnvironment", SCOPE.service_environment("cpu")), False),
            (request("iam:CreateRole", ROLE), False),
            (Request("iam:PassRole", (ROLE,), SAGEMAKER), False),
        ],
    )


def test_auditors_read_what_drift_and_the_gates_read_and_write_nothing(evaluator: Evaluator) -> None:
    """Neither the nightly comparison nor a pull request's preview needs a right to change what it finds."""
    document = access.auditor_policy(STACK, SCOPE)
    check(
        evaluator,
        document,
        [
            (request("batch:DescribeJobQueues", "*"), True),
            (request("batch:ListQuotaShares", QUEUE), True),
            (request("batch:DescribeQuotaShare", SHARE_A), True),
            (request("batch:ListServiceJobs", "*"), True),
            (request("batch:DescribeServiceJob", "*"), True),
            (request("batch:GetJobQueueSnapshot", QUEUE), True),
            (request("batch:UpdateQuotaShare", SHARE_A), False),
            (submit(SHARE_A), False),
        ],
    )


def test_a_job_reads_and_writes_the_named_buckets_only(evaluator: Evaluator) -> None:
    """A job runs a team's own code: what its role may do, everyone who submits may do."""
    role = TrainingRole("ml-training", buckets=("ml-models",), read_only_buckets=("ml-data",))
    document = training.training_policy(role, SCOPE)
    log = "arn:aws:logs:us-west-2:123456789012:log-group:{}:log-stream:x"
    check(
        evaluator,
        document,
        [
            (request("s3:GetObject", "arn:aws:s3:::ml-data/x"), True),
            (request("s3:GetObject", "arn:aws:s3:::ml-models/x"), True),
            (request("s3:PutObject", "arn:aws:s3:::ml-models/x"), True),
            (request("s3:ListBucket", "arn:aws:s3:::ml-data"), True),
            (request("s3:PutObject", "arn:aws:s3:::ml-data/x"), False),
            (request("s3:DeleteObject", "arn:aws:s3:::ml-models/x"), False),
            (request("s3:GetObject", "arn:aws:s3:::payroll/x"), False),
            (request("logs:PutLogEvents", log.format("/aws/sagemaker/TrainingJobs")), True),
            (request("logs:PutLogEvents", log.format("/aws/lambda/other")), False),
            (
                Request("cloudwatch:PutMetricData", ("*",), {"cloudwatch:namespace": "/aws/sagemaker/TrainingJobs"}),
                True,
            ),
            (Request("cloudwatch:PutMetricData", ("*",), {"cloudwatch:namespace": "AWS/Billing"}), False),
            (request("iam:PassRole", ROLE), False),
        ],
    )


def test_without_buckets_a_job_has_none() -> None:
    """An empty list of resources would be refused by IAM, and a missing one would mean all."""
    statements = training.training_policy(TrainingRole("ml-training"), SCOPE)["Statement"]
    assert not [statement for statement in statements if "s3:" in json.dumps(statement)]


def test_documents_follow_the_partition() -> None:
    """In China and GovCloud an ARN begins otherwise, and a policy with aws: names nothing."""
    china = Scope("123456789012", "cn-north-1")
    role = TrainingRole("ml-training", ("b",))
    for document in (training.training_policy(role, china), access.administrator_policy(STACK, china)):
        assert "arn:aws:" not in json.dumps(document)
    assert access.role_arn(china, "ml-training") == "arn:aws-cn:iam::123456789012:role/ml-training"


@pytest.mark.parametrize(
    "document",
    [
        access.trust_policy(["arn:aws:iam::123456789012:role/b", "arn:aws:iam::123456789012:role/a"]),
        training.training_trust_policy(SCOPE),
        topic_policy("arn:aws:sns:us-west-2:123456789012:t", "123456789012"),
    ],
)
def test_a_trust_or_resource_policy_names_who_it_is_for(document: dict[str, Any]) -> None:
    """A principal of * would let the world in."""
    for statement in document["Statement"]:
        assert statement["Effect"] == "Allow"
        assert "*" not in json.dumps(statement["Principal"])


def test_every_action_of_a_team_is_an_action_of_batch() -> None:
    """Source: botocore's model of Batch. A misspelled action is accepted by IAM and allows nothing."""
    import botocore.session

    operations = set(botocore.session.get_session().get_service_model("batch").operation_names)
    documents = (TAGGED, access.administrator_policy(STACK, SCOPE), access.auditor_policy(STACK, SCOPE))
    actions = {action for document in documents for one in document["Statement"] for action in one["Action"]}
    assert {action.partition(":")[2] for action in actions if action.startswith("batch:")} <= operations
