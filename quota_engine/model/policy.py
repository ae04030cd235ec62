"""An organisation's own rule about what it declares, as `kind: policy` states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .diagnostic import Severity


class Subject(StrEnum):
    """What a policy is about."""

    STACK = "stack"
    ENVIRONMENT = "environment"
    QUEUE = "queue"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Policy:
    """`schema` is a JSON Schema (2020-12) that every object of `applies_to` must meet.

    `stacks`, `queues` and `shares` are globs of names; one that is empty stands for all. `file` is where it is stated.
    """

    id: str
    name: str
    severity: Severity
    message: str
    applies_to: Subject
    schema: Mapping[str, Any]
    why: str = ""
    fix: str = ""
    stacks: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    file: str = field(default="", compare=False)
