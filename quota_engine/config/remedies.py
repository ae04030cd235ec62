"""What is meant where a key is missing, is of another format, or holds a value of a wrong type: why, and the fix."""

from __future__ import annotations

from typing import Final

WRONG_TYPES: Final = {
    "quota_shares": ("shares stand by their names", "write NAME: {capacity_limits: …} for each, without a hyphen"),
    "job_queues": ("queues stand by their names", "write NAME: {service_environment: …} for each, without a hyphen"),
    "service_environments": (
        "environments stand by their names",
        "write NAME: {capacity_limits: …} for each, without a hyphen",
    ),
    "scheduling_policies": ("policies stand by their names", "write NAME: {} for each, without a hyphen"),
    "capacity_limits": ("a limit is a type and a number", "write {TYPE: NUMBER}, e.g. {ml.g5.xlarge: 1}"),
    "instances": ("what a job needs is a type and a number", "write {TYPE: NUMBER}, e.g. {ml.g5.xlarge: 1}"),
    "tags": ("a tag is a key and a value", "write {KEY: VALUE}, e.g. {team: research}"),
    "service_environment": (
        "a quota-managed queue has exactly one service environment",
        "name one, e.g. service_environment: gpu",
    ),
}
"""Key → (why, fix) where a wrong type has a known cause."""

_FAIR_SHARE = (
    "this format declares quota-share policies only; fair-share policies have no quota shares, and a policy's kind "
    "can't be changed"
)
_FIXED_TYPE = "everything here is of type SAGEMAKER_TRAINING, the only one that quota management knows"

MISSING: Final = {
    "kind": "stack",
    "version": "1",
    "name": "ml-training-dev, or what it is called",
    "region": "us-west-2, or the code of yours",
    "capacity_limits": "{ml.g5.xlarge: 1}, with your types and numbers",
    "resource_sharing": "{strategy: RESERVE}, or LEND or LEND_AND_BORROW",
    "strategy": "RESERVE, LEND or LEND_AND_BORROW",
    "service_environment": "NAME, one that is declared",
    "scheduling_policy": "NAME, one that is declared",
    "reason": '"MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", or another of the reasons',
    "max_time": "1h",
    "stack": "FILE, relative to this one",
    "share": "NAME, one of the queue's",
    "instances": "{ml.g5.xlarge: 1}, with your types and numbers",
}
"""Key that must be there → what to write behind it."""

NOT_IN_THIS_FORMAT: Final = {
    "in_share_preemption": ("it stands in preemption", "write preemption: {in_share: ENABLED} instead"),
    "fairshare_policy": (_FAIR_SHARE, "remove it, and declare the fair-share policy elsewhere"),
    "fair_share_policy": (_FAIR_SHARE, "remove it, and declare the fair-share policy elsewhere"),
    "quota_share_policy": ("every policy here is a quota-share policy", "write idle_resource_assignment: FIFO instead"),
    "type": (_FIXED_TYPE, "remove it"),
    "job_queue_type": (_FIXED_TYPE, "remove it"),
    "service_environment_type": (_FIXED_TYPE, "remove it"),
    "capacity_limits": ("capacity limits are each share's own, never a default", "state them in each share"),
    "compute_environment_order": (
        "a quota-managed queue has a service environment, no compute environments",
        "remove it",
    ),
    "service_environment_order": (
        "a quota-managed queue has exactly one service environment",
        "write service_environment: NAME instead",
    ),
    "scheduling_policy_arn": (
        "policies are named, ARNs follow from the account",
        "write scheduling_policy: NAME instead",
    ),
}
"""Key that users of the API expect → (why it is not here, what to do)."""
