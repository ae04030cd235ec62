"""The forecast: each live queue goes on twice in the model, as it is and as declared; the difference is the answer.

What happens at the instant of deploying depends on no duration. What happens later does, so it is only told under
assumed or recorded durations; and what could happen as soon as shares claim what is theirs is told as the upper end of
the range.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..model.job_history import RecordedJob
from ..model.live_jobs import LiveQueue
from ..model.observation import Observation, Problem
from ..model.stack import SAGEMAKER_TRAINING, JobQueue, ServiceEnvironment, Stack, former_queues
from ..model.work import ApplyStack
from ..scheduler.assumptions import Assumptions
from ..scheduler.inputs import Input
from ..scheduler.restore import Situation
from ..scheduler.status import DISPATCHED, JobStatus
from ..simulate.agenda import Instant, inputs_of
from .durations import Durations, Records, assumed, recorded
from .later import Later, look_ahead
from .play import Names, Played, hits_of, play, starts_of
from .result import DEFAULT_WITHIN_MS, DurationBasis, Forecast, Hit, HitKind, QueueForecast, RoomChange
from .situation import live_situation


def forecast(
    stack: Stack,
    observed: Observation,
    jobs: Mapping[str, LiveQueue],
    assume_duration_ms: int | None = None,
    *,
    within_ms: int = DEFAULT_WITHIN_MS,
    assumptions: Assumptions | None = None,
    keep_undeclared: bool = False,
    history: Iterable[RecordedJob] | None = None,
) -> Forecast:
    """Return what deploying `stack` now would do to `jobs`, {queue: what was read of it}.

    A share that lives and is not declared counts as deleted, with its jobs, unless `keep_undeclared`: Pulumi deletes
    those it has made, and nothing here tells who made them. `history` are recorded jobs, from which durations are taken
    where there are enough, before `assume_duration_ms`. What could not be read is in the answer, and makes its exit
    code 2.
    """
    used = assumptions or Assumptions()
    problems = [*_unreadable(stack, observed), *(problem for live in jobs.values() for problem in live.unreadable)]
    records = None if history is None else Records.of(history)
    ahead = _Ahead(assume_duration_ms, within_ms, used, keep_undeclared, records)
    queues = [
        _queue_forecast(_Question(stack, queue, observed, jobs.get(queue.name), ahead, _former(stack, queue, jobs)))
        for queue in stack.job_queues.values()
        if not problems
    ]
    return Forecast(
        name=stack.name,
        account=observed.stack.account or "",
        region=observed.stack.region,
        queues=tuple(queues),
        unreadable=tuple(dict.fromkeys(problems)),
        assume_duration_ms=assume_duration_ms,
        has_history=records is not None,
        within_ms=within_ms,
        assumptions=used.changed(),
    )


def _former(stack: Stack, queue: JobQueue, jobs: Mapping[str, LiveQueue]) -> LiveQueue | None:
    return jobs.get(queue.renamed_from) if queue.renamed_from in former_queues(stack) else None


def _unreadable(stack: Stack, observed: Observation) -> list[Problem]:
    """Return why anything but tags could not be read: the schedule depends on all the rest."""
    return [
        problem
        for path, problem in sorted(observed.unreadable.items(), key=lambda item: [str(part) for part in item[0]])
        if path[-1:] != ("tags",)
    ]


@dataclass(frozen=True, slots=True)
class _Ahead:
    """How to look ahead: what the caller assumes."""

    duration_ms: int | None
    within_ms: int
    assumptions: Assumptions
    keep_undeclared: bool
    records: Records | None

    def runs(self, situation: Situation) -> tuple[Sequence[Durations], tuple[DurationBasis, ...]]:
        """Return each set of durations to look ahead with, the middling in the middle, and what they rest on."""
        alike = {} if self.duration_ms is None else assumed(situation, self.duration_ms)
        if self.records is not None:
            return recorded(situation, self.records, alike)
        return ([] if self.duration_ms is None else [alike]), ()

    def outrun(self, situation: Situation) -> list[str]:
        """Say how many jobs have run longer than is assumed of all."""
        if self.duration_ms is None or self.records is not None:
            return []
        count = sum(duration is None for duration in assumed(situation, self.duration_ms).values())
        jobs = "1 job has" if count == 1 else f"{count} jobs have"
        return (
            [f"{jobs} run longer already than is assumed, and {'counts' if count == 1 else 'count'} as running on"]
            if count
            else []
        )


@dataclass(frozen=True, slots=True)
class _Question:
    """All that one queue's forecast needs."""

    stack: Stack
    declared: JobQueue
    observed: Observation
    live: LiveQueue | None
    ahead: _Ahead
    former: LiveQueue | None = None
    """The queue under the name that it is declared to be renamed from, where it still lives under that."""

    def situation(self, queue: JobQueue) -> tuple[Situation, tuple[str, ...]]:
        """Return the live queue as it stands."""
        live = self.live or LiveQueue(queue.name)
        return live_situation(queue, self.environment_of(queue), live, self.ahead.assumptions)

    def environment_of(self, queue: JobQueue) -> ServiceEnvironment:
        """Return the live environment of the live queue; one without capacity where it was not observed."""
        name = queue.service_environment or ""
        return self.observed.stack.service_environments.get(name) or ServiceEnvironment(name, {})

    def change(self, queue: JobQueue, situation: Situation) -> list[Input]:
        """Return what turns the live queue into the declared one."""
        kept = {
            name: share
            for name, share in queue.quota_shares.items()
            if self.ahead.keep_undeclared and name not in self.declared.quota_shares
        }
        declared = replace(self.declared, quota_shares={**self.declared.quota_shares, **kept})
        stack = replace(self.stack, job_queues={**self.stack.job_queues, declared.name: declared})
        instant = Instant(situation.now_ms, (), (ApplyStack(situation.now_ms, stack, ""),))
        inputs, _, _ = inputs_of(instant, queue, situation.environment)
        return inputs


def _queue_forecast(question: _Question) -> QueueForecast:
    name = question.declared.name
    queue = question.observed.stack.job_queues.get(name)
    if queue is None:
        return _replaced(name, question.former) if question.former else QueueForecast(name, lives=False)
    if queue.type != SAGEMAKER_TRAINING or queue.scheduling_policy is None:
        return _replaced(name, question.live or LiveQueue(name))
    situation, doubts = question.situation(queue)
    names = {job.job_id: job.name for job in (question.live.jobs if question.live else ())}
    change = question.change(queue, situation)
    same, after = play(situation, (), situation.now_ms), play(situation, change, situation.now_ms)
    anyway, hit = hits_of(situation, same.trace, names), hits_of(situation, after.trace, names)
    started = starts_of(situation, after.trace, names)
    runs, bases = question.ahead.runs(situation)
    later = look_ahead(situation, change, situation.now_ms + question.ahead.within_ms, names, runs) if runs else Later()
    later_hits, possible = ([one for one in group if one.job not in hit] for group in (later.hits, later.possible_hits))
    known = {*hit, *anyway, *(one.job for one in (*later_hits, *possible))}
    running = [one for one in situation.jobs if one.status in DISPATCHED]
    return QueueForecast(
        queue=name,
        running=len(running),
        waiting=len(situation.jobs) - len(running),
        at_once=tuple(one for job, one in hit.items() if job not in anyway),
        later=tuple(later_hits),
        possible=tuple(possible),
        exposed=tuple(one for one in _exposed(situation, change, names) if one.job not in known),
        anyway=tuple(anyway.values()),
        starts=(*started.values(), *(one for one in later.starts if one.job not in started)),
        possible_starts=tuple(one for one in later.possible_starts if one.job not in started),
        rooms=_rooms(same, after),
        durations=bases,
        doubts=(*doubts, *question.ahead.outrun(situation), *later.doubts, *_early(situation, same, names)),
    )


def _replaced(queue: str, live: LiveQueue) -> QueueForecast:
    """Return what becomes of a queue that can only be deleted and made anew: all its jobs end."""
    hits = tuple(
        Hit(
            job=job.job_id,
            name=job.name,
            share=job.share,
            need=job.need,
            kind=HitKind.QUEUE_REPLACED,
            after_ms=0,
            ran_ms=0 if job.started_ms is None else max(0, live.now_ms - job.started_ms),
            was_running=JobStatus(job.status) in DISPATCHED,
            is_final=True,
        )
        for job in live.jobs
    )
    running = sum(hit.was_running for hit in hits)
    return QueueForecast(queue, True, running, len(hits) - running, at_once=hits)


def _exposed(situation: Situation, change: list[Input], names: Names) -> list[Hit]:
    """Return who could be hit as soon as every share claims its own limit, and could not be without the change."""
    before = hits_of(situation, play(situation, (), situation.now_ms, everyone_claims=True).trace, names)
    after = hits_of(situation, play(situation, change, situation.now_ms, everyone_claims=True).trace, names)
    return [replace(one, by="", by_name="") for job, one in after.items() if job not in before and one.was_running]


def _rooms(before: Played, after: Played) -> tuple[RoomChange, ...]:
    keys = dict.fromkeys((*before.rooms, *after.rooms))
    return tuple(RoomChange(*key, before.rooms.get(key), after.rooms.get(key)) for key in sorted(keys))


def _early(situation: Situation, same: Played, names: Names) -> list[str]:
    """Say which waiting jobs the model would start without any change: there it and the service are apart."""
    early = starts_of(situation, same.trace, names)
    return [
        f"the model would start {start.name} in {start.share} without the deployment too, the service has not yet"
        for start in early.values()
    ]
