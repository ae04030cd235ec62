"""A job queue with its quota shares, as a Pulumi component: `QuotaManagedQueue`, usable from any Pulumi program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_aws_native import batch

from quota_engine.model.logical_names import QUEUE_TYPE, share_resource_name
from quota_engine.model.service_facts import DEFAULT_QUEUE_PRIORITY
from quota_engine.model.stack import SAGEMAKER_TRAINING, TimeLimitAction

from .share import QuotaShareArgs, options, quota_share


class QuotaManagedQueue(pulumi.ComponentResource):
    """A queue of SageMaker Training jobs with its quota shares, on an environment and a policy that exist already.

    Outputs: `job_queue_arn`, `quota_share_arns` {share: ARN}. Deletion goes shares first, as each depends on the queue.

        environment = batch.ServiceEnvironment("gpu", service_environment_type="SAGEMAKER_TRAINING", …)
        policy = batch.SchedulingPolicy("fifo", quota_share_policy=…)
        QuotaManagedQueue(
            "training",
            service_environment_arn=environment.service_environment_arn,
            scheduling_policy_arn=policy.arn,
            quota_shares={"research": QuotaShareArgs({"ml.g5.xlarge": 2}, "LEND_AND_BORROW", borrow_limit=50)},
        )
    """

    queue: batch.JobQueue
    quota_shares: dict[str, batch.QuotaShare]
    job_queue_arn: pulumi.Output[str]
    quota_share_arns: dict[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        *,
        service_environment_arn: pulumi.Input[str],
        scheduling_policy_arn: pulumi.Input[str],
        quota_shares: Mapping[str, QuotaShareArgs],
        priority: pulumi.Input[int] = DEFAULT_QUEUE_PRIORITY,
        state: pulumi.Input[str] = "ENABLED",
        time_limit_actions: Sequence[TimeLimitAction] = (),
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        protect: bool = False,
        retain_on_delete: bool = False,
        renamed_from: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Make the queue `name` with `quota_shares` by name.

        `renamed_from` is the queue's former name: the engine then deletes the former queue, with its jobs, before it
        makes this one. Otherwise it makes this one first, and the service refuses a second queue on one environment.
        `protect` and `retain_on_delete` are the queue's own; each share has its own.
        """
        own = pulumi.ResourceOptions()
        if renamed_from:
            own.aliases = [pulumi.Alias(name=renamed_from)]
        super().__init__(QUEUE_TYPE, name, None, pulumi.ResourceOptions.merge(opts, own))
        text: Any = state  # The SDK wants its own enum, of which only the value reaches the engine.
        self.queue = batch.JobQueue(
            name,
            job_queue_name=name,
            job_queue_type=SAGEMAKER_TRAINING,
            priority=priority,
            state=text,
            service_environment_order=[
                batch.JobQueueServiceEnvironmentOrderArgs(order=1, service_environment=service_environment_arn)
            ],
            scheduling_policy_arn=scheduling_policy_arn,
            job_state_time_limit_actions=[_time_limit_action(action) for action in time_limit_actions] or None,
            tags=dict(tags) if tags else None,
            opts=options(self, protect, retain_on_delete),
        )
        self.job_queue_arn = self.queue.job_queue_arn
        self.quota_shares = {
            share: quota_share(
                share_resource_name(name, share),
                args,
                share_name=share,
                job_queue_arn=self.job_queue_arn,
                parent=self,
                former_names=_former_names(name, share, args.renamed_from, renamed_from),
            )
            for share, args in quota_shares.items()
        }
        self.quota_share_arns = {share: made.quota_share_arn for share, made in self.quota_shares.items()}
        self.register_outputs({"job_queue_arn": self.job_queue_arn, "quota_share_arns": self.quota_share_arns})


def _former_names(queue: str, share: str, former_share: str | None, former_queue: str | None) -> list[str]:
    """Return the logical names a renamed share had, in this queue and in the queue's former self.

    What a renamed queue alone changes, the engine finds by itself: a child's name begins with its parent's.
    """
    if former_share is None:
        return []
    return [share_resource_name(one, former_share) for one in (queue, former_queue) if one is not None]


def _time_limit_action(action: TimeLimitAction) -> batch.JobQueueJobStateTimeLimitActionArgs:
    return batch.JobQueueJobStateTimeLimitActionArgs(
        action=batch.JobQueueJobStateTimeLimitActionAction(action.action),
        max_time_seconds=action.max_time_seconds,
        reason=action.reason,
        state=batch.JobQueueJobStateTimeLimitActionState(action.state),
    )
