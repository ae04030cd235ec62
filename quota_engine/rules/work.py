"""Rules about the work of a scenario: jobs that can never run, and settings that its jobs never use.

What a scenario refers to is checked where it is read; these judge a scenario that could be run.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model.diagnostic import Severity
from ..model.stack import State
from ..model.work import Job, Scenario, UpdatePriority
from .names import label
from .registry import Fault, rule


@rule(
    "QE520",
    "in-share-preemption-without-priorities",
    Severity.NOTE,
    scopes=("scenario",),
    source="AWS Batch User Guide, Preemption",
)
def in_share_preemption_without_priorities(scenario: Scenario) -> Iterator[Fault]:
    """What it checks
      The jobs of a share with in-share preemption differ in priority, in a scenario that has several.

    Why it is wrong
      A job preempts only jobs of lower priority in its share: with one priority it never happens.

    Example
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 1}
        - {name: b, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 1}

    Use instead
      jobs:
        - {name: a, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 1}
        - {name: b, share: QS1, instances: {ml.g5.xlarge: 1}, priority: 2}
    """
    changed = {event.job for event in scenario.events if isinstance(event, UpdatePriority)}
    by_share: dict[str, list[Job]] = {}
    for job in scenario.jobs:
        by_share.setdefault(job.share, []).append(job)
    for share in scenario.stack.job_queues[scenario.queue].quota_shares.values():
        jobs = by_share.get(share.name, [])
        varied = len({job.priority for job in jobs}) > 1 or any(job.name in changed for job in jobs)
        if share.in_share_preemption is State.ENABLED and len(jobs) > 1 and not varied:
            what = (
                f"{label(share)} has in-share preemption, and all its {len(jobs)} jobs have priority {jobs[0].priority}"
            )
            yield ("jobs",), what, "only a higher priority preempts", "nothing, if that is meant"
