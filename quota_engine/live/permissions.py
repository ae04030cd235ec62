"""The IAM policy that looking at an account needs: exactly the operations `observe` calls, nothing that writes.

Source of which actions take a resource: Service Authorization Reference, AWS Batch.
"""

from __future__ import annotations

from typing import Any

from ..model.arns import Scope
from ..model.stack import Stack, former_queues


def iam_policy(
    stack: Stack, *, whole_account: bool = False, with_tags: bool = True, with_jobs: bool = False
) -> dict[str, Any]:
    """Return the policy document for one declaration, bound to its account where that is declared.

    With `whole_account` it covers everything of quota management there, declared or not; with `with_jobs` also the
    jobs of its queues; without `with_tags` not the tags of shares.
    """
    scope = Scope(stack.account or "*", stack.region)
    queues = ["*"] if whole_account else sorted(stack.job_queues)
    statements: list[dict[str, Any]] = [
        {
            "Sid": "ReadQueuesEnvironmentsAndPolicies",
            "Effect": "Allow",
            "Action": [
                "batch:DescribeJobQueues",
                "batch:DescribeSchedulingPolicies",
                "batch:DescribeServiceEnvironments",
                *(["batch:DescribeServiceJob", "batch:ListServiceJobs"] if with_jobs else []),
                *(["batch:ListSchedulingPolicies"] if whole_account else []),
            ],
            "Resource": "*",
        }
    ]
    if queues:
        statements += [
            {
                "Sid": "ListQuotaShares",
                "Effect": "Allow",
                "Action": ["batch:ListQuotaShares"],
                "Resource": [scope.job_queue(queue) for queue in queues],
            },
        ]
    if queues and with_tags:
        statements += [
            {
                "Sid": "ReadQuotaSharesAndTheirTags",
                "Effect": "Allow",
                "Action": ["batch:DescribeQuotaShare"],
                "Resource": [scope.quota_share(queue, "*") for queue in queues],
            },
        ]
    if queues and with_jobs:
        statements.append(
            {
                "Sid": "ReadQueueSnapshots",
                "Effect": "Allow",
                "Action": ["batch:GetJobQueueSnapshot"],
                "Resource": [scope.job_queue(queue) for queue in (*queues, *former_queues(stack))],
            }
        )
    return {"Version": "2012-10-17", "Statement": statements}


def history_policy(*, with_details: bool = False) -> dict[str, Any]:
    """Return the policy document for reading job history; these actions can't be bound to a queue."""
    actions = [*(["batch:DescribeServiceJob"] if with_details else []), "batch:ListServiceJobs"]
    statement = {"Sid": "ReadServiceJobs", "Effect": "Allow", "Action": actions, "Resource": "*"}
    return {"Version": "2012-10-17", "Statement": [statement]}
