"""A scenario's expectations against its run: each holds, fails, or is undecided when it speaks of nothing that was.

Undecided counts as failed. What was seen is read from the trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ..model.durations import format_duration
from ..model.work import Expectation
from ..scheduler.trace import Blocked, Failed, PreemptionStarted, Submitted, Succeeded
from .outcome import Run
from .replay import replay


class Judgement(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one expectation. `seen` says what was the case, with its time; `expected` what was asked for."""

    expectation: Expectation
    judgement: Judgement
    expected: str
    seen: str
    at_ms: int | None = None

    @property
    def holds(self) -> bool:
        return self.judgement is Judgement.HOLDS


_Found = tuple[Judgement, str, int | None]


def judge(run: Run, expectations: Sequence[Expectation] | None = None) -> list[Verdict]:
    """Return one verdict per expectation, in their order; the scenario's own expectations by default."""
    return [_judge(run, item) for item in (run.scenario.expectations if expectations is None else expectations)]


def _judge(run: Run, item: Expectation) -> Verdict:
    judgement, seen, at_ms = _JUDGES[item.kind](run, item.arguments)
    return Verdict(item, judgement, describe(item), seen, at_ms)


def describe(item: Expectation) -> str:
    """Return an expectation as a sentence of the scenario's words."""
    if item.kind == "state_at":
        states = [
            f"{', '.join(map(str, jobs))} {name.upper()}"
            for name, jobs in item.arguments.items()
            if isinstance(jobs, list | tuple)
        ]
        return f"at {format_duration(_number(item.arguments, 'at_ms') or 0)}: {'; '.join(states)}"
    words = [item.kind.replace("_", " ")]
    for name, value in item.arguments.items():
        if name.endswith("_ms") and isinstance(value, int):
            words.append(f"{name.removesuffix('_ms')} {format_duration(value)}")
        else:
            words.append(f"{name} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}")
    return " ".join(words)


def _text(arguments: Mapping[str, object], name: str) -> str | None:
    value = arguments.get(name)
    return None if value is None else str(value)


def _number(arguments: Mapping[str, object], name: str) -> int | None:
    value = arguments.get(name)
    return value if isinstance(value, int) else None


def _selected(run: Run, arguments: Mapping[str, object]) -> dict[str, str]:
    """Return {job: share} of the submitted jobs that an expectation speaks of.

    A workload's jobs are those named <workload>-<digits>.
    """
    job, share, workload = (_text(arguments, name) for name in ("job", "share", "workload"))
    pattern = re.compile(f"{re.escape(workload)}-[0-9]+") if workload is not None else None
    return {
        event.job: event.share
        for event in run.trace
        if isinstance(event, Submitted)
        and job in (None, event.job)
        and share in (None, event.share)
        and (pattern is None or pattern.fullmatch(event.job))
    }


def _nothing(arguments: Mapping[str, object]) -> _Found:
    named = ", ".join(f"{name} {value}" for name, value in arguments.items() if name in ("job", "share", "workload"))
    return Judgement.UNDECIDED, f"no job was ever submitted{f' ({named})' if named else ''}", None


def _state_at(run: Run, arguments: Mapping[str, object]) -> _Found:
    at_ms = _number(arguments, "at_ms") or 0
    jobs = replay(run.trace, at_ms).jobs
    wrong, unknown = [], []
    for name, wanted in arguments.items():
        if name == "at_ms" or not isinstance(wanted, list | tuple):
            continue
        for job in wanted:
            known = jobs.get(str(job))
            if known is None:
                unknown.append(f"{job} was not submitted by then")
            elif known.status.value != name.upper():
                wrong.append(f"{job} was {known.status}{' (' + known.blocked + ')' if known.blocked else ''}")
    if unknown:
        return Judgement.UNDECIDED, "; ".join(unknown), at_ms
    if wrong:
        return Judgement.FAILS, "; ".join(wrong), at_ms
    return Judgement.HOLDS, f"so it was at {format_duration(at_ms)}", at_ms


def _preempted(run: Run, arguments: Mapping[str, object]) -> _Found:
    chosen = _selected(run, {"job": arguments.get("job")})
    if not chosen:
        return _nothing(arguments)
    kind, by = _text(arguments, "kind"), _text(arguments, "by")
    seen = [event for event in run.trace if isinstance(event, PreemptionStarted) and event.job in chosen]
    for event in seen:
        if kind in (None, event.kind.value) and by in (None, event.by):
            return Judgement.HOLDS, _preemption(event), event.at_ms
    if not seen:
        return Judgement.FAILS, f"{arguments.get('job')} was never preempted", None
    return Judgement.FAILS, "; ".join(_preemption(event) for event in seen), seen[0].at_ms


def _preemption(event: PreemptionStarted) -> str:
    return f"{event.job} was preempted ({event.kind.value}) by {event.by} at {format_duration(event.at_ms)}"


def _never_preempted(run: Run, arguments: Mapping[str, object]) -> _Found:
    chosen = _selected(run, arguments)
    if not chosen:
        return _nothing(arguments)
    seen = [event for event in run.trace if isinstance(event, PreemptionStarted) and event.job in chosen]
    if seen:
        more = f", and {len(seen) - 1} more" if len(seen) > 1 else ""
        return Judgement.FAILS, _preemption(seen[0]) + more, seen[0].at_ms
    return Judgement.HOLDS, f"none of {len(chosen)} jobs was preempted", None


def _finished(run: Run, arguments: Mapping[str, object]) -> _Found:
    chosen = _selected(run, arguments)
    if not chosen:
        return _nothing(arguments)
    by_ms = _number(arguments, "by_ms")
    ends = {event.job: event for event in run.trace if isinstance(event, Succeeded | Failed) and event.job in chosen}
    reasons = {left.job: left.reason for left in run.unfinished}
    for job in chosen:
        end = ends.get(job)
        if end is None:
            return Judgement.FAILS, f"{job} had not ended: it {reasons.get(job, 'was still there')}", run.end_ms
        if isinstance(end, Failed):
            return Judgement.FAILS, f"{job} failed at {format_duration(end.at_ms)}: {end.reason}", end.at_ms
        if by_ms is not None and end.at_ms > by_ms:
            return Judgement.FAILS, f"{job} finished at {format_duration(end.at_ms)}", end.at_ms
    last_ms = max(end.at_ms for end in ends.values())
    return Judgement.HOLDS, f"the last of {len(chosen)} finished at {format_duration(last_ms)}", last_ms


def _no_blocked_jobs(run: Run, arguments: Mapping[str, object]) -> _Found:
    if not any(isinstance(event, Submitted) for event in run.trace):
        return _nothing(arguments)
    for event in run.trace:
        if isinstance(event, Blocked) and event.reason:
            return Judgement.FAILS, _block(event), event.at_ms
    return Judgement.HOLDS, "no job was blocked", None


def _block(event: Blocked) -> str:
    return f"{event.job} was blocked at {format_duration(event.at_ms)}: {event.reason}"


def _blocked(run: Run, arguments: Mapping[str, object]) -> _Found:
    chosen = _selected(run, {"job": arguments.get("job")})
    if not chosen:
        return _nothing(arguments)
    reason = _text(arguments, "reason")
    seen = [event for event in run.trace if isinstance(event, Blocked) and event.reason and event.job in chosen]
    for event in seen:
        if reason is None or event.reason.startswith(reason):
            return Judgement.HOLDS, _block(event), event.at_ms
    if not seen:
        return Judgement.FAILS, f"{arguments.get('job')} was never blocked", None
    return Judgement.FAILS, "; ".join(_block(event) for event in seen), seen[0].at_ms


_JUDGES: Final[Mapping[str, Callable[[Run, Mapping[str, object]], _Found]]] = {
    "state_at": _state_at,
    "preempted": _preempted,
    "never_preempted": _never_preempted,
    "finished": _finished,
    "no_blocked_jobs": _no_blocked_jobs,
    "blocked": _blocked,
}
"""One judge per kind of expectation."""
