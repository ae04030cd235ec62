"""A quota share for a job queue that exists: its arguments, and `QuotaManagedShare`, the component for other programs.

`QuotaManagedQueue` declares its shares by the same function, as its own children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws_native import batch

SHARE_TYPE = "quota-engine:batch:QuotaManagedShare"


@dataclass(frozen=True, slots=True)
class QuotaShareArgs:
    """What a share is. Words and values are those of the declaration, `borrow_limit` in percent of each own limit.

    An unstated borrow limit is not sent, so that it stays the service's; 0 is stated and is sent. `renamed_from` is the
    share's former name in the same queue. `protect` and `retain_on_delete` are Pulumi's.
    """

    capacity_limits: Mapping[str, pulumi.Input[int]]
    strategy: pulumi.Input[str]
    borrow_limit: pulumi.Input[int] | None = None
    in_share_preemption: pulumi.Input[str] = "DISABLED"
    state: pulumi.Input[str] = "ENABLED"
    tags: Mapping[str, pulumi.Input[str]] | None = None
    renamed_from: str | None = None
    protect: bool = False
    retain_on_delete: bool = False


class QuotaManagedShare(pulumi.ComponentResource):
    """One quota share of a queue that is made elsewhere. Outputs: `quota_share_arn`, `quota_share_name`.

    A share's name and queue can't be changed in place: with another one the share is deleted, which ends its jobs, and
    created anew.
    """

    resource: batch.QuotaShare
    quota_share_arn: pulumi.Output[str]
    quota_share_name: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: QuotaShareArgs,
        *,
        job_queue_arn: pulumi.Input[str],
        quota_share_name: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Make the share `quota_share_name` (default: `name`) in the queue with this ARN.

        `args.renamed_from` is not needed here: keep `name`, and give another `quota_share_name`.
        """
        super().__init__(SHARE_TYPE, name, None, opts)
        self.resource = quota_share(
            name, args, share_name=quota_share_name or name, job_queue_arn=job_queue_arn, parent=self
        )
        self.quota_share_arn = self.resource.quota_share_arn
        self.quota_share_name = self.resource.quota_share_name
        self.register_outputs({"quota_share_arn": self.quota_share_arn, "quota_share_name": self.quota_share_name})


def quota_share(
    name: str,
    args: QuotaShareArgs,
    *,
    share_name: str,
    job_queue_arn: pulumi.Input[str],
    parent: pulumi.Resource,
    former_names: Sequence[str] = (),
) -> batch.QuotaShare:
    """Declare a share under `parent`; `former_names` are its logical names of before.

    It gets its queue's ARN: a name would show as a replacement after the first refresh.
    """
    return batch.QuotaShare(
        name,
        quota_share_name=share_name,
        job_queue=job_queue_arn,
        capacity_limits=[
            batch.QuotaShareCapacityLimitArgs(capacity_unit=unit, max_capacity=count)
            for unit, count in args.capacity_limits.items()
        ],
        resource_sharing_configuration=batch.QuotaShareResourceSharingConfigurationArgs(
            strategy=args.strategy,
            borrow_limit=args.borrow_limit,
        ),
        preemption_configuration=batch.QuotaSharePreemptionConfigurationArgs(
            in_share_preemption=args.in_share_preemption,
        ),
        state=args.state,
        tags=dict(args.tags) if args.tags else None,
        opts=options(parent, args.protect, args.retain_on_delete, former_names),
    )


def options(
    parent: pulumi.Resource, protect: bool, retain_on_delete: bool, former_names: Sequence[str] = ()
) -> pulumi.ResourceOptions:
    """Return what all resources have in common. Names are create-only and unique, so a replacement deletes first."""
    return pulumi.ResourceOptions(
        parent=parent,
        delete_before_replace=True,
        protect=protect,
        retain_on_delete=retain_on_delete,
        aliases=[pulumi.Alias(name=former) for former in former_names] or None,
    )
