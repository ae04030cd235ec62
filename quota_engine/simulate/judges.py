"""Judges of what happens to jobs, one per kind of expectation, and what all judges share.

A judge listens to the events that it needs and says in the end what was seen. It keeps what it needs of unfinished
jobs, and the first thing that speaks against its expectation.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Final

from ..model.durations import format_duration
from ..scheduler.trace import (
    Blocked,
    Failed,
    PreemptionStarted,
    Submitted,
    Succeeded,
    TraceEvent,
)
from .metrics import Measures
from .outcome import Run
from .replay import Replay, ReplayedJob

Arguments = Mapping[str, Any]


class Judgement(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


Found = tuple[Judgement, str, int | None]
"""(judgement, what was seen, when)."""


class Judge:
    """What all judges share: the arguments, and which jobs they speak of.

    A workload's jobs are those named <workload>-<digits>.
    """

    listens: ClassVar[tuple[type, ...]] = (Submitted,)

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.chosen = 0
        workload = arguments.get("workload")
        self._pattern = re.compile(f"{re.escape(workload)}-[0-9]+") if workload is not None else None

    def speaks_of(self, job: str, share: str) -> bool:
        wanted_job, wanted_share = self.arguments.get("job"), self.arguments.get("share")
        return (
            wanted_job in (None, job)
            and wanted_share in (None, share)
            and (self._pattern is None or self._pattern.fullmatch(job) is not None)
        )

    @abstractmethod
    def take(self, event: Any) -> None:
        """Take in an event of a kind that it listens to."""

    def verdict(self, run: Run, measures: Measures) -> Found:
        """Return what was seen; about nothing, undecided."""
        return self.found(run, measures) if self.chosen else self.nothing()

    @abstractmethod
    def found(self, run: Run, measures: Measures) -> Found:
        """Return what was seen, where there was something to see."""

    def nothing(self) -> Found:
        named = ", ".join(
            f"{name} {value}" for name, value in self.arguments.items() if name in ("job", "share", "workload")
        )
        return Judgement.UNDECIDED, f"no job was ever submitted{f' ({named})' if named else ''}", None

    @property
    def only(self) -> str:
        """The job that is named, or the only one of the share or workload."""
        return str(self.arguments.get("job", "its only job"))

    @property
    def subject(self) -> str:
        """The job that is named, or the jobs of the share or workload."""
        job = self.arguments.get("job")
        if job is not None:
            return str(job)
        kind = "share" if "share" in self.arguments else "workload"
        return f"no job of {kind} {self.arguments.get(kind)}"


def counted_jobs(jobs: int) -> str:
    return f"{jobs} job{'' if jobs == 1 else 's'}"


class _StateAt(Judge):
    """Follows the named jobs up to the time."""

    listens = tuple(TraceEvent.__args__)

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self.at_ms: int = arguments["at_ms"]
        self.wanted = {
            str(job): name.upper() for name, jobs in arguments.items() if isinstance(jobs, list | tuple) for job in jobs
        }
        self.replay = Replay()

    def take(self, event: Any) -> None:
        if event.at_ms <= self.at_ms and getattr(event, "job", None) in self.wanted:
            self.replay.apply(event)

    def verdict(self, run: Run, measures: Measures) -> Found:
        unknown = [f"{job} was not submitted by then" for job in self.wanted if job not in self.replay.jobs]
        if unknown:
            return Judgement.UNDECIDED, "; ".join(unknown), self.at_ms
        wrong = [_state(known) for job, known in self._known() if known.status.value != self.wanted[job]]
        if wrong:
            return Judgement.FAILS, "; ".join(wrong), self.at_ms
        return Judgement.HOLDS, f"so it was at {format_duration(self.at_ms)}", self.at_ms

    def _known(self) -> list[tuple[str, ReplayedJob]]:
        return [(job, self.replay.jobs[job]) for job in self.wanted]


def _state(known: ReplayedJob) -> str:
    return f"{known.job} was {known.status}{' (' + known.blocked + ')' if known.blocked else ''}"


class _Preempted(Judge):
    listens = (Submitted, PreemptionStarted)
    SHOWN_MAX = 5

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self.count = 0
        self.first: list[PreemptionStarted] = []
        self.match: PreemptionStarted | None = None

    def take(self, event: Any) -> None:
        if not self.speaks_of(event.job, event.share):
            return
        if isinstance(event, Submitted):
            self.chosen += 1
            return
        self.count += 1
        if len(self.first) < self.SHOWN_MAX:
            self.first.append(event)
        kind, by = self.arguments.get("kind"), self.arguments.get("by")
        if self.match is None and kind in (None, event.kind.value) and by in (None, event.by):
            self.match = event

    def found(self, run: Run, measures: Measures) -> Found:
        if self.match is not None:
            return Judgement.HOLDS, _preemption(self.match), self.match.at_ms
        if not self.count:
            verb = "was never" if "job" in self.arguments else "was ever"
            return Judgement.FAILS, f"{self.subject} {verb} preempted", None
        more = [f"and {self.count - len(self.first)} more"] if self.count > len(self.first) else []
        return Judgement.FAILS, "; ".join([*map(_preemption, self.first), *more]), self.first[0].at_ms


class _NeverPreempted(_Preempted):
    def found(self, run: Run, measures: Measures) -> Found:
        if self.count:
            more = f", and {self.count - 1} more" if self.count > 1 else ""
            return Judgement.FAILS, _preemption(self.first[0]) + more, self.first[0].at_ms
        seen = f"none of {counted_jobs(self.chosen)} was" if self.chosen > 1 else f"{self.only} was not"
        return Judgement.HOLDS, f"{seen} preempted", None


def _preemption(event: PreemptionStarted) -> str:
    return f"{event.job} was preempted ({event.kind.value}) by {event.by} at {format_duration(event.at_ms)}"


class _Finished(Judge):
    """Keeps the jobs that have not ended, and of those that ended wrongly the one that was submitted first."""

    listens = (Submitted, Succeeded, Failed)

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self.by_ms: int | None = arguments.get("by_ms")
        self.ranks: dict[str, int] = {}
        self.wrong: tuple[int, str, int] | None = None
        self.last_ms = 0

    def take(self, event: Any) -> None:
        if isinstance(event, Submitted):
            if self.speaks_of(event.job, event.share):
                self.ranks[event.job] = self.chosen
                self.chosen += 1
            return
        rank = self.ranks.pop(event.job, None)
        if rank is None:
            return
        self.last_ms = event.at_ms
        if isinstance(event, Failed):
            self._note(rank, f"{event.job} failed at {format_duration(event.at_ms)}: {event.reason}", event.at_ms)
        elif self.by_ms is not None and event.at_ms > self.by_ms:
            self._note(rank, f"{event.job} finished at {format_duration(event.at_ms)}", event.at_ms)

    def _note(self, rank: int, seen: str, at_ms: int) -> None:
        if self.wrong is None or rank < self.wrong[0]:
            self.wrong = (rank, seen, at_ms)

    def found(self, run: Run, measures: Measures) -> Found:
        left = next(iter(self.ranks.items()), None)
        if left is not None and (self.wrong is None or left[1] < self.wrong[0]):
            reason = next((one.reason for one in run.unfinished if one.job == left[0]), "was still there")
            return Judgement.FAILS, f"{left[0]} had not ended: it {reason}", run.end_ms
        if self.wrong is not None:
            return Judgement.FAILS, *self.wrong[1:]
        of_all = f"the last of {counted_jobs(self.chosen)}" if self.chosen > 1 else self.only
        last = f"{of_all} finished at {format_duration(self.last_ms)}"
        return Judgement.HOLDS, last, self.last_ms


class _NoBlockedJobs(Judge):
    listens = (Submitted, Blocked)

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self.first: Blocked | None = None

    def take(self, event: Any) -> None:
        if isinstance(event, Submitted):
            self.chosen += 1
        elif event.reason and self.first is None:
            self.first = event

    def found(self, run: Run, measures: Measures) -> Found:
        if self.first is not None:
            return Judgement.FAILS, _block(self.first), self.first.at_ms
        return Judgement.HOLDS, "no job was blocked", None


class _Blocked(Judge):
    listens = (Submitted, Blocked)

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self.seen: list[Blocked] = []

    def take(self, event: Any) -> None:
        if event.job != self.arguments.get("job"):
            return
        if isinstance(event, Submitted):
            self.chosen += 1
        elif event.reason:
            self.seen.append(event)

    def found(self, run: Run, measures: Measures) -> Found:
        reason = self.arguments.get("reason")
        for event in self.seen:
            if reason is None or event.reason.startswith(reason):
                return Judgement.HOLDS, _block(event), event.at_ms
        if not self.seen:
            return Judgement.FAILS, f"{self.arguments.get('job')} was never blocked", None
        return Judgement.FAILS, "; ".join(map(_block, self.seen)), self.seen[0].at_ms


def _block(event: Blocked) -> str:
    return f"{event.job} was blocked at {format_duration(event.at_ms)}: {event.reason}"


JUDGES: Final[Mapping[str, Callable[[Arguments], Judge]]] = {
    "state_at": _StateAt,
    "preempted": _Preempted,
    "never_preempted": _NeverPreempted,
    "finished": _Finished,
    "no_blocked_jobs": _NoBlockedJobs,
    "blocked": _Blocked,
}
