"""What a declaration states around its queues, on the queues that were deployed: the caller of access, training, watch.

All of it is pulumi-aws; nothing of it is made where the declaration states none of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pulumi
import pulumi_aws as aws

from quota_engine.model.arns import Scope
from quota_engine.model.around import Access, Grantees, role_name
from quota_engine.model.stack import Stack

from .access import ShareAccess, StaffAccess
from .components import QuotaManagedStack
from .documents.access import Document, administrator_policy, auditor_policy
from .training import SageMakerTrainingRole
from .watching import QueueWatch

Arns = dict[str, pulumi.Output[str]]


class AroundQueues(pulumi.ComponentResource):
    """Access, training role, notifications, alarms and dashboard of one declaration.

    `outputs` {section: ARNs by name} holds only what is declared.
    """

    def __init__(self, stack: Stack, deployed: QuotaManagedStack, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("quota-engine:around:AroundQueues", f"{stack.name}-around", None, opts)
        self._stack, self._deployed = stack, deployed
        self._child = pulumi.ResourceOptions(parent=self)
        self._account: pulumi.Input[str] = (
            stack.account or aws.get_caller_identity_output(opts=pulumi.InvokeOptions(parent=self)).account_id
        )
        self.outputs: dict[str, object] = {}
        role = self._training_role()
        granted = {name: self._grant_share(access, role) for name, access in stack.around.access.items()}
        if granted:
            self.outputs["access"] = granted
        self._grant_staff(
            "administrators", stack.around.administrators, administrator_policy, "Change what is declared"
        )
        self._grant_staff("auditors", stack.around.auditors, auditor_policy, "Compare the account with the declaration")
        self._watch()
        self.register_outputs(self.outputs)

    def _training_role(self) -> pulumi.Output[str] | None:
        role = self._stack.around.training_role
        if role is None:
            return None
        made = SageMakerTrainingRole(
            "training-role",
            role_name=role.name,
            account=self._account,
            region=self._stack.region,
            buckets=role.buckets,
            read_only_buckets=role.read_only_buckets,
            tags=self._stack.around.tags,
            opts=self._child,
        )
        self.outputs["training_role"] = made.role_arn
        return made.role_arn

    def _grant_share(self, access: Access, declared_role: pulumi.Output[str] | None) -> Arns:
        queue = self._deployed.job_queues[access.queue]
        default = [declared_role] if declared_role is not None else []
        made = ShareAccess(
            f"access-{access.name}",
            policy_name=role_name(self._stack.name, access.policy),
            queue_arn=queue.job_queue_arn,
            share_arn=queue.quota_shares[access.share].quota_share_arn,
            max_priority=access.max_priority,
            training_roles=access.training_roles or default,
            job_tags=access.job_tags,
            may_terminate=access.may_terminate,
            principals=access.grantees.principals,
            assumed_by=access.grantees.assumed_by,
            tags=self._stack.around.tags,
            opts=self._child,
        )
        return _arns(made)

    def _grant_staff(
        self, name: str, grantees: Grantees | None, document: Callable[[Stack, Scope], Document], purpose: str
    ) -> None:
        if grantees is None:
            return
        stack = self._stack
        text = pulumi.Output.from_input(self._account).apply(
            lambda account: json.dumps(document(stack, Scope(account, stack.region)))
        )
        made = StaffAccess(
            name,
            policy_name=role_name(stack.name, name),
            document=text,
            description=f"{purpose} ({stack.name}).",
            principals=grantees.principals,
            assumed_by=grantees.assumed_by,
            tags=stack.around.tags,
            opts=self._child,
        )
        self.outputs[name] = _arns(made)

    def _watch(self) -> None:
        around = self._stack.around
        if not (around.notifications or around.alarms or around.dashboard):
            return
        made = QueueWatch(
            self._stack.name,
            queue_arns={name: queue.job_queue_arn for name, queue in self._deployed.job_queues.items()},
            account=self._account,
            region=self._stack.region,
            notifications=tuple(around.notifications.values()),
            alarms=around.alarms,
            has_dashboard=around.dashboard,
            tags=around.tags,
            opts=self._child,
        )
        self.outputs["topics"] = made.topics


def _arns(made: ShareAccess | StaffAccess) -> Arns:
    """Return the ARNs of what was made: its policy, and its role if it has one."""
    return {"policy": made.policy_arn, **({"role": made.role_arn} if made.role_arn is not None else {})}
