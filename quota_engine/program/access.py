"""Who may do what, as Pulumi components: `ShareAccess` for a team and its share, `StaffAccess` for everyone else.

A component makes one managed policy, attaches it to the roles, users and groups named, and on request makes a role of
its own that others may assume. What the policies say stands in `documents.access`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import pulumi
from pulumi_aws import iam

from quota_engine.model.arns import Scope, parse_arn

from .documents.access import Document, role_arn, submit_policy, trust_policy

Grants = Callable[[str], Document]


class StaffAccess(pulumi.ComponentResource):
    """A managed policy with a fixed document, for `principals` and for those who may assume its role.

    Outputs: `policy_arn`; `role_arn`, None where nobody is named in `assumed_by`.
    """

    policy_arn: pulumi.Output[str]
    role_arn: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        *,
        policy_name: str,
        document: pulumi.Input[str],
        description: str,
        principals: Sequence[str] = (),
        assumed_by: Sequence[str] = (),
        tags: Mapping[str, str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Make the policy `policy_name` of `document` (JSON). `principals` and `assumed_by` are ARNs of IAM."""
        super().__init__("quota-engine:iam:StaffAccess", name, None, opts)
        made = _grant(self, name, policy_name, document, description, principals, assumed_by, tags)
        self.policy_arn, self.role_arn = made
        self.register_outputs({"policy_arn": self.policy_arn, "role_arn": self.role_arn})


class ShareAccess(pulumi.ComponentResource):
    """The right to submit jobs to one quota share, and to no other.

    Outputs: `policy_arn`; `role_arn`, None where nobody is named in `assumed_by`.
    """

    policy_arn: pulumi.Output[str]
    role_arn: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        *,
        policy_name: str,
        queue_arn: pulumi.Input[str],
        share_arn: pulumi.Input[str],
        max_priority: int | None = None,
        training_roles: Sequence[pulumi.Input[str]] = (),
        job_tags: Mapping[str, str] | None = None,
        may_terminate: bool = False,
        principals: Sequence[str] = (),
        assumed_by: Sequence[str] = (),
        tags: Mapping[str, str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Make the policy `policy_name`; account and region are those of the queue's ARN.

        `training_roles` are ARNs, or names of roles of that account. See `documents.access.submit_policy` for the rest.
        """
        super().__init__("quota-engine:iam:ShareAccess", name, None, opts)

        def document(known: tuple[str, str, list[str]]) -> str:
            queue, share, roles = known
            scope = _scope(queue)
            arns = [role_arn(scope, role) for role in roles]
            return json.dumps(
                submit_policy(
                    queue,
                    share,
                    scope,
                    max_priority=max_priority,
                    training_roles=arns,
                    job_tags=job_tags,
                    may_terminate=may_terminate,
                )
            )

        roles = pulumi.Output.all(*training_roles) if training_roles else pulumi.Output.from_input([])
        text = pulumi.Output.all(queue_arn, share_arn, roles).apply(
            lambda known: document((known[0], known[1], known[2]))
        )
        made = _grant(
            self, name, policy_name, text, f"Submit jobs to one quota share ({name}).", principals, assumed_by, tags
        )
        self.policy_arn, self.role_arn = made
        self.register_outputs({"policy_arn": self.policy_arn, "role_arn": self.role_arn})


def _scope(queue_arn: str) -> Scope:
    arn = parse_arn(queue_arn)
    if arn is None:
        raise pulumi.RunError(f"'{queue_arn}' is not the ARN of a job queue")
    return arn.scope


def _grant(
    parent: pulumi.Resource,
    name: str,
    policy_name: str,
    document: pulumi.Input[str],
    description: str,
    principals: Sequence[str],
    assumed_by: Sequence[str],
    tags: Mapping[str, str] | None,
) -> tuple[pulumi.Output[str], pulumi.Output[str] | None]:
    """Make policy, attachments and role under `parent`; return the ARNs of policy and role."""
    opts = pulumi.ResourceOptions(parent=parent)
    named = dict(tags or {}) or None
    policy = iam.Policy(name, name=policy_name, policy=document, description=description, tags=named, opts=opts)
    for principal in principals:
        _attach(f"{name}/{_tail(principal)}", principal, policy.arn, opts)
    if not assumed_by:
        return policy.arn, None
    trust = json.dumps(trust_policy(assumed_by))
    role = iam.Role(name, name=policy_name, assume_role_policy=trust, description=description, tags=named, opts=opts)
    iam.RolePolicyAttachment(f"{name}/own", role=role.name, policy_arn=policy.arn, opts=opts)
    return policy.arn, role.arn


def _attach(name: str, principal: str, policy_arn: pulumi.Output[str], opts: pulumi.ResourceOptions) -> None:
    """Attach the policy to a role, user or group, given by ARN. Other policies they have stay as they are."""
    kind, _, path = _tail(principal).partition("/")
    who = path.rsplit("/", 1)[-1]
    match kind:
        case "role":
            iam.RolePolicyAttachment(name, role=who, policy_arn=policy_arn, opts=opts)
        case "user":
            iam.UserPolicyAttachment(name, user=who, policy_arn=policy_arn, opts=opts)
        case "group":
            iam.GroupPolicyAttachment(name, group=who, policy_arn=policy_arn, opts=opts)
        case _:
            raise pulumi.RunError(f"'{principal}' is not the ARN of an IAM role, user or group")


def _tail(principal: str) -> str:
    """Return what an ARN of IAM ends in: role/path/name."""
    return principal.split(":", 5)[-1]
