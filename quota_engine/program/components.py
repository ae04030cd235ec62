"""The resources of a declaration as Pulumi components: `QuotaManagedStack` holds `QuotaManagedQueue`s and their shares.

Logical names are the declaration's own, never positions in a list, so that reordering a file changes nothing. A share
is `<queue>.<share>`: an AWS name can't hold a dot, so no two differ only in where they are cut. Deletion goes shares,
queue, then policy and environment, because each depends on the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_aws_native import batch

from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    TimeLimitAction,
)

Declared = SchedulingPolicy | ServiceEnvironment | JobQueue | QuotaShare


class QuotaManagedStack(pulumi.ComponentResource):
    """Everything one declaration states. Outputs: ARNs by AWS name, shares by queue and name."""

    def __init__(self, name: str, stack: Stack, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("quota-engine:batch:QuotaManagedStack", name, None, opts)
        self.scheduling_policies = {
            policy.name: _scheduling_policy(policy, self) for policy in stack.scheduling_policies.values()
        }
        self.service_environments = {
            environment.name: _service_environment(environment, self)
            for environment in stack.service_environments.values()
        }
        self.job_queues = {
            queue.name: QuotaManagedQueue(
                queue.name,
                queue,
                environments=[self.service_environments[used] for used in queue.service_environments],
                policy=self.scheduling_policies[queue.scheduling_policy] if queue.scheduling_policy else None,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for queue in stack.job_queues.values()
        }
        self.outputs: Mapping[str, Any] = {
            "scheduling_policies": {name: policy.arn for name, policy in self.scheduling_policies.items()},
            "service_environments": {
                name: environment.service_environment_arn for name, environment in self.service_environments.items()
            },
            "job_queues": {name: queue.queue.job_queue_arn for name, queue in self.job_queues.items()},
            "quota_shares": {
                name: {share: resource.quota_share_arn for share, resource in queue.quota_shares.items()}
                for name, queue in self.job_queues.items()
            },
        }
        self.register_outputs(dict(self.outputs))


class QuotaManagedQueue(pulumi.ComponentResource):
    """One job queue with its quota shares, on environments and a policy that exist already."""

    def __init__(
        self,
        name: str,
        queue: JobQueue,
        environments: Sequence[batch.ServiceEnvironment],
        policy: batch.SchedulingPolicy | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("quota-engine:batch:QuotaManagedQueue", name, None, opts)
        self.queue = _job_queue(queue, environments, policy, self)
        self.quota_shares = {share.name: _quota_share(share, queue, self) for share in queue.quota_shares.values()}
        self.register_outputs({"job_queue_arn": self.queue.job_queue_arn})


def share_resource_name(queue: str, share: str) -> str:
    """Return the logical name of a share: its queue's name, a dot, its own."""
    return f"{queue}.{share}"


def _scheduling_policy(policy: SchedulingPolicy, parent: pulumi.Resource) -> batch.SchedulingPolicy:
    return batch.SchedulingPolicy(
        policy.name,
        name=policy.name,
        quota_share_policy=batch.SchedulingPolicyQuotaSharePolicyArgs(
            idle_resource_assignment_strategy=(
                batch.SchedulingPolicyQuotaSharePolicyIdleResourceAssignmentStrategy(policy.idle_resource_assignment)
            )
        ),
        tags=_tags(policy),
        opts=_options(policy, parent),
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
        tags=_tags(environment),
        opts=_options(environment, parent),
    )


def _job_queue(
    queue: JobQueue,
    environments: Sequence[batch.ServiceEnvironment],
    policy: batch.SchedulingPolicy | None,
    parent: pulumi.Resource,
) -> batch.JobQueue:
    actions = [_time_limit_action(action) for action in queue.time_limit_actions]
    return batch.JobQueue(
        queue.name,
        job_queue_name=queue.name,
        job_queue_type=queue.type,
        priority=queue.priority,
        state=batch.JobQueueState(queue.state.value),
        service_environment_order=[
            batch.JobQueueServiceEnvironmentOrderArgs(
                order=position, service_environment=environment.service_environment_arn
            )
            for position, environment in enumerate(environments, start=1)
        ],
        scheduling_policy_arn=policy.arn if policy else None,
        job_state_time_limit_actions=actions or None,
        tags=_tags(queue),
        opts=_options(queue, parent, depends_on=[*environments, *([policy] if policy else [])]),
    )


def _time_limit_action(action: TimeLimitAction) -> batch.JobQueueJobStateTimeLimitActionArgs:
    return batch.JobQueueJobStateTimeLimitActionArgs(
        action=batch.JobQueueJobStateTimeLimitActionAction(action.action),
        max_time_seconds=action.max_time_seconds,
        reason=action.reason,
        state=batch.JobQueueJobStateTimeLimitActionState(action.state),
    )


def _quota_share(share: QuotaShare, queue: JobQueue, parent: QuotaManagedQueue) -> batch.QuotaShare:
    """Declare a share. It gets its queue's ARN: a name would show as a replacement after the first refresh.

    An unstated borrow limit is not sent, so that it stays the service's; 0 is stated and is sent.
    """
    aliases = [pulumi.Alias(name=share_resource_name(queue.name, share.renamed_from))] if share.renamed_from else None
    return batch.QuotaShare(
        share_resource_name(queue.name, share.name),
        quota_share_name=share.name,
        job_queue=parent.queue.job_queue_arn,
        capacity_limits=[
            batch.QuotaShareCapacityLimitArgs(capacity_unit=unit, max_capacity=count)
            for unit, count in share.capacity_limits.items()
        ],
        resource_sharing_configuration=batch.QuotaShareResourceSharingConfigurationArgs(
            strategy=batch.QuotaShareResourceSharingConfigurationStrategy(share.strategy.value),
            borrow_limit=share.borrow_limit_percent,
        ),
        preemption_configuration=batch.QuotaSharePreemptionConfigurationArgs(
            in_share_preemption=batch.QuotaSharePreemptionConfigurationInSharePreemption(
                share.in_share_preemption.value
            )
        ),
        state=batch.QuotaShareState(share.state.value),
        tags=_tags(share),
        opts=_options(share, parent, depends_on=[parent.queue], aliases=aliases),
    )


def _tags(declared: Declared) -> dict[str, str] | None:
    """Return the tags, None for none: the official provider can't take tags away by an empty map."""
    return dict(declared.tags) or None


def _options(declared: Declared, parent: pulumi.Resource, **more: Any) -> pulumi.ResourceOptions:
    """Return what all four have in common. Names are create-only and unique, so a replacement deletes first."""
    return pulumi.ResourceOptions(
        parent=parent,
        delete_before_replace=True,
        protect=declared.protect,
        retain_on_delete=declared.retain_on_delete,
        **more,
    )
