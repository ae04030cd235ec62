"""Checked data → `Workload`, and a scenario's start. What can't be checked key by key was judged before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ..model.sampling import (
    HOURS,
    Arrivals,
    Burst,
    Choice,
    Constant,
    Durations,
    Empirical,
    Every,
    Exponential,
    LogNormal,
    Poisson,
    Priorities,
    Profile,
    Start,
    Uniform,
    Weibull,
)
from ..model.stack import Capacity
from ..model.work import Workload
from .build_scenario import build_template, milliseconds

Data = Mapping[str, Any]
Samples = Mapping[int, Empirical]
"""Entry of `workloads` → the durations that its file holds."""

CHOICE: Final = "choice"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_HOURS: Final = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")


def parse_start(text: str) -> Start | None:
    """Return the start that an ISO 8601 date and time with an offset means, None where it is not one."""
    try:
        date = datetime.fromisoformat(text)
        offset = date.utcoffset()
        return None if offset is None else Start((date - _EPOCH) // _MILLISECOND, offset // _MILLISECOND)
    except (ValueError, OverflowError):
        return None


def hours_of(key: str) -> range:
    """Return the hours that a key of a profile means, `8-18` or `8`; none where they are not in order."""
    match = _HOURS.fullmatch(key)
    if match is None:
        return range(0)
    first = int(match[1])
    return range(first, int(match[2] or first + 1))


def build_workload(data: Data, observed: Empirical | None) -> Workload:
    """Build one workload. `observed` are the durations of its file, where it names one."""
    return Workload(
        template=build_template(data),
        arrivals=_arrivals(data["arrivals"]),
        needs=_needs(data["instances"]),
        duration=observed or _durations(data.get("duration")),
        priority=_priorities(data.get("priority", 0)),
        exit_probability=float(data.get("exit", {}).get("probability", 1)),
    )


def _arrivals(data: Data) -> Arrivals:
    return Arrivals(
        process=_process(data),
        from_ms=milliseconds(data.get("from")) or 0,
        until_ms=milliseconds(data.get("until")),
        jobs=data.get("jobs"),
    )


def _process(data: Data) -> Poisson | Every | Profile | Burst:
    match data:
        case {"poisson": {"per_hour": per_hour}}:
            return Poisson(float(per_hour))
        case {"every": every}:
            return Every(milliseconds(every) or 1)
        case {"burst": {"at": at, "jobs": jobs}}:
            return Burst(milliseconds(at) or 0, jobs)
        case _:
            profile = data["profile"]
            return Profile(_rates(profile.get("weekday", {})), _rates(profile.get("weekend", {})))


def _rates(data: Data) -> tuple[float, ...]:
    """Return the rate of each hour of a day."""
    rates = [0.0] * HOURS
    for key, rate in data.items():
        for hour in hours_of(key):
            rates[hour] = float(rate)
    return tuple(rates)


def _needs(data: Data) -> Choice[Capacity]:
    return _choice(data[CHOICE]) if CHOICE in data else Choice((data,), (1.0,))


def _choice(pairs: list[list[Any]]) -> Choice[Any]:
    return Choice(tuple(option for option, _ in pairs), tuple(float(weight) for _, weight in pairs))


def _durations(data: str | Data | None) -> Durations | None:
    match data:
        case None:
            return None
        case str() | {"constant": _}:
            return Constant(_ms(data if isinstance(data, str) else data["constant"]))
        case {"uniform": [low, high]}:
            return Uniform(_ms(low), _ms(high))
        case {"exponential": {"mean": mean}}:
            return Exponential(_ms(mean))
        case {"lognormal": {"median": median, "sigma": sigma}}:
            return LogNormal(_ms(median), float(sigma))
        case {"weibull": {"scale": scale, "shape": shape}}:
            return Weibull(_ms(scale), float(shape))
        case _:
            raise AssertionError(f"a distribution that the schema does not know: {data}")


def _ms(duration: str) -> int:
    return milliseconds(duration) or 0


def _priorities(data: int | Data) -> Priorities:
    match data:
        case int():
            return Constant(data)
        case {"constant": value}:
            return Constant(value)
        case {"uniform": [low, high]}:
            return Uniform(low, high)
        case _:
            return _choice(data["choice"])
