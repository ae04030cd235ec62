"""What stands beside declarations: a fleet of them, and differences that are accepted for a while."""

from __future__ import annotations

from dataclasses import dataclass

from .stack import Path

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]
"""A value as YAML and JSON have it."""


@dataclass(frozen=True, slots=True)
class FleetStack:
    """One declaration of a fleet: its file, relative to the fleet's, and as whom to look at its account."""

    file: str
    profile: str | None = None
    role_arn: str | None = None


@dataclass(frozen=True, slots=True)
class Fleet:
    """Several declarations, of any accounts and regions, looked at in one run."""

    stacks: tuple[FleetStack, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    """One difference that is known and accepted through the day `until` (YYYY-MM-DD).

    `text` is the path as reports write it, `path` its elements. With `has_live` only that live value is accepted; with
    `stack` only in the declaration of that name.
    """

    text: str
    path: Path
    reason: str
    until: str
    live: Plain = None
    has_live: bool = False
    stack: str | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted differences, in the file's order."""

    accept: tuple[Accepted, ...]
