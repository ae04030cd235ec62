"""A history and what a scenario says of it → jobs, with an account of every line that became none.

Lines are read one after the other and forgotten; what is held is the jobs. Only a selection by time reads twice: when
the first job was submitted is known at the end of a file that may be in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from ..model.replay import Format, Replay
from ..model.sampling import Start
from ..model.stack import Capacity
from ..model.work import Job
from .bad_lines import BadCount, BadLines
from .columns import Draft, drafter
from .delimited import read_delimited
from .json_lines import read_json_lines, recognise
from .swf import read_swf
from .table import Numbered, Table
from .text import HistoryError, Progress, lines, opened
from .values import BadValue, LeftOut

JOBS_MAX: Final = 5_000_000
"""Jobs of one replay: more would fill the memory of most machines."""

NAME_MAX: Final = 128
"""Letters of a job's name: what the service allows, SubmitServiceJob."""

BEFORE: Final = "submitted before from"
AFTER: Final = "submitted at until or later"
BEFORE_START: Final = "submitted before the scenario's start"

Fits = Callable[[str, Capacity], str]
"""A share and a need → why such a job can't be taken, "" where it can."""


@dataclass(frozen=True, slots=True)
class History:
    """What was read. `jobs` stand in the order of their lines; `line_count` counts the lines that are about a job.

    `left_out` is {reason: lines}, `bad` the lines that should have been jobs. `is_whole`: the file was read to its end.
    """

    shown: str
    jobs: list[Job]
    line_count: int
    left_out: Mapping[str, int]
    bad: tuple[BadLines, ...]
    is_whole: bool = True

    @property
    def bad_count(self) -> int:
        return sum(one.count for one in self.bad)


@dataclass(slots=True)
class _Count:
    """What is counted while a file is read."""

    lines: int = 0
    bad: BadCount = field(default_factory=BadCount)
    left_out: dict[str, int] = field(default_factory=dict)
    is_whole: bool = True

    def note(self, number: int, reason: Exception) -> None:
        """Count a line that became no job."""
        text = str(reason)
        if isinstance(reason, LeftOut):
            self.left_out[text] = self.left_out.get(text, 0) + 1
        else:
            self.bad.add(number, text)


def read_history(
    replay: Replay,
    *,
    start: Start | None = None,
    is_taken: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
    lines_max: int | None = None,
) -> History:
    """Read the jobs of a history. `is_taken` tells names that other jobs have; `lines_max` bounds how much is read.

    Raises HistoryError for what is wrong with the file as a whole. How many bad lines are too many, the caller knows.
    """
    select = _selection(replay, start, _first_ms(replay, lines_max))
    count = _Count()
    drafts: list[tuple[int, Draft]] = []
    with closing(_drafts(replay, count, progress, lines_max)) as read:
        for number, draft in read:
            reason = select(draft)
            if reason:
                count.note(number, LeftOut(reason))
                continue
            drafts.append((number, draft))
            if len(drafts) > JOBS_MAX:
                fix = "select a part with limit, from and until"
                raise HistoryError(f"{replay.shown} holds more than {JOBS_MAX:,} jobs", fix=fix, place=("limit",))
            if len(drafts) == replay.limit:
                count.is_whole = False
                break
    left_out = dict(sorted(count.left_out.items()))
    jobs = _jobs(replay, drafts, start, is_taken)
    return History(replay.shown, jobs, count.lines, left_out, count.bad.by_reason(), count.is_whole)


def refuse(history: History, fits: Fits) -> History:
    """Return the history without the jobs that `fits` has something against: their lines are bad."""
    bad = BadCount.of(history.bad)
    refusals: dict[tuple[str, int], str] = {}
    jobs: list[Job] = []
    for job in history.jobs:
        key = (job.share, id(job.need))  # equal needs are one object, which the jobs keep alive
        refusal = refusals.get(key)
        if refusal is None:
            refusal = refusals[key] = fits(job.share, job.need)
        if refusal:
            bad.add(job.line, refusal)
        else:
            jobs.append(job)
    return replace(history, jobs=jobs, bad=bad.by_reason())


def _drafts(
    replay: Replay, count: _Count, progress: Progress | None, lines_max: int | None
) -> Generator[tuple[int, Draft], None, None]:
    """Yield the drafts of a file's usable lines with their numbers, and count the others."""
    with opened(replay.file, replay.shown) as (stream, raw):
        numbered = _said(_bounded(lines(stream, raw, replay.shown, progress), lines_max, count))
        if numbered is None:
            return
        kind, table = _table(replay, numbered)
        draft_of = drafter(replay, kind, table)
        for number, row in table.rows:
            count.lines += 1
            try:
                draft = draft_of(row) if not isinstance(row, Exception) else None
            except (BadValue, LeftOut) as reason:
                count.note(number, reason)
                continue
            if draft is None:
                count.note(number, row)
            else:
                yield number, draft


def _said(source: Numbered) -> Numbered | None:
    """Return the lines from the first on that is not blank, None where all are."""
    lines = iter(source)
    first = next((one for one in lines if one[1] is None or one[1].strip()), None)
    return None if first is None else chain([first], lines)


def _bounded(source: Numbered, most: int | None, count: _Count) -> Numbered:
    """Yield at most so many lines, and note where there are more."""
    if most is None:
        yield from source
        return
    for number, line in source:
        if number > most:
            count.is_whole = False
            return
        yield number, line


def _table(replay: Replay, numbered: Numbered) -> tuple[Format, Table]:
    match replay.format:
        case Format.SWF:
            return replay.format, read_swf(numbered)
        case Format.CSV:
            return replay.format, read_delimited(numbered, replay.shown, replay.delimiter, replay.header)
        case _:
            kind, numbered = recognise(numbered, replay.format)
            return kind, read_json_lines(numbered, kind)


def _first_ms(replay: Replay, lines_max: int | None) -> int:
    """Return when the history's first job was submitted; 0 where that is not asked for."""
    if replay.from_ms is None and replay.until_ms is None:
        return 0
    with closing(_drafts(replay, _Count(), None, lines_max)) as read:
        return min((draft.submit_ms for _, draft in read), default=0)


def _selection(replay: Replay, start: Start | None, first_ms: int) -> Callable[[Draft], str]:
    """Return what tells why a job is not selected, "" for one that is."""
    from_ms = None if replay.from_ms is None else first_ms + replay.from_ms
    until_ms = None if replay.until_ms is None else first_ms + replay.until_ms
    start_ms = None if replay.is_shifted else _base_ms(start)

    def select(draft: Draft) -> str:
        if from_ms is not None and draft.submit_ms < from_ms:
            return BEFORE
        if until_ms is not None and draft.submit_ms >= until_ms:
            return AFTER
        return BEFORE_START if start_ms is not None and draft.submit_ms < start_ms else ""

    return select


def _base_ms(start: Start | None) -> int:
    return start.epoch_ms if start is not None else 0


def _jobs(
    replay: Replay, drafts: list[tuple[int, Draft]], start: Start | None, is_taken: Callable[[str], bool] | None
) -> list[Job]:
    """Turn drafts into jobs in the order of their lines; each draft is let go as its job is made."""
    first_ms = min((draft.submit_ms for _, draft in drafts), default=0)
    base_ms = first_ms if replay.is_shifted else _base_ms(start)
    jobs: list[Job] = []
    names: set[str] = set()
    drafts.reverse()
    while drafts:
        number, draft = drafts.pop()
        jobs.append(
            Job(
                name=_name(draft.name, number, names, is_taken),
                share=draft.share,
                need=draft.need,
                submit_at_ms=draft.submit_ms - base_ms,
                duration_ms=draft.duration_ms,
                priority=draft.priority,
                preemption_retries=replay.preemption_retries,
                checkpoint_ms=replay.checkpoint_ms,
                checkpoint_continuous=replay.checkpoint_continuous,
                line=number,
            )
        )
    return jobs


def _name(stated: str, number: int, names: set[str], is_taken: Callable[[str], bool] | None) -> str:
    """Return a name that no other job has, and note it: the stated one, with the line's number where it is taken."""
    name = stated[:NAME_MAX] or f"line-{number}"
    if name in names or (is_taken is not None and is_taken(name)):
        name = f"{name}@{number}"
        while name in names:
            name += "@"
    names.add(name)
    return name
