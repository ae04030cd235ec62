"""The role that SageMaker runs training jobs as: who may take it, and the little it may do.

Source: SageMaker AI Developer Guide, Execution role permissions for CreateTrainingJob; Cross-service confused deputy
prevention.
"""

from __future__ import annotations

from typing import Any

from quota_engine.model.arns import Scope, partition_of
from quota_engine.model.around import TrainingRole

from .access import SAGEMAKER, Document

_LOG_GROUP = "/aws/sagemaker/TrainingJobs"
_NAMESPACES = ["/aws/sagemaker/*", "aws/sagemaker/*"]


def training_trust_policy(scope: Scope) -> Document:
    """Return the trust policy: SageMaker takes the role, on behalf of this account only."""
    statement = {
        "Sid": "LetSageMakerTrain",
        "Effect": "Allow",
        "Principal": {"Service": SAGEMAKER},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"aws:SourceAccount": scope.account}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def training_policy(role: TrainingRole, scope: Scope) -> Document:
    """Return what a job may do: the named buckets, its own logs and metrics, images of this or other accounts."""
    logs = scope.arn(f"log-group:{_LOG_GROUP}", "logs")
    statements: list[dict[str, Any]] = [
        *_buckets(role, partition_of(scope.region)),
        {
            "Sid": "WriteItsLogs",
            "Effect": "Allow",
            "Action": ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
            "Resource": [logs, f"{logs}:*"],
        },
        {
            "Sid": "WriteItsMetrics",
            "Effect": "Allow",
            "Action": ["cloudwatch:PutMetricData"],
            "Resource": ["*"],
            "Condition": {"StringLike": {"cloudwatch:namespace": _NAMESPACES}},
        },
        {"Sid": "SignInToRegistries", "Effect": "Allow", "Action": ["ecr:GetAuthorizationToken"], "Resource": ["*"]},
        {
            "Sid": "PullImages",
            "Effect": "Allow",
            "Action": ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            "Resource": [f"arn:{partition_of(scope.region)}:ecr:*:*:repository/*"],
        },
    ]
    return {"Version": "2012-10-17", "Statement": statements}


def _buckets(role: TrainingRole, partition: str) -> list[dict[str, Any]]:
    """Allow reading from all named buckets and writing to those that are not read-only; deleting from none."""
    written = [f"arn:{partition}:s3:::{bucket}" for bucket in sorted(set(role.buckets))]
    named = [f"arn:{partition}:s3:::{bucket}" for bucket in sorted({*role.buckets, *role.read_only_buckets})]
    rights = (
        ("ListBuckets", ["s3:GetBucketLocation", "s3:ListBucket"], named),
        ("ReadObjects", ["s3:GetObject"], [f"{bucket}/*" for bucket in named]),
        ("WriteObjects", ["s3:AbortMultipartUpload", "s3:PutObject"], [f"{bucket}/*" for bucket in written]),
    )
    return [
        {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
        for sid, actions, resources in rights
        if resources
    ]
