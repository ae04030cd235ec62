"""Recorded decisions beside those of the model: each start and each preemption of each job, one by one.

The model's k-th start of a job answers the recorded k-th one, and so for preemptions. A recorded decision is predicted
where the model made it within the tolerance; one that the model made and nobody recorded is spurious.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from ..scheduler.trace import Dispatched, PreemptionStarted, TraceEvent
from .record import Course, Record, StintEnd
from .scenario import job_name


class DecisionKind(StrEnum):
    START = "start"
    PREEMPTION = "preemption"


class Judgement(StrEnum):
    """`MISSED`: recorded, and made by the model at another time or never. `SPURIOUS`: made by the model alone."""

    PREDICTED = "predicted"
    MISSED = "missed"
    SPURIOUS = "spurious"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision about a job. Times are ms from the record's start; None: nobody made it, or nobody tells when."""

    kind: DecisionKind
    judgement: Judgement
    job_id: str
    job_name: str
    share: str
    recorded_at_ms: int | None
    predicted_at_ms: int | None

    @property
    def error_ms(self) -> int | None:
        """How far apart the two times lie."""
        if self.recorded_at_ms is None or self.predicted_at_ms is None:
            return None
        return abs(self.recorded_at_ms - self.predicted_at_ms)


@dataclass(frozen=True, slots=True)
class ShareError:
    """How well the decisions about one share's jobs are predicted; `mean_error_ms` is of starts both made."""

    share: str
    starts: int
    starts_predicted: int
    preemptions: int
    preemptions_predicted: int
    spurious: int
    mean_error_ms: int | None


@dataclass(frozen=True, slots=True)
class Score:
    """Decisions counted: of `recorded` ones `predicted` were, and `spurious` others were made by the model alone."""

    recorded: int
    predicted: int
    spurious: int

    @property
    def wrong(self) -> int:
        return self.recorded - self.predicted + self.spurious

    @property
    def ratio(self) -> float:
        """What part of all decisions, recorded or spurious, was predicted; 1 where there is none."""
        total = self.recorded + self.spurious
        return self.predicted / total if total else 1.0


def decisions(record: Record, trace: Sequence[TraceEvent], tolerance_ms: int) -> list[Decision]:
    """Return every decision, recorded or made by the model, job by job in the record's order."""
    starts, preemptions = _model(trace)
    start_ms = record.courses[0].created_ms
    found: list[Decision] = []
    for rank, course in enumerate(record.courses):
        name = job_name(rank)
        recorded = [stint.scheduled_ms for stint in course.stints]
        victims = [stint.chosen_ms for stint in course.stints if stint.end is StintEnd.PREEMPTED]
        for kind, told, made in (
            (DecisionKind.START, recorded, starts.get(name, [])),
            (DecisionKind.PREEMPTION, victims, preemptions.get(name, [])),
        ):
            found += _beside(kind, course, told, made, start_ms, tolerance_ms)
    return found


def _model(trace: Sequence[TraceEvent]) -> tuple[Mapping[str, list[int]], Mapping[str, list[int]]]:
    """Return {job: times} of the model's starts and of its preemptions."""
    starts: dict[str, list[int]] = {}
    preemptions: dict[str, list[int]] = {}
    for event in trace:
        if isinstance(event, Dispatched):
            starts.setdefault(event.job, []).append(event.at_ms)
        elif isinstance(event, PreemptionStarted):
            preemptions.setdefault(event.job, []).append(event.at_ms)
    return starts, preemptions


_ABSENT = object()


def _beside(
    kind: DecisionKind,
    course: Course,
    told: Sequence[int | None],
    made: Sequence[int],
    start_ms: int,
    tolerance_ms: int,
) -> Iterator[Decision]:
    for recorded, predicted in zip_longest(told, made, fillvalue=_ABSENT):
        recorded_at = recorded - start_ms if isinstance(recorded, int) else None
        predicted_at = predicted if isinstance(predicted, int) else None
        if recorded is _ABSENT:
            judgement = Judgement.SPURIOUS
        elif predicted is _ABSENT:
            judgement = Judgement.MISSED
        else:
            is_near = recorded_at is None or predicted_at is None or abs(recorded_at - predicted_at) <= tolerance_ms
            judgement = Judgement.PREDICTED if is_near else Judgement.MISSED
        yield Decision(kind, judgement, course.job_id, course.job_name, course.share, recorded_at, predicted_at)


def score(found: Sequence[Decision]) -> Score:
    spurious = sum(one.judgement is Judgement.SPURIOUS for one in found)
    predicted = sum(one.judgement is Judgement.PREDICTED for one in found)
    return Score(len(found) - spurious, predicted, spurious)


def share_errors(found: Sequence[Decision], shares: Sequence[str]) -> tuple[ShareError, ...]:
    """Return one error per share, in the order given."""
    return tuple(_share_error(share, [one for one in found if one.share == share]) for share in shares)


def _share_error(share: str, found: Sequence[Decision]) -> ShareError:
    def count(kind: DecisionKind, *judgements: Judgement) -> int:
        return sum(one.kind is kind and one.judgement in judgements for one in found)

    recorded = (Judgement.PREDICTED, Judgement.MISSED)
    errors = [one.error_ms for one in found if one.kind is DecisionKind.START and one.error_ms is not None]
    return ShareError(
        share=share,
        starts=count(DecisionKind.START, *recorded),
        starts_predicted=count(DecisionKind.START, Judgement.PREDICTED),
        preemptions=count(DecisionKind.PREEMPTION, *recorded),
        preemptions_predicted=count(DecisionKind.PREEMPTION, Judgement.PREDICTED),
        spurious=sum(one.judgement is Judgement.SPURIOUS for one in found),
        mean_error_ms=sum(errors) // len(errors) if errors else None,
    )
