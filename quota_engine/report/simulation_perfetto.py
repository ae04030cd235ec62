"""A simulation as Chrome trace events, the JSON that https://ui.perfetto.dev and chrome://tracing read.

A share is a process, its jobs are slices in lanes, an arrow leads from a preemptor to its victim, and counters show
own, borrowed and lent instances of each type. Times are microseconds from the scenario's start.
Source: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, Final

from ..simulate import Run
from ..simulate.use import UseSeries, use_over_time
from .charts.lives import Life, Lives, Preemption, lives
from .simulation_charts import titles_of
from .visible import visible

_Event = dict[str, Any]
_QUEUE_PID: Final = 1
_COLOURS: Final = {
    "own": "thread_state_running",
    "borrowed": "thread_state_iowait",
    "in-share": "thread_state_runnable",
    "waiting": "grey",
    "preempted": "terrible",
}
"""Kind → a colour of chrome://tracing; Perfetto chooses its own by name."""


def render(run: Run) -> str:
    """Return the JSON document, an event a line."""
    found = lives(run)
    lines = ",\n".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in _events(run, found))
    return f'{{"displayTimeUnit":"ms","traceEvents":[\n{lines}\n]}}\n'


def _events(run: Run, found: Lives) -> Iterator[_Event]:
    titles = titles_of(run)
    names = dict.fromkeys([*titles, *(life.share for life in found.jobs)])
    pids = {share: index for index, share in enumerate(names, _QUEUE_PID + 1)}
    yield from _process(_QUEUE_PID, f"queue {visible(run.scenario.queue)}")
    for share, pid in pids.items():
        yield from _process(pid, titles.get(share, visible(share)))
    lanes = {share: laned([life for life in found.jobs if life.share == share]) for share in pids}
    for share, pid in pids.items():
        for lane in range(1, max(lanes[share].values(), default=0) + 1):
            yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": lane, "args": {"name": f"lane {lane}"}}
    places = {life.job: (pids[life.share], lanes[life.share][life.job]) for life in found.jobs}
    for life in found.jobs:
        yield from _slices(life, *places[life.job])
    for number, one in enumerate(found.preemptions, 1):
        yield from _flow(number, one, places)
    for series in use_over_time(run.trace, run.scenario, run.end_ms):
        yield from _counters(series, pids.get(series.share, _QUEUE_PID), run.end_ms)


def _process(pid: int, name: str) -> Iterator[_Event]:
    yield {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
    yield {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": pid}}


def laned(jobs: Sequence[Life]) -> dict[str, int]:
    """Return {job: lane}: the lowest lane that is free when the job arrives, lanes counted from 1."""
    found: dict[str, int] = {}
    free: list[int] = []
    ends: list[tuple[int, int]] = []
    for life in jobs:
        if not life.stretches:
            found[life.job] = 1
            continue
        while ends and ends[0][0] <= life.stretches[0].from_ms:
            heappush(free, heappop(ends)[1])
        lane = heappop(free) if free else len(ends) + 1
        heappush(ends, (life.stretches[-1].to_ms, lane))
        found[life.job] = lane
    return found


def _slices(life: Life, pid: int, tid: int) -> Iterator[_Event]:
    for one in life.stretches:
        yield {
            "ph": "X",
            "name": visible(life.job),
            "cat": one.kind.value,
            "pid": pid,
            "tid": tid,
            "ts": one.from_ms * 1000,
            "dur": (one.to_ms - one.from_ms) * 1000,
            "cname": _COLOURS[one.kind.value],
            "args": {"what": one.kind.value, "cause": one.cause, "instances": life.need, "end": life.end},
        }


def _flow(number: int, one: Preemption, places: Mapping[str, tuple[int, int]]) -> Iterator[_Event]:
    """Yield the arrow's two ends; Perfetto ties each to the slice around it."""
    if one.job not in places or one.by not in places:
        return
    common = {"name": "preempts", "cat": one.kind, "id": number, "ts": one.at_ms * 1000}
    for phase, job in (("s", one.by), ("f", one.job)):
        pid, tid = places[job]
        yield {"ph": phase, **common, "pid": pid, "tid": tid, **({"bp": "e"} if phase == "f" else {})}


def _counters(series: UseSeries, pid: int, end_ms: int) -> Iterator[_Event]:
    name = f"instances of {visible(series.unit)}"
    for step in series.steps:
        args = {"own": step.own, "lent": step.lent, "borrowed": step.borrowed}
        yield {"ph": "C", "name": name, "pid": pid, "ts": step.at_ms * 1000, "args": args}
        limit = {"limit": step.limit}
        yield {
            "ph": "C",
            "name": f"limit of {visible(series.unit)}",
            "pid": pid,
            "ts": step.at_ms * 1000,
            "args": limit,
        }
    yield {"ph": "C", "name": name, "pid": pid, "ts": end_ms * 1000, "args": {"own": 0, "lent": 0, "borrowed": 0}}
