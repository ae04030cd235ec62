"""One judge per kind of expectation: it listens to the events that it needs and says in the end what was seen.

A judge keeps what it needs of unfinished jobs, and the first thing that speaks against its expectation.
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
    Dispatched,
    Failed,
    PreemptionStarted,
    Submitted,
    Succeeded,
    TraceEvent,
)
from .areas import Amounts
from .metrics import Measures, ShareMeasures, Waits
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
        seen = f"none of {_counted(self.chosen)} was" if self.chosen > 1 else f"{self.only} was not"
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
        of_all = f"the last of {_counted(self.chosen)}" if self.chosen > 1 else self.only
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


class _Wait(Judge):
    """Waits of a share are the measures'; those of a workload it gathers itself, in the same way.

    Jobs that never started count with the time that they had waited by the end: their wait is at least that.
    """

    listens = (Submitted, Dispatched, Failed)

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self.since: dict[str, int] = {}
        self.values: list[int] = []
        self.unstarted: list[int] = []
        self.longest: tuple[int, str, int] | None = None

    def take(self, event: Any) -> None:
        if isinstance(event, Submitted):
            if self.speaks_of(event.job, event.share):
                self.chosen += 1
                self.since[event.job] = event.at_ms
        elif (since_ms := self.since.pop(event.job, None)) is not None:
            waited_ms = event.at_ms - since_ms
            self._note(event.job, since_ms, waited_ms)
            if self._pattern is not None:
                (self.values if isinstance(event, Dispatched) else self.unstarted).append(waited_ms)

    def _note(self, job: str, since_ms: int, waited_ms: int) -> None:
        """Remember the job that waited longest, of several the first."""
        if self.longest is None or waited_ms > self.longest[0]:
            self.longest = (waited_ms, job, since_ms)

    def found(self, run: Run, measures: Measures) -> Found:
        waits = self._waits(run, measures)
        for job, since_ms in self.since.items():
            self._note(job, since_ms, run.end_ms - since_ms)
        shown = []
        judgement = Judgement.HOLDS
        for figure, bounds in self.arguments.items():
            if figure in _FIGURES:
                value_ms = _FIGURES[figure](waits.so_far()) or 0
                if not _within(value_ms, bounds.get("at_least_ms"), bounds.get("at_most_ms")):
                    judgement = Judgement.FAILS
                shown.append(f"{figure} {'at least ' if waits.unstarted else ''}{format_duration(value_ms)}")
        never = f", {waits.unstarted} of which never started" if waits.unstarted else ""
        longest, at_ms = self._longest()
        return judgement, f"{', '.join(shown)} of {_counted(self.chosen)}{never}{longest}", at_ms

    def _longest(self) -> tuple[str, int | None]:
        """Return which job waited longest, and since when; nothing where none waited."""
        if self.longest is None or not self.longest[0]:
            return "", None
        waited_ms, job, since_ms = self.longest
        return f"; longest {job}: {format_duration(waited_ms)} from {format_duration(since_ms)} on", since_ms

    def _waits(self, run: Run, measures: Measures) -> Waits:
        if self._pattern is None:
            return measures.shares[self.arguments["share"]].wait
        so_far = [*self.unstarted, *(run.end_ms - since_ms for since_ms in self.since.values())]
        return Waits(tuple(sorted(self.values)), len(so_far), tuple(sorted(so_far)))


def _counted(jobs: int) -> str:
    return f"{jobs} job{'' if jobs == 1 else 's'}"


_FIGURES: Final[Mapping[str, Callable[[Waits], int | None]]] = {
    "mean": lambda waits: waits.mean_ms,
    "p50": lambda waits: waits.percentile_ms(50),
    "p95": lambda waits: waits.percentile_ms(95),
    "max": lambda waits: waits.percentile_ms(100),
}


def _within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


class _Amount(Judge):
    """Most instances at once that a share borrowed or lent: of one type, or of the one of which it was most."""

    def take(self, event: Any) -> None:
        self.chosen += self.speaks_of(event.job, event.share)

    def amounts(self, share: ShareMeasures) -> Mapping[str, Amounts]:
        return share.borrowed

    def found(self, run: Run, measures: Measures) -> Found:
        share = measures.shares.get(self.arguments["share"])
        unit = self.arguments.get("instance_type")
        amounts = self.amounts(share) if share is not None else {}
        most = {name: one.most for name, one in amounts.items() if unit in (None, name)}
        if not most:
            return Judgement.UNDECIDED, f"the share neither has nor used any {unit or 'instance'}", None
        told = ", ".join(f"{count} {name}{_since(amounts[name])}" for name, count in most.items())
        unit = max(most, key=most.__getitem__)
        holds = _within(most[unit], self.arguments.get("at_least"), self.arguments.get("at_most"))
        at_ms = amounts[unit].most_at_ms if most[unit] else None
        return Judgement.HOLDS if holds else Judgement.FAILS, f"at most {told} at once", at_ms


def _since(amounts: Amounts) -> str:
    return f" (first at {format_duration(amounts.most_at_ms)})" if amounts.most else ""


class _Borrowed(_Amount):
    """Undecided where no job was ever submitted to the share: nobody could have borrowed."""


class _Lent(_Amount):
    """Undecided where no job was submitted at all: whoever lends needs no job of its own."""

    def speaks_of(self, job: str, share: str) -> bool:
        return True

    def amounts(self, share: ShareMeasures) -> Mapping[str, Amounts]:
        return share.lent


class _Utilised(Judge):
    def take(self, event: Any) -> None:
        self.chosen += 1

    def found(self, run: Run, measures: Measures) -> Found:
        unit = self.arguments["instance_type"]
        use = measures.utilisation.get(unit)
        if use is None or use.ratio is None:
            return Judgement.UNDECIDED, f"the environment never had any {unit}", None
        holds = _within(use.ratio, self.arguments.get("at_least"), self.arguments.get("at_most"))
        seen = f"{unit} was used to {use.ratio:.1%} over {format_duration(measures.window_ms)}"
        return Judgement.HOLDS if holds else Judgement.FAILS, seen, None


JUDGES: Final[Mapping[str, Callable[[Arguments], Judge]]] = {
    "state_at": _StateAt,
    "preempted": _Preempted,
    "never_preempted": _NeverPreempted,
    "finished": _Finished,
    "no_blocked_jobs": _NoBlockedJobs,
    "blocked": _Blocked,
    "wait": _Wait,
    "borrowed": _Borrowed,
    "lent": _Lent,
    "utilisation": _Utilised,
}
