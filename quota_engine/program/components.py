"""A declaration as Pulumi components: `QuotaManagedStack` makes its policies, environments and queues.

Logical names are the declaration's own, never positions in a list, so that reordering a file changes nothing. A share
is `<queue>.<share>`: an AWS name can't hold a dot, so no two differ only in where they are cut. Deletion goes shares,
queue, then policy and environment, because each uses the ARN of the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws_native import batch

from quota_engine.model.logical_names import STACK_TYPE
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack

from .queue import QuotaManagedQueue
from .share import QuotaShareArgs, options


class QuotaManagedStack(pulumi.ComponentResource):
    """Everything one declaration states. Outputs: ARNs by AWS name, shares by queue and name."""

    scheduling_policies: dict[str, batch.SchedulingPolicy]
    service_environments: dict[str, batch.ServiceEnvironment]
    job_queues: dict[str, QuotaManagedQueue]

    def __init__(self, name: str, stack: Stack, opts: pulumi.ResourceOptions | None = None) -> None:
        """Make what `stack` declares; it must have no error of the rules."""
        super().__init__(STACK_TYPE, name, None, opts)
        self.scheduling_policies = {
            policy.name: _scheduling_policy(policy, self) for policy in stack.scheduling_policies.values()
        }
        self.service_environments = {
            environment.name: _service_environment(environment, self)
            for environment in stack.service_environments.values()
        }
        self.job_queues = {queue.name: self._job_queue(queue) for queue in stack.job_queues.values()}
        self.outputs: Mapping[str, Any] = {
            "scheduling_policies": {name: policy.arn for name, policy in self.scheduling_policies.items()},
            "service_environments": {
                name: environment.service_environment_arn for name, environment in self.service_environments.items()
            },
            "job_queues": {name: queue.job_queue_arn for name, queue in self.job_queues.items()},
            "quota_shares": {name: queue.quota_share_arns for name, queue in self.job_queues.items()},
        }
        self.register_outputs(dict(self.outputs))

    def _job_queue(self, queue: JobQueue) -> QuotaManagedQueue:
        """Make a queue on what was made for it. Raises RunError where it doesn't name one of each."""
        environment = self.service_environments.get(queue.service_environment or "")
        policy = self.scheduling_policies.get(queue.scheduling_policy or "")
        if environment is None or policy is None:
            raise pulumi.RunError(
                f"the job queue '{queue.name}' doesn't name one declared service environment and one policy"
            )
        return QuotaManagedQueue(
            queue.name,
            service_environment_arn=environment.service_environment_arn,
            scheduling_policy_arn=policy.arn,
            quota_shares={share.name: share_args(share) for share in queue.quota_shares.values()},
            priority=queue.priority,
            state=queue.state.value,
            time_limit_actions=queue.time_limit_actions,
            tags=queue.tags,
            protect=queue.protect,
            retain_on_delete=queue.retain_on_delete,
            renamed_from=queue.renamed_from,
            opts=pulumi.ResourceOptions(parent=self),
        )


def share_args(share: QuotaShare) -> QuotaShareArgs:
    """Return a declared share as the arguments of its component."""
    return QuotaShareArgs(
        capacity_limits=share.capacity_limits,
        strategy=share.strategy.value,
        borrow_limit=share.borrow_limit_percent,
        in_share_preemption=share.in_share_preemption.value,
        state=share.state.value,
        tags=share.tags,
        renamed_from=share.renamed_from,
        protect=share.protect,
        retain_on_delete=share.retain_on_delete,
    )


def _scheduling_policy(policy: SchedulingPolicy, parent: pulumi.Resource) -> batch.SchedulingPolicy:
    return batch.SchedulingPolicy(
        policy.name,
        name=policy.name,
        quota_share_policy=batch.SchedulingPolicyQuotaSharePolicyArgs(
            idle_resource_assignment_strategy=(
                batch.SchedulingPolicyQuotaSharePolicyIdleResourceAssignmentStrategy(policy.idle_resource_assignment)
            )
        ),
        tags=dict(policy.tags) or None,
        opts=options(parent, policy.protect, policy.retain_on_delete),
    )


def _service_environment(environment: ServiceEnvironment, parent: pulumi.Resource) -> batch.ServiceEnvironment:
    return batch.ServiceEnvironment(
        environment.name,
        service_environment_name=environment.name,
        service_environment_type=environment.type,
        capacity_limits=[
            batch.ServiceEnvironmentCapacityLimitArgs(capacity_unit=unit, max_capacity=count)
            for unit, count in environment.capacity_limits.items()
        ],
        state=environment.state.value,
        tags=dict(environment.tags) or None,
        opts=options(parent, environment.protect, environment.retain_on_delete),
    )
