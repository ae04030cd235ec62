"""Which jobs of a queue are in which share and status, and which have which name: what lists are cut from.

Jobs go by their number, counted from 0 in order of arrival. All lists are sorted, so that a page is found by bisection
and costs what it shows, however many jobs there are.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from ..scheduler.status import JobStatus

Place = tuple[str, JobStatus]
"""Share and status."""

Name = tuple[str, str]
"""A job's name in lower case, then as it is: so that names are found whatever their case."""


class JobIndex:
    """The numbers of one queue's jobs, by place and by name."""

    def __init__(self) -> None:
        self._place_of: list[Place] = []
        self._at: dict[Place, list[int]] = {}
        self._names: list[Name] = []
        self._called: dict[Name, list[int]] = {}

    def add(self, share: str, name: str) -> None:
        """Enter the next job, as SUBMITTED."""
        number = len(self._place_of)
        place = (share, JobStatus.SUBMITTED)
        self._place_of.append(place)
        self._at.setdefault(place, []).append(number)
        key = (name.lower(), name)
        called = self._called.get(key)
        if called is None:
            called = self._called[key] = []
            insort(self._names, key)
        called.append(number)

    def move(self, number: int, status: JobStatus) -> None:
        """Note the status a job is in now."""
        share, former = self._place_of[number]
        if former is status:
            return
        left = self._at[share, former]
        del left[bisect_left(left, number)]
        self._place_of[number] = (share, status)
        insort(self._at.setdefault((share, status), []), number)

    def newest(self, share: str | None, status: JobStatus | None, below: int | None) -> Iterator[int]:
        """Yield the jobs of a share in a status, newest first, those with numbers under `below`; None: of any."""
        places = [
            numbers
            for (of_share, in_status), numbers in self._at.items()
            if share in (None, of_share) and status in (None, in_status)
        ]
        return heapq.merge(*(_falling(numbers, below) for numbers in places), reverse=True)

    def called(self, text: str, after: tuple[str, str, int] | None) -> Iterator[tuple[Name, int]]:
        """Yield the jobs of a name in any case, or of names that begin with what stands before a final `*`.

        Sorted by name, newest first in each; `after` is the last one already seen: both parts of its name, its number.
        """
        text = text.lower()
        prefix = text[:-1] if text.endswith("*") else text
        first = (prefix, "") if after is None else max((prefix, ""), after[:2])
        for place in range(bisect_left(self._names, first), len(self._names)):
            name = self._names[place]
            if not (name[0].startswith(prefix) if text.endswith("*") else name[0] == text):
                return
            below = after[2] if after is not None and name == after[:2] else None
            for number in _falling(self._called[name], below):
                yield name, number


def _falling(numbers: list[int], below: int | None) -> Iterator[int]:
    """Yield sorted numbers from the largest down, only those under `below`."""
    start = len(numbers) if below is None else bisect_left(numbers, below)
    for place in range(start - 1, -1, -1):
        yield numbers[place]


def created_between(times_ms: list[int], after_ms: int | None, before_ms: int | None) -> range:
    """Return the numbers of jobs created strictly between two times; `times_ms` are all jobs' in order of arrival."""
    first = 0 if after_ms is None else bisect_right(times_ms, after_ms)
    end = len(times_ms) if before_ms is None else bisect_left(times_ms, before_ms)
    return range(first, end)
