"""Every point that AWS Batch leaves open and the model decides, with its number, what else could be, status and source.

A table of facts for reports and docs; the scheduler itself reads only `Assumptions`. A number that a trace records is
one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class PointStatus(StrEnum):
    """How well a point is founded: stated by the service, following from what it states, or chosen by us."""

    DOCUMENTED = "documented"
    INFERRED = "inferred"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Point:
    """One open point: what the model does (`statement`), what else could be (`alternatives`), and why.

    `switch` names the assumption that changes it, `timing.stopping` or a job's own field; None where there is none.
    """

    number: str
    title: str
    statement: str
    alternatives: str
    status: PointStatus
    source: str
    switch: str | None = None


_A = PointStatus.ASSUMED
_I = PointStatus.INFERRED

POINTS: Final[tuple[Point, ...]] = (
    Point(
        "A-01",
        "rounding of a borrow limit",
        "cap * borrow limit / 100 is rounded down to whole instances",
        "round, ceiling",
        _I,
        "counts are whole, so this equals the exact comparison (SM: QuotaShareResourceSharingConfiguration)",
    ),
    Point(
        "A-03",
        "borrowing a unit that the share doesn't list",
        "not possible: a percentage of nothing is nothing",
        "possible when the borrow limit is -1",
        _I,
        "the limit is defined per configured unit (SM: QuotaShareResourceSharingConfiguration)",
        "borrow_unlisted_units",
    ),
    Point(
        "A-04",
        "job that needs own and borrowed capacity while its own part is lent out",
        "waits; only a job that fits its share's own limit reclaims",
        "reclaims its own part; of two such jobs the earlier keeps its room",
        _I,
        "reclaiming is documented for jobs arriving in a lender (UG: Preemption)",
        "straddle_reclaims",
    ),
    Point(
        "A-05",
        "whose capacity was borrowed",
        "nobody's in particular: the pool is fungible",
        "a ledger per lender and borrower",
        _A,
        "no document tracks pairs; fewer preemptions",
    ),
    Point(
        "A-06",
        "environment capacity above the sum of the shares",
        "can't be borrowed, but spares victims while there is room",
        "can be borrowed",
        _I,
        "the documented example counts shares only (UG: Jobs stuck in RUNNABLE due to misconfiguration)",
        "unallocated_borrowable",
    ),
    Point(
        "A-07",
        "order of the shares in a scheduling pass",
        "the share whose head was submitted first, then order of creation, then name",
        "order of creation, by name, round robin (the share least recently served first)",
        _A,
        "agrees with FIFO (SM: QuotaSharePolicy)",
        "share_order",
    ),
    Point(
        "A-08",
        "sum of the shares above the environment",
        "allowed; the environment is a hard wall and only jobs above a share's limit are victims",
        "refused by the API",
        _I,
        "lowering an environment makes the state reachable (UG: Update a service environment)",
    ),
    Point(
        "A-09",
        "idle capacity of a DISABLED share",
        "is lent as before",
        "is kept from others",
        _I,
        "disabling is documented as stopping submissions only (SM: CreateQuotaShareRequest)",
        "disabled_shares_lend",
    ),
    Point(
        "A-10",
        "smaller job behind a head that can't go",
        "waits",
        "may go into room that is free now, preempting nobody",
        _I,
        "the guide speaks of blocking and advancing (UG: Jobs stuck in a RUNNABLE status)",
        "backfill",
    ),
    Point(
        "A-11",
        "choice of victims",
        "lowest priority first, then latest start; added until there is room, then the needless dropped",
        "any order of priority, youngest, oldest, largest, smallest, most_borrowed",
        _A,
        "an unpublished heuristic weighs instances borrowed, priority and duration (UG: Preemption)",
        "victim_order",
    ),
    Point(
        "A-12",
        "jobs above a lowered limit",
        "run on until another job needs the room",
        "are preempted at once down to the most their share may use",
        _I,
        "they become eligible (UG: Quota shares)",
        "eager_limit_enforcement",
    ),
    Point(
        "A-14",
        "place of a requeued job",
        "where its submission put it",
        "behind the jobs that were waiting when it came back",
        _A,
        "createdAt doesn't change",
        "requeue_position",
    ),
    Point(
        "A-15",
        "length of a preemption",
        "timing.stopping; meanwhile the preemptor holds a claim on the room",
        "any duration",
        _I,
        "a published sample shows 20 s (UG: Service job preemption events)",
        "timing.stopping",
    ),
    Point(
        "A-16",
        "borrow limit or strategy tightened while borrowing",
        "running jobs stay; those above their share's own limit are victims on need",
        "victims at once",
        _I,
        "documents mention lowered capacity limits only (UG: Quota shares)",
    ),
    Point(
        "A-17",
        "which blocked reason wins when several hold",
        "the environment's, then the share's in the guide's order",
        "the share's first",
        _A,
        "order of the page (UG: Jobs stuck in RUNNABLE due to misconfiguration)",
        "blocked_reason_order",
    ),
    Point(
        "A-20",
        "heads of the same age",
        "order of the shares' creation, then name",
        "none needed",
        _A,
        "determinism",
    ),
    Point(
        "A-21",
        "texts of in-share preemption and of used-up preemption retries",
        "our own, and the attempt's reason",
        "unknown",
        _A,
        "parallel to the published cross-share text (UG: Service job preemption events)",
    ),
    Point(
        "A-29",
        "borrower at the front that doesn't fit",
        "is skipped: a later, smaller borrower of another share may go",
        "holds up later borrowers",
        _A,
        "shares are separate virtual queues (UG: Quota management)",
        "borrow_fifo_strict",
    ),
    Point(
        "A-36",
        "from when an attempt's timeout counts",
        "from STARTING, when capacity has been acquired",
        "from SCHEDULED, from RUNNING",
        _A,
        "pending time is limited elsewhere",
        "timeout_from",
    ),
    Point(
        "A-37",
        "one head served by victims of both kinds",
        "never in one step",
        "combined",
        _A,
        "reclaiming and in-share preemption are described apart (UG: Preemption)",
    ),
    Point(
        "A-40",
        "time between SUBMITTED and RUNNABLE",
        "none",
        "any",
        _A,
        "no figure is published",
    ),
    Point(
        "A-41",
        "which jobs of a share above its limit are candidates",
        "all of its dispatched jobs",
        "those that borrowed when they were dispatched come first, whatever their priority",
        _A,
        "priority then protects the important job, as in the announcement's example",
        "borrow_attribution",
    ),
    Point(
        "A-43",
        "when a job sent back by a capacity error is placed again",
        "after capacity_backoff (60 s); meanwhile it stays the head of its share",
        "any duration",
        _A,
        "an instant retry would never end",
        "capacity_backoff",
    ),
    Point(
        "A-44",
        "work kept by a preempted or retried job",
        "none, unless the job states a checkpoint",
        "from the last checkpoint",
        _I,
        "Batch restarts the training job; checkpoints are the job's own affair",
        "a job's checkpoint",
    ),
)
"""Every open point that the model rests on, by number."""
