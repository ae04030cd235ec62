"""Judges of how much and how long: waits, loans, utilisation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..model.durations import format_duration
from ..scheduler.trace import Dispatched, Failed, Submitted
from .areas import Amounts
from .judges import Arguments, Found, Judge, Judgement, counted_jobs
from .metrics import Measures, ShareMeasures, Waits
from .outcome import Run


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
        return judgement, f"{', '.join(shown)} of {counted_jobs(self.chosen)}{never}{longest}", at_ms

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
    "wait": _Wait,
    "borrowed": _Borrowed,
    "lent": _Lent,
    "utilisation": _Utilised,
}
