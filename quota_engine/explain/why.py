"""The explanation of one job, put together: its status, the reasons, what would change it, and its history."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..scheduler.restore import Situation
from ..scheduler.status import DISPATCHED
from ..scheduler.trace import TraceEvent
from . import running, waiting
from .history import When, told
from .result import Explanation
from .trial import Names, attempt

_NUMBER = re.compile(r"A-[0-9]{2}")


def explain(
    situation: Situation,
    job: str,
    *,
    names: Names | None = None,
    trace: Sequence[TraceEvent] = (),
    when: When = str,
    doubts: Sequence[str] = (),
) -> Explanation:
    """Explain an unfinished job of the situation; raises KeyError where it has none of that id.

    `names` are {job id: name}, `when` writes a time of the trace.
    """
    shown: Names = names or {}
    stands = {one.job.name: one for one in situation.jobs}
    one = stands[job]
    outcome = attempt(situation)
    record = outcome.state.jobs[job]
    uncertain = list(doubts)
    if one.status in DISPATCHED:
        why = running.reasons(outcome.state, record)
        would = running.woulds(situation, job, shown)
        if not would:
            why.append("no job that could be submitted now would end it, of another share or its own (tried)")
        headline = "runs on borrowed capacity" if running.is_on_borrowed(outcome.state, record) else "runs"
        headline += " within its share's own limit" if headline == "runs" else ""
        if outcome.is_preempted(job):
            uncertain.append("the model would preempt it now; the service has not")
    elif outcome.starts(job):
        headline, would, why = "waits, though it could start", [], []
        uncertain.append("the model would start it now; the service has not yet")
    else:
        headline, would = "waits", waiting.woulds(situation, job, shown)
        why = waiting.reasons(outcome.state, record, shown)
    history = told(trace, job, shown, when)
    return Explanation(
        job=job,
        name=shown.get(job, job),
        share=one.job.share,
        status=one.status.value,
        headline=headline,
        why=tuple(why),
        woulds=tuple(would),
        history=tuple(history),
        assumptions=_assumptions([*why, *history]),
        doubts=tuple(uncertain),
    )


def _assumptions(sentences: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted({number for sentence in sentences for number in _NUMBER.findall(sentence)}))
