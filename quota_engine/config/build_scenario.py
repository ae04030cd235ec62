"""Checked data → the parts of a `Scenario`. The only place that spells a scenario's keys as the model's fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ..model.durations import parse_duration
from ..model.work import (
    CapacityError,
    Event,
    Exit,
    Expectation,
    Fail,
    Job,
    RetryRule,
    SetCapacity,
    Terminate,
    Timing,
    UpdatePriority,
    arrival_key,
)

Data = Mapping[str, Any]

STATUSES: Final = ("runnable", "scheduled", "starting", "running", "succeeded", "failed")
"""The statuses that an expectation may name; the others pass in no time."""

BOUNDS: Final = ("at_least", "at_most")
FIGURES: Final = ("mean", "p50", "p95", "max")
"""What an expectation about waiting times can bound."""

CONTINUOUS: Final = "continuous"


def milliseconds(text: str | None) -> int | None:
    """Return a checked duration in milliseconds, None for none."""
    return None if text is None else parse_duration(text)


def copy_names(data: Data) -> list[str]:
    """Return the names of a job entry's jobs: its own, or name-01, name-02, … with as many digits as needed."""
    name, count = data["name"], data.get("count")
    if count is None:
        return [name]
    width = max(2, len(str(count)))
    return [f"{name}-{number:0{width}}" for number in range(1, count + 1)]


def build_jobs(entries: list[Data]) -> tuple[Job, ...]:
    """Build all jobs, in the order of `arrival_key`."""
    jobs = [job for entry in entries for job in _jobs(entry)]
    return tuple(sorted(jobs, key=arrival_key))


def _jobs(data: Data) -> Iterator[Job]:
    template = build_template(data)
    for name in copy_names(data):
        yield replace(
            template,
            name=name,
            need=data["instances"],
            submit_at_ms=milliseconds(data.get("submit_at")) or 0,
            duration_ms=milliseconds(data.get("duration")),
            priority=data.get("priority", 0),
        )


def build_template(data: Data) -> Job:
    """Build what one entry's jobs have in common: what SubmitServiceJob carries, checkpoints, and their failure."""
    checkpoint = data.get("checkpoint")
    failure = data.get("exit")
    return Job(
        name=data["name"],
        share=data["share"],
        need={},
        attempts=data.get("attempts", 1),
        evaluate_on_exit=tuple(
            RetryRule(rule["action"], rule["on_status_reason"]) for rule in data.get("evaluate_on_exit", ())
        ),
        timeout_ms=milliseconds(data.get("timeout")),
        preemption_retries=data.get("preemption_retries"),
        checkpoint_ms=None if checkpoint == CONTINUOUS else milliseconds(checkpoint),
        checkpoint_continuous=checkpoint == CONTINUOUS,
        exit=Exit(milliseconds(failure["after"]) or 0, failure["status_reason"]) if failure else None,
    )


def build_event(data: Data) -> Event | None:
    """Build one event; None for `apply`, which needs another file."""
    at_ms = milliseconds(data["at"]) or 0
    match data:
        case {"update_priority": change}:
            return UpdatePriority(at_ms, change["job"], change["priority"])
        case {"terminate": ending}:
            return Terminate(at_ms, **ending)
        case {"fail": failure}:
            return Fail(at_ms, failure["job"], failure["reason"])
        case {"capacity_error": error}:
            return CapacityError(at_ms, error["job"])
        case {"set_capacity": capacity}:
            return SetCapacity(at_ms, capacity)
        case _:
            return None


def build_expectation(index: int, data: Data) -> Expectation:
    """Build one expectation. Times become `at_ms`, `by_ms` and `at_most_ms`, lists of jobs tuples."""
    if "at" in data:
        states = {status: tuple(data[status]) for status in STATUSES if status in data}
        return Expectation("state_at", {"at_ms": milliseconds(data["at"]) or 0, **states}, index)
    [kind] = data
    match kind:
        case "no_blocked_jobs":
            return Expectation(kind, {}, index)
        case "finished":
            arguments = {key: value for key, value in data[kind].items() if key != "by"}
            return Expectation(kind, {**arguments, "by_ms": milliseconds(data[kind]["by"]) or 0}, index)
        case "wait":
            return Expectation(kind, {key: _figure(value) for key, value in data[kind].items()}, index)
        case "utilisation":
            bounds = {key: float(value) for key, value in data[kind].items() if key in BOUNDS}
            return Expectation(kind, {**data[kind], **bounds}, index)
        case _:
            return Expectation(kind, dict(data[kind]), index)


def _figure(value: str | Data) -> object:
    """Turn the bounds of a waiting time into milliseconds; the name of a share or workload stays."""
    if isinstance(value, str):
        return value
    return {f"{bound}_ms": milliseconds(duration) or 0 for bound, duration in value.items()}


def build_timing(data: Data) -> Timing:
    return Timing(**{f"{name}_ms": milliseconds(value) or 0 for name, value in data.items()})
