"""IAM policies for those who submit to a share, those who administer what is deployed, and those who look for drift.

There is no condition key for the name of a quota share. A policy is bound to a share by the share's ARN among the
resources of SubmitServiceJob; a submission is allowed only where queue, share and job are all allowed. Source of the
actions, resources and condition keys: Service Authorization Reference, AWS Batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quota_engine.model.arns import Scope, partition_of
from quota_engine.model.stack import Stack

Document = dict[str, Any]
Statement = dict[str, Any]
Condition = dict[str, dict[str, Any]]

SAGEMAKER = "sagemaker.amazonaws.com"
_QUEUING = "sagemaker-queuing.batch.amazonaws.com"
_VERSION = "2012-10-17"


def submit_policy(
    queue_arn: str,
    share_arn: str,
    scope: Scope,
    *,
    max_priority: int | None = None,
    training_roles: Sequence[str] = (),
    job_tags: Mapping[str, str] | None = None,
    may_terminate: bool = False,
) -> Document:
    """Return the policy of a team: submit to one share, with a cap on priorities, and see what happens there.

    `training_roles` are ARNs. A job's ARN doesn't name its share, so what is done to jobs afterwards is bound to a
    team only by `job_tags`: the team must submit with them, and touches only jobs that carry them.
    """
    tags = dict(job_tags or {})
    jobs = scope.service_job("*")
    statements = [
        _allow(
            "SubmitToTheShare",
            ["batch:SubmitServiceJob"],
            [queue_arn, share_arn, jobs],
            _cap(max_priority, is_optional=True) | _tags("StringEquals", "aws:RequestTag", tags),
        ),
        _allow(
            "ChangePriorities",
            ["batch:UpdateServiceJob"],
            [jobs],
            _cap(max_priority, is_optional=False) | _tags("StringEquals", "aws:ResourceTag", tags),
        ),
        _allow("TagJobsAsTheyAreSubmitted", ["batch:TagResource"], [jobs], _tagging(tags)),
    ]
    if may_terminate:
        owned = _tags("StringEquals", "aws:ResourceTag", tags)
        statements.append(_allow("TerminateJobs", ["batch:TerminateServiceJob"], [jobs], owned))
    if training_roles:
        condition = {"StringEquals": {"iam:PassedToService": SAGEMAKER}}
        statements.append(_allow("PassTrainingRoles", ["iam:PassRole"], sorted(training_roles), condition))
    return _document([*statements, *_reads(queue_arn)])


def administrator_policy(stack: Stack, scope: Scope) -> Document:
    """Return the policy of those who change what a declaration deploys, by Pulumi (Cloud Control) or by hand.

    It covers the declared names, and all jobs. Roles, topics and alarms around the queues are not part of it.
    """
    queues = [scope.job_queue(name) for name in sorted(stack.job_queues)]
    shares = [scope.quota_share(name, "*") for name in sorted(stack.job_queues)]
    environments = [scope.service_environment(name) for name in sorted(stack.service_environments)]
    policies = [scope.scheduling_policy(name) for name in sorted(stack.scheduling_policies)]
    jobs = scope.service_job("*")
    linked_role = f"role/aws-service-role/{_QUEUING}/AWSServiceRoleForAWSBatchWithSagemaker"
    statements = [
        _allow("CreateShares", _actions("Create", "QuotaShare"), [*queues, *shares]),
        _allow("ChangeShares", _actions("Update Delete Describe", "QuotaShare"), shares),
        _allow("ManageQueues", _actions("Create Update Delete", "JobQueue"), [*queues, *environments, *policies]),
        _allow("ManageEnvironments", _actions("Create Update Delete", "ServiceEnvironment"), environments),
        _allow("ManagePolicies", _actions("Create Update Delete", "SchedulingPolicy"), policies),
        _allow(
            "TagWhatIsDeclared",
            ["batch:ListTagsForResource", "batch:TagResource", "batch:UntagResource"],
            [*queues, *shares, *environments, *policies],
        ),
        _allow("LookIntoQueues", ["batch:GetJobQueueSnapshot", "batch:ListQuotaShares"], queues),
        _allow("ManageJobs", ["batch:TerminateServiceJob", "batch:UpdateServiceJob"], [jobs]),
        _allow("SeeEverything", _SEE_EVERYTHING, ["*"]),
        _allow("UseCloudControl", _CLOUD_CONTROL, ["*"]),
        _allow(
            "LetBatchUseSageMaker",
            ["iam:CreateServiceLinkedRole"],
            [_iam_arn(scope, linked_role)],
            {"StringEquals": {"iam:AWSServiceName": _QUEUING}},
        ),
    ]
    return _document(statement for statement in statements if statement["Resource"])


def auditor_policy(stack: Stack, scope: Scope) -> Document:
    """Return the policy of those who compare the account with the declaration: what `drift`, `forecast` and gates read.

    A preview's gates look at jobs, so whoever may run one has to see them.
    """
    from quota_engine.live.permissions import iam_policy

    return iam_policy(replace(stack, account=scope.account, region=scope.region), with_jobs=True)


def trust_policy(principals: Iterable[str]) -> Document:
    """Return the trust policy of a role that these roles and users may assume."""
    statement = {
        "Sid": "LetThemAssumeIt",
        "Effect": "Allow",
        "Principal": {"AWS": sorted(principals)},
        "Action": "sts:AssumeRole",
    }
    return _document([statement])


def role_arn(scope: Scope, role: str) -> str:
    """Return the ARN of a role given by its name in this account, or by its ARN."""
    return role if role.startswith("arn:") else _iam_arn(scope, f"role/{role}")


_SEE_EVERYTHING = [
    "batch:DescribeJobQueues",
    "batch:DescribeSchedulingPolicies",
    "batch:DescribeServiceEnvironments",
    "batch:DescribeServiceJob",
    "batch:ListSchedulingPolicies",
    "batch:ListServiceJobs",
]
"""Actions that take no resource. UG: Supported resource-level permissions."""

_CLOUD_CONTROL = [
    "cloudformation:CancelResourceRequest",
    "cloudformation:CreateResource",
    "cloudformation:DeleteResource",
    "cloudformation:GetResource",
    "cloudformation:GetResourceRequestStatus",
    "cloudformation:ListResourceRequests",
    "cloudformation:ListResources",
    "cloudformation:UpdateResource",
]
"""Cloud Control's actions; what they do to Batch is still decided by the batch: actions of the caller."""


def _reads(queue_arn: str) -> list[Statement]:
    """Allow a team to look at its queue, at what the shares there lend, and at jobs."""
    return [
        _allow("LookIntoTheQueue", ["batch:GetJobQueueSnapshot", "batch:ListQuotaShares"], [queue_arn]),
        _allow("SeeItsShares", ["batch:DescribeQuotaShare"], [f"{queue_arn}/quota-share/*"]),
        _allow("SeeJobs", _SEE_EVERYTHING, ["*"]),
    ]


def _cap(max_priority: int | None, *, is_optional: bool) -> Condition:
    """Cap the priority. A submission may leave it out, and is then of the lowest; IAM has no value to compare."""
    if max_priority is None:
        return {}
    operator = "NumericLessThanEqualsIfExists" if is_optional else "NumericLessThanEquals"
    return {operator: {"batch:SchedulingPriority": str(max_priority)}}


def _tags(operator: str, key: str, tags: Mapping[str, str]) -> Condition:
    return {operator: {f"{key}/{name}": value for name, value in sorted(tags.items())}} if tags else {}


def _tagging(tags: Mapping[str, str]) -> Condition:
    """Let a team tag a job it submits, but never make another team's job its own: that one has its tags already."""
    return _tags("StringEquals", "aws:RequestTag", tags) | _tags("StringEqualsIfExists", "aws:ResourceTag", tags)


def _actions(verbs: str, noun: str) -> list[str]:
    return sorted(f"batch:{verb}{noun}" for verb in verbs.split())


def _allow(sid: str, actions: Sequence[str], resources: Sequence[str], condition: Condition | None = None) -> Statement:
    statement: Statement = {"Sid": sid, "Effect": "Allow", "Action": list(actions), "Resource": list(resources)}
    return {**statement, "Condition": condition} if condition else statement


def _document(statements: Iterable[Statement]) -> Document:
    return {"Version": _VERSION, "Statement": list(statements)}


def _iam_arn(scope: Scope, resource: str) -> str:
    return f"arn:{partition_of(scope.region)}:iam::{scope.account}:{resource}"
