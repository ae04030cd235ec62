"""A placement that is over, as DescribeServiceJob tells of it."""

from __future__ import annotations

import msgspec


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One placement of a job that has ended. `placement` counts all placements from 1; `started_ms` is RUNNING's."""

    placement: int
    scheduled_ms: int
    started_ms: int | None
    stopped_ms: int
    reason: str
