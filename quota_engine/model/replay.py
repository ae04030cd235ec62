"""What a scenario says of a job history: where it lies, and which of its columns mean what.

Values only; `history` reads the file. A column is named as the format names it, or as the file's own header does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, TypeVar

from .stack import Capacity

T = TypeVar("T")


class Format(StrEnum):
    """How a history is written. JSONL that holds what `quota-engine history` or EventBridge writes is recognised."""

    SWF = "swf"
    CSV = "csv"
    JSONL = "jsonl"
    HISTORY = "history"
    EVENTS = "events"


SUFFIXES: Final[Mapping[str, Format]] = {
    ".swf": Format.SWF,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".psv": Format.CSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
}
"""Suffix of a file's name, `.gz` aside → its format."""

SWF_FIELDS: Final = (
    "job", "submit", "wait", "run_time", "processors_used", "cpu_time", "memory_used", "processors_requested",
    "time_requested", "memory_requested", "status", "user", "group", "executable", "queue", "partition",
    "preceding_job", "think_time",
)  # fmt: skip
"""The fields of a job's line in the Standard Workload Format 2.2, in order (Parallel Workloads Archive)."""

SWF_PROCESSORS: Final = "processors"
"""Column of that format that is made of two: the processors used, those asked for where that is unknown."""


def format_of(file: str) -> Format | None:
    """Return the format that a file's name tells, None where it tells none."""
    name = file.lower().removesuffix(".gz")
    return next((found for suffix, found in SUFFIXES.items() if name.endswith(suffix)), None)


class Unit(StrEnum):
    """What numbers count that stand for times. Without one: seconds, or what the column's name or size tells."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    M = "m"
    H = "h"


@dataclass(frozen=True, slots=True)
class Mapped(Generic[T]):
    """A column's value: as `values` maps the text, where there is a map; `default` for what is unknown or not in it.

    Without `column` it is always `default`. A default of None leaves a line without a value.
    """

    column: str | None = None
    values: Mapping[str, T] | None = None
    default: T | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """A column of times. `offset_ms` is the zone of those that state none."""

    column: str
    unit: Unit | None = None
    offset_ms: int = 0


@dataclass(frozen=True, slots=True)
class Lasting:
    """A column of durations."""

    column: str
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Between:
    """The time from one column to another."""

    begin: Clock
    end: Clock


@dataclass(frozen=True, slots=True)
class Counted:
    """Instances of one type: the column's number, `times` another column's, over `per_instance`, rounded up.

    `key`: the column holds text such as `cpu=8,gres/gpu=4`, and the number is that of the key.
    """

    column: str
    unit: Mapped[str]
    per_instance: int = 1
    key: str | None = None
    times: str | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """A column of instances for each type: {type: column}."""

    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Each:
    """Every job needs the same."""

    need: Capacity


Needed = Counted | Columns | Each


BAD_LEAST: Final = 10
"""Bad lines that a limit in percent allows of any file, however short."""


@dataclass(frozen=True, slots=True)
class MaxBad:
    """How many lines may be unusable: `count`, or `percent` of all lines and at least `BAD_LEAST`."""

    count: int | None = None
    percent: float = 1.0

    def allows(self, bad: int, lines: int) -> bool:
        return bad <= self.allowed(lines)

    def allowed(self, lines: int) -> int:
        """Return how many of so many lines may be bad."""
        return self.count if self.count is not None else max(BAD_LEAST, int(lines * self.percent / 100))


_MAX_BAD: Final = re.compile(r"([0-9]{1,9})|([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%")
MAX_BAD_PATTERN: Final = rf"^(?:{_MAX_BAD.pattern})$"
"""The form of a limit as a JSON Schema pattern."""


def parse_max_bad(text: str) -> MaxBad | None:
    """Return the limit that `20` or `0.5%` states, None for what is neither."""
    match = _MAX_BAD.fullmatch(text)
    if match is None:
        return None
    if match[1] is not None:
        return MaxBad(count=int(match[1]))
    percent = float(match[2])
    return MaxBad(percent=percent) if percent <= 100 else None


@dataclass(frozen=True, slots=True)
class Replay:
    """A history to replay. What is None is taken from the format, where the format says it.

    `shown` is the file as the scenario names it, for messages. `only` is {column: globs}: lines of other values are
    left out. `header` names the columns of a CSV file that has no header line. `from_ms` and `until_ms` count from the
    history's first job; `is_shifted` tells whether the first job that is taken is at 0.
    """

    file: str
    format: Format
    shown: str = ""
    delimiter: str | None = None
    header: tuple[str, ...] = ()
    share: Mapped[str] | None = None
    instances: Needed | None = None
    submit: Clock | None = None
    duration: Lasting | Between | None = None
    priority: Mapped[int] | None = None
    name: str | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limit: int | None = None
    from_ms: int | None = None
    until_ms: int | None = None
    is_shifted: bool = True
    checkpoint_ms: int | None = None
    checkpoint_continuous: bool = False
    preemption_retries: int | None = None
    max_bad: MaxBad = field(default_factory=MaxBad)
