"""The role that training jobs run as, as a Pulumi component. What it may do stands in `documents.training`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import pulumi
from pulumi_aws import iam

from quota_engine.model.arns import Scope
from quota_engine.model.around import TrainingRole

from .documents.access import Document
from .documents.training import training_policy, training_trust_policy


class SageMakerTrainingRole(pulumi.ComponentResource):
    """A SageMaker execution role with the least that training needs. Output: `role_arn`."""

    role_arn: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        role_name: str,
        account: pulumi.Input[str],
        region: str,
        buckets: Sequence[str] = (),
        read_only_buckets: Sequence[str] = (),
        tags: Mapping[str, str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Make the role `role_name`, for jobs in one account and region; buckets are given by name."""
        super().__init__("quota-engine:iam:SageMakerTrainingRole", name, None, opts)
        declared = TrainingRole(role_name, tuple(buckets), tuple(read_only_buckets))
        child = pulumi.ResourceOptions(parent=self)
        role = iam.Role(
            name,
            name=role_name,
            assume_role_policy=_for_account(account, region, training_trust_policy),
            description="SageMaker runs the training jobs of quota-managed queues as this role.",
            tags=dict(tags or {}) or None,
            opts=child,
        )
        iam.RolePolicy(
            name,
            name="training",
            role=role.name,
            policy=_for_account(account, region, lambda scope: training_policy(declared, scope)),
            opts=child,
        )
        self.role_arn = role.arn
        self.register_outputs({"role_arn": self.role_arn})


def _for_account(account: pulumi.Input[str], region: str, document: Callable[[Scope], Document]) -> pulumi.Output[str]:
    return pulumi.Output.from_input(account).apply(lambda known: json.dumps(document(Scope(known, region))))
