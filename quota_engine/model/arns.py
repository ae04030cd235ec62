"""ARNs of the Batch resources: built from and taken apart into names, in every partition.

Source: Service Authorization Reference, AWS Batch; CloudFormation AWS::Batch::QuotaShare (pattern).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ARN = re.compile(
    r"arn:(?P<partition>aws[a-z-]*):(?P<service>[a-z0-9-]+):(?P<region>[a-z0-9-]*):(?P<account>[0-9]{12}|):(?P<rest>.+)"
)

_PARTITIONS = (
    ("cn-", "aws-cn"),
    ("us-gov-", "aws-us-gov"),
    ("us-iso-", "aws-iso"),
    ("us-isob-", "aws-iso-b"),
    ("eu-isoe-", "aws-iso-e"),
    ("us-isof-", "aws-iso-f"),
    ("eusc-", "aws-eusc"),
)


def partition_of(region: str) -> str:
    """Return the partition a region belongs to, `aws` for the public ones."""
    return next((partition for prefix, partition in _PARTITIONS if region.startswith(prefix)), "aws")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a name is unique in, and what an ARN begins with: an account and a region."""

    account: str
    region: str

    def arn(self, resource: str, service: str = "batch") -> str:
        return f"arn:{partition_of(self.region)}:{service}:{self.region}:{self.account}:{resource}"

    def service_environment(self, name: str) -> str:
        return self.arn(f"service-environment/{name}")

    def scheduling_policy(self, name: str) -> str:
        return self.arn(f"scheduling-policy/{name}")

    def job_queue(self, name: str) -> str:
        return self.arn(f"job-queue/{name}")

    def quota_share(self, queue: str, name: str) -> str:
        return self.arn(f"job-queue/{queue}/quota-share/{name}")

    def service_job(self, job_id: str) -> str:
        return self.arn(f"service-job/{job_id}")


@dataclass(frozen=True, slots=True)
class BatchArn:
    """A Batch ARN taken apart: `kind` is job-queue, quota-share, …; a share's `queue` is set, else None."""

    scope: Scope
    kind: str
    name: str
    queue: str | None = None


def parse_arn(text: str) -> BatchArn | None:
    """Take a Batch ARN apart; None when `text` is not one."""
    match = _ARN.fullmatch(text)
    if match is None or match["service"] != "batch":
        return None
    scope = Scope(match["account"], match["region"])
    parts = match["rest"].split("/")
    if len(parts) == 2:
        return BatchArn(scope, parts[0], parts[1])
    if len(parts) == 4 and parts[0] == "job-queue" and parts[2] == "quota-share":
        return BatchArn(scope, "quota-share", parts[3], queue=parts[1])
    return None


def name_of(name_or_arn: str) -> str:
    """Return the plain name of what the API calls "name or ARN"; a share's ARN gives the share's name."""
    arn = parse_arn(name_or_arn)
    return arn.name if arn else name_or_arn
