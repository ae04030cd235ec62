"""What a job's request says about what it needs and what it will do.

The need stands in the payload's ResourceConfig, as SageMaker reads it. How long the job runs and how it ends is up to
the emulator's user: a tag of the job wins over a hyperparameter of the payload, which wins over the server's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...model.durations import parse_duration
from ...model.work import Exit
from ..refusal import Refusal
from ..texts import refuse
from ..wire.answer import parse_json

DURATION_TAG: Final = "quota-engine/duration"
EXIT_TAG: Final = "quota-engine/exit"
CHECKPOINT_TAG: Final = "quota-engine/checkpoint"
FOREVER: Final = "forever"
SUCCEEDS: Final = "success"
CONTINUOUS: Final = "continuous"
INVALID_REQUEST: Final = "ValidationException: the payload names no instance type and count"
"""What SageMaker would say of a payload whose need can't be computed; the wording is ours (assumption A-18)."""

_NAME_LENGTH: Final = 23
"""Of the 63 characters of a training job's name, 8 are AWSBatch and 32 the digits at its end."""


@dataclass(frozen=True, slots=True)
class Directives:
    """What the job will do. `duration_ms` None: until something ends it; `exit` None: it succeeds."""

    duration_ms: int | None
    exit: Exit | None
    checkpoint_ms: int | None
    checkpoint_continuous: bool


def parse_payload(text: str) -> dict[str, Any]:
    """Return the payload as an object. Raises Refusal when it is none."""
    try:
        payload = parse_json(text)
    except Refusal:
        raise refuse("payload-not-json") from None
    if not isinstance(payload, dict):
        raise refuse("payload-not-json")
    return payload


def need_of(payload: Mapping[str, Any]) -> dict[str, int] | None:
    """Return {instance type: count}, summed over instance groups; None when it can't be computed."""
    config = payload.get("ResourceConfig")
    if not isinstance(config, dict):
        return None
    groups = config.get("InstanceGroups")
    if not isinstance(groups, list) or not groups:
        groups = [config]
    need: dict[str, int] = {}
    for group in groups:
        if not isinstance(group, dict):
            return None
        unit, count = group.get("InstanceType"), group.get("InstanceCount", 1)
        if not isinstance(unit, str) or not unit or not _is_count(count):
            return None
        need[unit] = need.get(unit, 0) + count
    return need


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 1 << 31


def training_job_name(payload: Mapping[str, Any]) -> str:
    """Return the readable part of the training job's name: AWSBatch and what fits of TrainingJobName."""
    name = payload.get("TrainingJobName")
    return f"AWSBatch{name[:_NAME_LENGTH] if isinstance(name, str) else ''}"


def directives_of(payload: Mapping[str, Any], tags: Mapping[str, str], default_ms: int | None) -> Directives:
    """Return what the job will do. Raises Refusal for a directive that can't be read."""
    parameters = payload.get("HyperParameters")
    given = {**(parameters if isinstance(parameters, dict) else {}), **tags}
    duration_ms = _duration(DURATION_TAG, given.get(DURATION_TAG), default_ms)
    checkpoint = given.get(CHECKPOINT_TAG)
    continuous = checkpoint == CONTINUOUS
    return Directives(
        duration_ms,
        _exit(given.get(EXIT_TAG), duration_ms),
        None if continuous else _duration(CHECKPOINT_TAG, checkpoint, None),
        continuous,
    )


def _duration(name: str, value: object, default_ms: int | None) -> int | None:
    if value is None:
        return default_ms
    if value == FOREVER and name == DURATION_TAG:
        return None
    found = parse_duration(value) if isinstance(value, str) else None
    if found is None or (name == CHECKPOINT_TAG and found == 0):
        expected = "a duration such as 30s or 1h30m, or " + (FOREVER if name == DURATION_TAG else CONTINUOUS)
        raise refuse("job-directive", directive=name, value=value, expected=expected)
    return found


def _exit(value: object, duration_ms: int | None) -> Exit | None:
    """Return how the job fails: with the reason given, at the end of its duration."""
    if value is None or value == SUCCEEDS:
        return None
    if not isinstance(value, str) or not value:
        expected = f"{SUCCEEDS} or the text of a failure"
        raise refuse("job-directive", directive=EXIT_TAG, value=value, expected=expected)
    return Exit(duration_ms or 0, value)
