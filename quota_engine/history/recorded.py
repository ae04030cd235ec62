"""A file of recorded jobs as it is, for who wants to know how long they ran: every line must be one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..model.job_history import RecordedJob
from ..model.replay import Format
from .bad_lines import BadCount
from .json_lines import read_json_lines, recognise
from .table import Numbered
from .text import HistoryError, lines, opened
from .values import LeftOut

_REASONS_SHOWN = 3


def read_recorded(path: str) -> tuple[RecordedJob, ...]:
    """Return the jobs that `quota-engine history` wrote, or the ends that events of EventBridge tell of.

    Raises HistoryError, which names the lines that are neither.
    """
    jobs: list[RecordedJob] = []
    bad = BadCount()
    with opened(path, path) as (stream, raw):
        for number, row in _rows(lines(stream, raw, path)):
            if isinstance(row, RecordedJob):
                jobs.append(row)
            elif not isinstance(row, LeftOut):
                bad.add(number, str(row))
    if bad.total:
        raise HistoryError(
            f"{path} holds lines that are no recorded jobs: {bad.total} of {bad.total + len(jobs)}",
            why="; ".join(map(str, bad.by_reason()[:_REASONS_SHOWN])),
            fix="remove them, or write the file again with quota-engine history",
        )
    return tuple(jobs)


def _rows(numbered: Numbered) -> Iterator[tuple[int, Any]]:
    """Return the rows of a file that is of one of the two kinds; none of an empty one."""
    said = (one for one in numbered if one[1] is None or one[1].strip())
    first = next(said, None)
    if first is None:
        return iter(())
    kind, rest = recognise(chain([first], said), Format.JSONL)
    return read_json_lines(rest, Format.EVENTS if kind is Format.EVENTS else Format.HISTORY).rows
