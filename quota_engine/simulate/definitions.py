"""What each measure is, in one place: the words of the documentation, which is generated from here.

`simulate/metrics.py` measures; a test holds these names to its fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Definition:
    """A measure: the field that holds it, its unit, and what it is."""

    field: str
    unit: str
    text: str


OF_SHARES: Final = (
    Definition("submitted", "jobs", "Jobs that the share took; those refused are listed apart."),
    Definition("succeeded", "jobs", "Jobs that ended well."),
    Definition("failed", "jobs", "Jobs that failed or were terminated."),
    Definition("unfinished", "jobs", "Jobs that had not ended when the run did; counted and listed, never dropped."),
    Definition(
        "wait",
        "time",
        "From submission to the first SCHEDULED, of jobs that started: mean, and percentiles by nearest rank (the "
        "smallest value that p % of the values don't exceed). Jobs that never started are counted beside it, with how "
        "long they had waited.",
    ),
    Definition("wait_after_preemption", "time", "From the end of a preempted attempt to the next SCHEDULED; apart."),
    Definition("cross_share_preemptions", "preemptions", "Its jobs preempted for another share's."),
    Definition("in_share_preemptions", "preemptions", "Its jobs preempted for others of its own."),
    Definition("caused_preemptions", "preemptions", "Other shares' jobs preempted for its own."),
    Definition(
        "lost_instance_ms",
        "instance-time",
        "Lost work: RUNNING time that was discarded (since the last checkpoint, if any) x instances.",
    ),
    Definition("used", "instances", "On which its jobs were dispatched, from SCHEDULED until they stopped."),
    Definition("nominal", "instances", "Its own limit."),
    Definition("borrowed", "instances", "In use above its own limit."),
    Definition(
        "lent",
        "instances",
        "Its own idle ones in others' use. The pool is fungible: what is borrowed is divided among the shares that "
        "lend, in proportion to what each has idle.",
    ),
    Definition("idle_instance_ms", "instance-time", "Left idle: of its own limit, neither used nor lent."),
    Definition("wanted", "instances", "Its own ones that it used or that its jobs waited for."),
    Definition("served", "0 to 1", "Its own instances that it used, of those that it wanted."),
)
"""Of each share. `used`, `nominal`, `borrowed`, `lent` and `wanted` are of each type: the most at once, and the
integral over time."""

OF_ALL: Final = (
    Definition("window_ms", "time", "From the start of the scenario to the last thing that happened, or to `until`."),
    Definition(
        "utilisation",
        "0 to 1",
        "Of each type: instance-time dispatched / (the environment's limit x window). More than 1 is possible where a "
        "limit was lowered: jobs run on, and that part is told apart.",
    ),
    Definition(
        "reserved",
        "instance-time",
        "Of each type: what RESERVE shares left idle while jobs of shares that may borrow waited, and what of it these "
        "jobs would have used.",
    ),
    Definition(
        "fairness",
        "0 to 1",
        "Jain's index of what the shares that wanted anything were served: (sum x)^2 / (n x sum x^2); 1 when all were "
        "served alike, 1/n when one of n got all (R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and "
        "Discrimination for Resource Allocation in Shared Computer Systems, DEC-TR-301, 1984).",
    ),
)
"""Of the whole queue."""
