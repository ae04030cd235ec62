"""A simulation's timeline as a Mermaid Gantt chart, which GitHub and GitLab draw in a pull request's comment.

Bounded: the most telling jobs, as many as MERMAID_MAX bars allow. A line begins with a word of ours, and of a name only
letters, digits and a few signs are kept: nothing that a user named can become Mermaid's syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ..simulate import Run, SegmentKind
from .charts.lives import Life, Lives
from .charts.rows import most_telling
from .simulation_text import queue_of
from .visible import counted

MERMAID_MAX: Final = 60
"""Bars of a chart; Mermaid refuses large texts, and readers do too."""
_JOBS_MAX: Final = 20
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.+/-]+")
_DAY_MS: Final = 86_400_000
_TAGS: Final = {
    SegmentKind.WAITING: ("waits", "done, "),
    SegmentKind.OWN: ("own", "active, "),
    SegmentKind.BORROWED: ("borrowed", ""),
    SegmentKind.IN_SHARE: ("in-share", "active, crit, "),
    SegmentKind.PREEMPTED: ("preempted", "done, crit, "),
}
"""Kind → the word before the job's name, and the tags that colour its bar."""


def gantt(run: Run, found: Lives) -> list[str]:
    """Return the lines of a fenced Mermaid block with a note of what is left out; nothing where no job was there."""
    jobs = _bounded(most_telling(found, _JOBS_MAX))
    if not jobs or run.end_ms <= 0:
        return []
    left_out = len(found.jobs) - len(jobs)
    note = [f"{counted(left_out, 'job')} not drawn: preempted ones and borrowers come first.", ""] if left_out else []
    return ["```mermaid", *_chart(run, jobs), "```", "", *note]


def _bounded(jobs: Iterable[Life]) -> list[Life]:
    """Return as many of the jobs as have MERMAID_MAX bars together."""
    found, bars = [], 0
    for life in jobs:
        bars += len(life.stretches)
        if bars > MERMAID_MAX:
            break
        found.append(life)
    return found


def _chart(run: Run, jobs: list[Life]) -> Iterator[str]:
    yield "gantt"
    yield "    dateFormat YYYY-MM-DD HH:mm:ss.SSS"
    yield f"    axisFormat {_axis_format(run.end_ms)}"
    for share in dict.fromkeys([*queue_of(run).quota_shares, *(life.share for life in jobs)]):
        members = [life for life in jobs if life.share == share]
        if members:
            yield f"    section {safe(share)}"
            for life in members:
                yield from _bars(life)


def _bars(life: Life) -> Iterator[str]:
    for one in life.stretches:
        word, tags = _TAGS[one.kind]
        yield f"    {word} {safe(life.job)} :{tags}{_date(one.from_ms)}, {_date(one.to_ms)}"


def safe(name: str) -> str:
    """Return what of a name means nothing to Mermaid; other characters become "_"."""
    return _UNSAFE.sub("_", name) or "_"


def _axis_format(end_ms: int) -> str:
    return "%H:%M:%S" if end_ms < 600_000 else "%H:%M" if end_ms <= _DAY_MS else "day %j %H:%M"


def _date(at_ms: int) -> str:
    """Return a time as one of the year 2001, in no time zone: Mermaid reads and shows it in the reader's own.

    A run that lasts into another year goes on there; the axis shows the day of the year.
    """
    days, rest = divmod(at_ms, _DAY_MS)
    year, day = divmod(days, 365)
    month = next(index for index in range(11, -1, -1) if _DAYS_BEFORE[index] <= day)
    seconds, milliseconds = divmod(rest, 1000)
    minutes, second = divmod(seconds, 60)
    return (
        f"{2001 + year}-{month + 1:02d}-{day - _DAYS_BEFORE[month] + 1:02d} "
        f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.{milliseconds:03d}"
    )


_DAYS_BEFORE: Final = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
