"""What a comparison yields: changes, status notes, and what could not be read. Values only, ready for any renderer.

A `Change` can't leave out its consequence, nor whether a refresh repairs it; an action is one of a closed set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..model.diagnostic import Severity
from ..model.observation import Problem
from ..model.stack import Path
from .kinds import Kind

Value = str | int | Mapping[str, object] | tuple[str, ...] | None
"""A declared or live value as plain data; None means absent."""


class Action(StrEnum):
    """What would make the account as declared.

    CREATE, UPDATE and REPLACE are Pulumi's to do; DELETE concerns what nobody declared and is left to a person.
    """

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"


class ResourceKind(StrEnum):
    SCHEDULING_POLICY = "scheduling policy"
    SERVICE_ENVIRONMENT = "service environment"
    JOB_QUEUE = "job queue"
    QUOTA_SHARE = "quota share"


class Outcome(StrEnum):
    """The answer to "is the account as declared?"."""

    IN_SYNC = "in sync"
    DRIFT = "drift"
    UNKNOWN = "could not tell"


EXIT_CODES: Mapping[Outcome, int] = {Outcome.IN_SYNC: 0, Outcome.DRIFT: 1, Outcome.UNKNOWN: 2}


def order(path: Path) -> tuple[str, ...]:
    """Sort key of a path: element by element, as text."""
    return tuple(str(element) for element in path)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference of one attribute, or of a whole resource where `attribute` is empty.

    `attribute` is relative to `resource`. `tolerated` says why the change does not count ("" when it counts).
    """

    about: Kind
    action: Action
    kind: ResourceKind
    resource: Path
    attribute: Path
    declared: Value
    live: Value
    consequence: str
    repaired_by_refresh: bool
    tolerated: str = ""

    @property
    def path(self) -> Path:
        return self.resource + self.attribute

    @property
    def severity(self) -> Severity:
        return Severity.NOTE if self.tolerated else self.about.severity


@dataclass(frozen=True, slots=True)
class StatusNote:
    """A resource that is INVALID or in transition; `counts` says whether that alone is drift."""

    about: Kind
    kind: ResourceKind
    path: Path
    status: str
    reason: str
    sentence: str

    @property
    def counts(self) -> bool:
        return self.about.severity is Severity.ERROR


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something the comparison needed and could not read; `what` names it for people."""

    about: Kind
    path: Path
    what: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class DriftReport:
    """The whole comparison of one declaration, each part ordered by path.

    `compared` counts the resources that were compared, by kind. `share_tags_compared` is False where they were left
    out on purpose.
    """

    name: str
    account: str
    region: str
    changes: tuple[Change, ...] = ()
    notes: tuple[StatusNote, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    compared: Mapping[ResourceKind, int] | None = None
    share_tags_compared: bool = True

    @property
    def counting(self) -> tuple[Change, ...]:
        """The changes that are not tolerated."""
        return tuple(change for change in self.changes if not change.tolerated)

    @property
    def outcome(self) -> Outcome:
        """What could not be read outweighs drift: a partial answer is never shown as a whole one."""
        if self.unreadable:
            return Outcome.UNKNOWN
        drifted = self.counting or any(note.counts for note in self.notes)
        return Outcome.DRIFT if drifted else Outcome.IN_SYNC

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]

    @property
    def drifted_resources(self) -> tuple[Path, ...]:
        """Each resource with a counting change or note, once, in the order of paths."""
        found = {change.resource for change in self.counting} | {note.path for note in self.notes if note.counts}
        return tuple(sorted(found, key=order))


def overall(reports: Iterable[DriftReport]) -> Outcome:
    """Return the outcome of several reports: could not tell before drift before in sync."""
    return max((report.outcome for report in reports), key=lambda one: EXIT_CODES[one], default=Outcome.IN_SYNC)
