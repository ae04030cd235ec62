"""Desired against observed: every difference with its consequence. Pure; reads nothing, knows no clock.

`compare(desired, observation)` is what others call; `KINDS` lists the kinds of drift by rule id.
"""

from .baseline import Weighed, weigh
from .changes import (
    EXIT_CODES,
    Action,
    Change,
    DriftReport,
    Outcome,
    ResourceKind,
    StatusNote,
    Unreadable,
    Value,
    overall,
)
from .compare import Unmanaged, compare
from .kinds import KINDS, Kind

__all__ = [
    "EXIT_CODES",
    "KINDS",
    "Action",
    "Change",
    "DriftReport",
    "Kind",
    "Outcome",
    "ResourceKind",
    "StatusNote",
    "Unmanaged",
    "Unreadable",
    "Value",
    "Weighed",
    "compare",
    "overall",
    "weigh",
]
