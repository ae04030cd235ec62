"""The floor: a bare event loop. Every arrival goes on one heap as (at, kind, id), then the heap is popped to the end
with first come, first served on one pool, and nothing else: no shares, no borrowing, no preemption, no trace."""

from __future__ import annotations

import heapq
from collections import deque

from .workloads import RawJob

END, ARRIVE = 0, 1


def run(jobs: list[RawJob], capacity: int) -> int:
    """Return the time of the last event in milliseconds."""
    heap: list[tuple[int, int, int]] = []
    push, pop = heapq.heappush, heapq.heappop
    for index, job in enumerate(jobs):
        push(heap, (job.submit_at_ms, ARRIVE, index))
    waiting: deque[int] = deque()
    free = capacity
    now = 0
    while heap:
        now, kind, index = pop(heap)
        if kind == END:
            free += jobs[index].size
        else:
            waiting.append(index)
        while waiting and jobs[waiting[0]].size <= free:
            started = waiting.popleft()
            free -= jobs[started].size
            push(heap, (now + jobs[started].duration_ms, END, started))
    return now
