"""The kinds of drift: rule id, name, severity and what it means. Ids are stable for ever; names say what is wrong.

Severity says what a difference does to the jobs: an error changes what runs, is borrowed or is preempted; a warning
changes what happens to stuck jobs or can't be judged yet; a note changes nothing of the schedule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model.diagnostic import Severity


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of drift: its id, name and severity, and the sections of its page."""

    rule: str
    name: str
    severity: Severity
    what: str
    why: str
    example: str
    remedy: str
    source: str

    @property
    def page(self) -> str:
        """The kind's explanation, as a rule's: what, why, an example, the remedy, the source."""
        sections = {
            "What it checks": self.what,
            "Why it is wrong": self.why,
            "Example": self.example,
            "What to do": self.remedy,
            "Source": self.source,
        }
        return "\n\n".join(f"{heading}\n  {text}" for heading, text in sections.items()) + "\n"


MISSING = Kind(
    "QE601",
    "missing-resource",
    Severity.ERROR,
    "Whether each declared resource lives in the account.",
    "It was never deployed, or was deleted outside: jobs can't be submitted to it, and a share's limit is not"
    " there to be lent or borrowed.",
    "declared QS1 in queue training; the account's queue has QS2 only",
    "pulumi up --refresh creates it again",
    "ListQuotaShares, DescribeJobQueues, DescribeServiceEnvironments, DescribeSchedulingPolicies",
)
UNMANAGED = Kind(
    "QE602",
    "unmanaged-share",
    Severity.ERROR,
    "Whether a declared queue has shares that nobody declared.",
    "Such a share lends, borrows and takes room, so what the declared shares may borrow is not what was "
    "predicted. Pulumi does not know it and leaves it.",
    "queue training declares QS1 and QS2; the account's queue has QS3 too",
    "declare it, or delete it in the account",
    "AWS Batch User Guide, Quota shares",
)
CAPACITY = Kind(
    "QE603",
    "changed-capacity",
    Severity.ERROR,
    "Each capacity limit of an environment and of a share, type by type.",
    "What a share owns, lends and may borrow follows from it.",
    "declared capacity_limits: {ml.g5.xlarge: 2}; live 1",
    "pulumi up --refresh sets the declared limit",
    "CapacityLimit, QuotaShareCapacityLimit",
)
SHARING = Kind(
    "QE604",
    "changed-resource-sharing",
    Severity.ERROR,
    "A share's strategy and its borrow limit.",
    "It may borrow or lend more or less than declared. A declared limit that went back to the service's "
    "default is drift; an absent limit equals -1 (unlimited) for LEND_AND_BORROW.",
    "declared resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 50}; live 200",
    "pulumi up --refresh sets what is declared",
    "QuotaShareResourceSharingConfiguration",
)
PREEMPTION = Kind(
    "QE605",
    "changed-preemption",
    Severity.ERROR,
    "A share's in-share preemption.",
    "Switched the other way, a job of higher priority ends running ones of its share, or waits for them.",
    "declared preemption: {in_share: DISABLED}; live ENABLED",
    "pulumi up --refresh sets what is declared",
    "QuotaSharePreemptionConfiguration",
)
STATE = Kind(
    "QE606",
    "changed-state",
    Severity.ERROR,
    "Whether an environment, a queue or a share is ENABLED. No declared state means ENABLED.",
    "A DISABLED queue or share takes no jobs; a DISABLED environment starts none.",
    "no declared state; live DISABLED",
    "pulumi up --refresh enables it again, or declare state: DISABLED",
    "UpdateQuotaShare, UpdateJobQueue, UpdateServiceEnvironment",
)
WIRING = Kind(
    "QE607",
    "changed-wiring",
    Severity.ERROR,
    "The service environment and the scheduling policy of a queue.",
    "Its jobs run on other instances, or by another policy, than predicted.",
    "declared service_environment: gpu; live gpu-spare",
    "pulumi up --refresh sets what is declared",
    "UpdateJobQueue",
)
TIME_LIMIT = Kind(
    "QE608",
    "changed-time-limit",
    Severity.WARNING,
    "What a queue does with a job stuck at the head of its share, per reason, whatever the order.",
    "A job that can never run holds up its share for ever, or is ended earlier than declared.",
    "declared max_time: 1h for MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED; live 10m",
    "pulumi up --refresh sets what is declared",
    "JobStateTimeLimitAction",
)
PRIORITY = Kind(
    "QE609",
    "changed-priority",
    Severity.NOTE,
    "A queue's priority.",
    "It orders queues that share an environment, which quota-managed queues never do: nothing changes until one does.",
    "declared priority: 1; live 10",
    "pulumi up --refresh sets what is declared",
    "CreateJobQueue, priority",
)
TAG = Kind(
    "QE610",
    "changed-tag",
    Severity.NOTE,
    "The tags of each resource; those that begin with aws: are not compared.",
    "Costs are booked, and rights granted, by tags.",
    "declared tags: {team: research}; live {team: serving}",
    "pulumi up --refresh sets the declared tags",
    "ListTagsForResource",
)
REPLACED = Kind(
    "QE611",
    "changed-create-only-field",
    Severity.ERROR,
    "The fields that can only be set on creation.",
    "To make them as declared the resource is deleted and created again; deleting a share or a queue ends its jobs.",
    "a queue of the declared name that is not of type SAGEMAKER_TRAINING",
    "look at it first: pulumi up --refresh would replace it",
    "the service's create-only fields, AWS::Batch::JobQueue and AWS::Batch::QuotaShare",
)
INVALID = Kind(
    "QE612",
    "invalid-resource",
    Severity.ERROR,
    "Whether the service says INVALID.",
    "The resource exists but can't do its work.",
    "status INVALID, statusReason as the service gives it",
    "mend what the reason names, then pulumi up --refresh",
    "the status of DescribeQuotaShare, DescribeJobQueues and DescribeServiceEnvironments",
)
DELETING = Kind(
    "QE613",
    "resource-being-deleted",
    Severity.ERROR,
    "Whether a declared resource is being deleted.",
    "Its jobs end, and its name stays taken until the deletion is over.",
    "status DELETING",
    "wait (--wait), find out who deletes it, then pulumi up --refresh",
    "the status of the describe calls",
)
IN_TRANSITION = Kind(
    "QE614",
    "resource-in-transition",
    Severity.WARNING,
    "Whether a resource is being created or updated.",
    "What was compared may still change; not drift by itself.",
    "status UPDATING",
    "look again, or let --wait poll until it settles",
    "the status of the describe calls",
)
UNREADABLE = Kind(
    "QE615",
    "unreadable-resource",
    Severity.ERROR,
    "Whether every resource could be read.",
    "A call failed, so nothing can be said: neither that it is in sync nor that it is missing.",
    "AccessDeniedException from DescribeQuotaShare",
    "allow the call (--print-iam-policy), or try again",
    "exit code 2 of quota-engine drift",
)
UNDECLARED = Kind(
    "QE616",
    "undeclared-resource",
    Severity.WARNING,
    "With --all: queues of SageMaker Training jobs, service environments and quota-share policies that nobody"
    " declared.",
    "What nobody declared nobody reviews; an environment may be taken already.",
    "the account has queue old-training, the declaration does not",
    "declare it (quota-engine import --queue), or delete it",
    "DescribeJobQueues, DescribeServiceEnvironments, ListSchedulingPolicies",
)

KINDS: Mapping[str, Kind] = {
    kind.rule: kind
    for kind in (
        MISSING, UNMANAGED, CAPACITY, SHARING, PREEMPTION, STATE, WIRING, TIME_LIMIT, PRIORITY, TAG, REPLACED, INVALID,
        DELETING, IN_TRANSITION, UNREADABLE, UNDECLARED,
    )
}  # fmt: skip
"""Rule id → kind, in the order of the ids."""
