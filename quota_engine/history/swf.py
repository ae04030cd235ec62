"""The Standard Workload Format 2.2 of the Parallel Workloads Archive, as logs in the wild have it.

One job a line, 18 fields divided by blanks, more are passed over; what begins with `;` is a header or a comment.
Source: Chapin et al., Benchmarks and Standards for the Evaluation of Parallel Job Schedulers, 1999; version 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from ..model.replay import SWF_FIELDS, SWF_PROCESSORS
from .table import Getter, Numbered, Table, UnknownColumn, too_long
from .values import BadValue, LeftOut, number

_STATUS: Final = SWF_FIELDS.index("status")
_PARTIAL: Final = frozenset({"2", "3", "4"})
"""Status of a line about a part of a job that was swapped out; another line sums it up."""
_RUN_TIME: Final = SWF_FIELDS.index("run_time")
_USED: Final = SWF_FIELDS.index("processors_used")
_ASKED: Final = SWF_FIELDS.index("processors_requested")


def read_swf(lines: Numbered) -> Table:
    return Table(_rows(lines), _getter)


def _rows(lines: Numbered) -> Iterator[tuple[int, list[str] | BadValue | LeftOut]]:
    wanted = len(SWF_FIELDS)
    for line_number, line in lines:
        if line is None:
            yield line_number, too_long()
            continue
        fields = line.split()
        if not fields or fields[0][0] in ";#":
            continue
        if len(fields) < wanted:
            yield line_number, BadValue(f"the line has {len(fields)} of {wanted} fields")
        elif fields[_STATUS] in _PARTIAL and (number(fields[_RUN_TIME]) or 0) > 0:
            yield line_number, LeftOut("part of a job that another line sums up")
        else:
            yield line_number, fields


def _getter(column: str) -> Getter:
    if column == SWF_PROCESSORS:
        return _processors
    if column not in SWF_FIELDS:
        raise UnknownColumn(column, (*SWF_FIELDS, SWF_PROCESSORS))
    return itemgetter(SWF_FIELDS.index(column))


def _processors(fields: Sequence[str]) -> str:
    """Return the processors used, those asked for where that is unknown or none."""
    used = fields[_USED]
    return used if (number(used) or 0) > 0 else fields[_ASKED]
