"""What a workload is drawn from: bounds in order, weights, hours, an end, and what its jobs refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..model import service_facts as facts
from ..model.arrivals import RATE_PARTS, in_parts
from ..model.diagnostic import KEY, Diagnostic, Positions
from ..model.sampling import HOURS
from ..model.stack import Path
from .build_scenario import milliseconds
from .build_workloads import CHOICE, hours_of, parse_start
from .findings import finding
from .known import Known, complete, taken

Data = Mapping[str, Any]
EXAMPLE: Final = "2026-12-01T00:00:00+01:00"


def check_start(data: Data) -> Iterator[Diagnostic]:
    """Judge the scenario's start."""
    text = data.get("start")
    if isinstance(text, str) and parse_start(text) is None:
        message = f'start is "{text}", which is no date and time with an offset'
        yield finding("QE519", message, path=("start",), fix=f"write it like {EXAMPLE}")


def check_workloads(data: Data, known: Known, where: Positions) -> Iterator[Diagnostic]:
    """Yield every finding about the entries of `workloads`."""
    first: dict[str, int] = {}
    generated = {known.workload_of(job) for job in known.submitted}
    for index, workload in complete(data.get("workloads", ()), "name"):
        path: Path = ("workloads", index)
        name = workload["name"]
        if name in first:
            yield taken("workload", name, (*path, "name"), where.span(("workloads", first[name], "name")))
        elif name in generated:
            message = f"the jobs of workload '{name}' would be called like one that is spelled out under jobs"
            yield finding("QE505", message, path=(*path, "name"), fix="rename the workload, or that job")
        first.setdefault(name, index)
        yield from known.share(workload.get("share"), (*path, "share"))
        yield from _needs(workload.get("instances", {}), known, (*path, "instances"))
        yield from _arrivals(workload.get("arrivals", {}), data, (*path, "arrivals"))
        yield from _durations(workload.get("duration"), (*path, "duration"))
        yield from _priorities(workload.get("priority"), (*path, "priority"))


def _needs(need: Data, known: Known, path: Path) -> Iterator[Diagnostic]:
    """Judge what the jobs need: a map of instances, or a choice of several."""
    if CHOICE not in need:
        yield from known.need(need, path)
        return
    if len(need) > 1:
        other = next(unit for unit in need if unit != CHOICE)
        message = f"instances has a choice, and {other} beside it"
        yield finding("QE516", message, path=(*path, other, KEY), fix="put it into the options, or remove choice")
    for index, option in _options(need[CHOICE]):
        here = (*path, CHOICE, index, 0)
        if isinstance(option, dict):
            yield from known.need(option, here)
        else:
            yield finding("QE203", f"an option is {option}, where a map of instances belongs", path=here, fix=_PAIR)
    yield from _weights(need[CHOICE], (*path, CHOICE))


_PAIR: Final = "write [{TYPE: NUMBER}, WEIGHT], e.g. [{ml.g5.xlarge: 1}, 0.8]"


def _options(pairs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the options of a choice that are whole pairs; others were reported before."""
    for index, pair in enumerate(pairs):
        if isinstance(pair, list) and len(pair) == 2 and None not in pair:
            yield index, pair[0]


def _weights(pairs: Sequence[Any], path: Path) -> Iterator[Diagnostic]:
    """Judge the weights of a choice."""
    whole = dict(_options(pairs))
    for index in whole:
        weight = pairs[index][1]
        if not isinstance(weight, int | float):
            yield finding("QE203", "a weight is a map, where a number belongs", path=(*path, index, 1), fix=_PAIR)
            return
    if whole and len(whole) == len(pairs) and not any(pairs[index][1] for index in whole):
        message = "all weights are 0, so that nothing can be chosen"
        yield finding("QE516", message, path=path, fix="give one of the options a weight above 0")


def _arrivals(arrivals: Data, data: Data, path: Path) -> Iterator[Diagnostic]:
    """Judge when the jobs come: an end, a window that is one, the hours of a profile."""
    first, end = milliseconds(arrivals.get("from")) or 0, milliseconds(arrivals.get("until"))
    if end is not None and first >= end:
        message = f"the arrivals begin at {arrivals.get('from', '0s')} and end at {arrivals['until']}"
        yield finding("QE516", message, path=(*path, "until"), fix="let them end after they begin")
    if arrivals and not any(("burst" in arrivals, "until" in arrivals, "jobs" in arrivals, "until" in data)):
        why = "it would submit jobs for ever"
        fix = "add until: 24h to the scenario, or until or jobs to these arrivals"
        yield finding("QE517", "nothing ends these arrivals", path=path, why=why, fix=fix)
    poisson = arrivals.get("poisson")
    if isinstance(poisson, dict):
        yield from _rate(poisson.get("per_hour"), (*path, "poisson", "per_hour"))
    profile = arrivals.get("profile")
    if isinstance(profile, dict):
        if "start" not in data:
            message = "a profile needs the scenario's start, which tells the hour and the day"
            yield finding("QE519", message, path=(*path, "profile", KEY), fix=f"add start: {EXAMPLE}")
        for days, rates in profile.items():
            yield from _hours(rates, (*path, "profile", days))


def _hours(rates: Data, path: Path) -> Iterator[Diagnostic]:
    """Judge the hours of one kind of day: in order, and each stated once."""
    taken: dict[int, str] = {}
    for key, rate in rates.items():
        yield from _rate(rate, (*path, key))
        hours = hours_of(key)
        twice = next((hour for hour in hours if hour in taken), None)
        if not hours or hours.stop > HOURS:
            message = f"the hours {key} are not in order"
            fix = "write the earlier hour first; divide a night in two, e.g. 22-24 and 0-6"
            yield finding("QE516", message, path=(*path, key, KEY), fix=fix)
        elif twice is not None:
            message = f"the hour from {twice} to {twice + 1} has two rates, those of {taken[twice]} and of {key}"
            yield finding("QE516", message, path=(*path, key, KEY), fix="let each hour stand once")
        taken.update(dict.fromkeys(hours, key))


def _rate(rate: object, path: Path) -> Iterator[Diagnostic]:
    """Judge that counting a rate in its parts does not change it by more than a hundredth."""
    if not isinstance(rate, int | float):
        return
    counted = in_parts(rate) / RATE_PARTS
    if abs(counted - rate) * 100 > rate:
        message = f"the rate is {rate:g} per hour, and would be counted as {counted:g}"
        why = "rates are counted in thousandths of a job per hour"
        fix = f"write {counted or 1 / RATE_PARTS:g}, or say when jobs come with every or burst"
        yield finding("QE516", message, path=path, why=why, fix=fix)


def _durations(durations: object, path: Path) -> Iterator[Diagnostic]:
    if isinstance(durations, dict):
        bounds = durations.get("uniform")
        yield from _bounds(bounds, [milliseconds(bound) for bound in bounds or ()], (*path, "uniform"))


def _priorities(priorities: object, path: Path) -> Iterator[Diagnostic]:
    if not isinstance(priorities, dict):
        return
    bounds = priorities.get("uniform")
    yield from _bounds(bounds, list(bounds or ()), (*path, "uniform"))
    pairs = priorities.get(CHOICE, ())
    for index, option in _options(pairs):
        here = (*path, CHOICE, index, 0)
        if not isinstance(option, int):
            fix = "write a whole number in digits"
            yield finding("QE204", f"a priority is {option}, which is no integer", path=here, fix=fix)
        elif option > facts.JOB_PRIORITY_MAX:
            message = f"a priority is {option}; it can be at most {facts.JOB_PRIORITY_MAX}"
            yield finding("QE507", message, path=here, fix=f"write at most {facts.JOB_PRIORITY_MAX}")
    yield from _weights(pairs, (*path, CHOICE))


def _bounds(written: object, bounds: Sequence[Any], path: Path) -> Iterator[Diagnostic]:
    """Judge the two bounds of a uniform distribution; `written` is how they stand there."""
    match bounds:
        case [int(low), int(high)] if low > high and isinstance(written, list):
            message = f"the first bound is {written[0]}, which is more than the second, {written[1]}"
            yield finding("QE516", message, path=(*path, 0), fix="exchange them")
