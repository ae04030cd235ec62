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
    """One kind of drift. `meaning` is one or two sentences for `quota-engine rule`."""

    rule: str
    name: str
    severity: Severity
    meaning: str


MISSING = Kind(
    "QE601",
    "missing-resource",
    Severity.ERROR,
    "Declared, but not in the account: never deployed, or deleted outside. `pulumi up --refresh` creates it again.",
)
UNMANAGED = Kind(
    "QE602",
    "unmanaged-share",
    Severity.ERROR,
    "A share that nobody declared lives in a declared queue. It lends, borrows and takes room, so what the declared "
    "shares may borrow is not what was predicted. Pulumi does not know it and leaves it; declare or delete it.",
)
CAPACITY = Kind(
    "QE603",
    "changed-capacity",
    Severity.ERROR,
    "A capacity limit of an environment or a share differs, for the named instance type.",
)
SHARING = Kind(
    "QE604",
    "changed-resource-sharing",
    Severity.ERROR,
    "A share's strategy or borrow limit differs. A declared limit that went back to the service's default is drift; "
    "an absent limit equals -1 (unlimited) for LEND_AND_BORROW.",
)
PREEMPTION = Kind(
    "QE605", "changed-preemption", Severity.ERROR, "A share's in-share preemption is switched the other way."
)
STATE = Kind(
    "QE606",
    "changed-state",
    Severity.ERROR,
    "A resource is ENABLED where DISABLED is declared, or the other way round. No declared state means ENABLED.",
)
WIRING = Kind(
    "QE607",
    "changed-wiring",
    Severity.ERROR,
    "A queue runs on another service environment or under another scheduling policy.",
)
TIME_LIMIT = Kind(
    "QE608",
    "changed-time-limit",
    Severity.WARNING,
    "What a queue does with a job stuck at the head of its share differs; compared per reason, whatever the order.",
)
PRIORITY = Kind(
    "QE609",
    "changed-priority",
    Severity.NOTE,
    "A queue's priority differs. It orders queues that share an environment, which quota-managed queues never do.",
)
TAG = Kind("QE610", "changed-tag", Severity.NOTE, "A tag differs. Tags that begin with aws: are not compared.")
REPLACED = Kind(
    "QE611",
    "changed-create-only-field",
    Severity.ERROR,
    "A field that can only be set on creation differs, so the resource would be replaced: deleted, then created. "
    "Deleting a share or a queue ends its jobs.",
)
INVALID = Kind(
    "QE612", "invalid-resource", Severity.ERROR, "The service says INVALID: the resource exists but can't do its work."
)
DELETING = Kind("QE613", "resource-being-deleted", Severity.ERROR, "A declared resource is being deleted.")
IN_TRANSITION = Kind(
    "QE614",
    "resource-in-transition",
    Severity.WARNING,
    "The resource is being created or updated; what was compared may still change. Not drift by itself.",
)
UNREADABLE = Kind(
    "QE615",
    "unreadable-resource",
    Severity.ERROR,
    "A call failed, so nothing can be said about the resource: neither that it is in sync nor that it is missing.",
)

UNDECLARED = Kind(
    "QE616",
    "undeclared-resource",
    Severity.WARNING,
    "A queue of SageMaker Training jobs, a service environment or a quota-share policy that nobody declared lives in "
    "the account. Looked for on request only.",
)

KINDS: Mapping[str, Kind] = {
    kind.rule: kind
    for kind in (
        MISSING, UNMANAGED, CAPACITY, SHARING, PREEMPTION, STATE, WIRING, TIME_LIMIT, PRIORITY, TAG, REPLACED, INVALID,
        DELETING, IN_TRANSITION, UNREADABLE, UNDECLARED,
    )
}  # fmt: skip
"""Rule id → kind, in the order of the ids."""
