"""A queue's state as types and their attributes, which pickle can carry from any build of the scheduler to any other.

The classes of the compiled scheduler make no object without their arguments, as pickle would. So what refers to one
another is made blank, and then given its attributes. The functions that order heads and victims are not kept: the
assumptions say which they are.
"""

from __future__ import annotations

import copyreg
import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..model.stack import JobQueue, QuotaShare, ServiceEnvironment, Strategy
from ..model.work import Job, Timing
from ..scheduler.assumptions import Assumptions
from ..scheduler.ledger import Ledger, Need
from ..scheduler.order import head_key_of, victim_key_of
from ..scheduler.state import Claim, JobRecord, SchedulerState, ShareState, Stopping
from ..scheduler.trace import PreemptionKind, StartKind

_FUNCTIONS: Final = ("head_key", "victim_key", "emit")
"""Attributes of a queue's state that `fill` sets, or that are set whenever the state changes."""


def reducers() -> dict[type, Callable[[Any], Any]]:
    """Return pickle's table of how objects become bytes, with the scheduler's classes in it."""
    return {**copyreg.dispatch_table, **dict.fromkeys(_BLANKS, _referring)}


def _referring(one: object) -> tuple[Any, ...]:
    return blank, (type(one),), _attributes(one), None, None, fill


def _attributes(one: object) -> dict[str, Any]:
    """Return {attribute: value}. A slotted object of pure Python tells them as the second of a pair."""
    told: Any = object.__reduce_ex__(one, 4)[2]
    attributes: dict[str, Any] = told if isinstance(told, dict) else told[1]
    return {name: value for name, value in attributes.items() if name not in _FUNCTIONS}


def blank(made: type) -> object:
    """Return a new object of one of the classes whose objects refer to one another. Raises KeyError for another."""
    return _BLANKS[made]()


def fill(one: object, attributes: Mapping[str, Any]) -> None:
    """Give a blank object its attributes. Raises TypeError for an object of any other class."""
    if type(one) not in _BLANKS:
        raise TypeError(f"{type(one).__name__} is filled by nobody")
    for name, value in attributes.items():
        setattr(one, name, value)
    if isinstance(one, SchedulerState):
        one.head_key, one.victim_key = head_key_of(one.assumptions), victim_key_of(one.assumptions)


@functools.cache
def _nothing() -> tuple[Job, ShareState, Need]:
    """Return what a blank record is made with."""
    share = ShareState(QuotaShare("", {}, Strategy.RESERVE), 0, 0)
    return Job("", "", {}), share, Ledger().need_of({})


def _record() -> JobRecord:
    return JobRecord(*_nothing(), 0, 0)


def _queue() -> SchedulerState:
    return SchedulerState(JobQueue("", (), None), ServiceEnvironment("", {}), Timing(), Assumptions(), 0)


_BLANKS: Final[Mapping[type, Callable[[], object]]] = {
    SchedulerState: _queue,
    ShareState: lambda: ShareState(_nothing()[1].settings, 0, 0),
    JobRecord: _record,
    Claim: lambda: Claim(_record(), StartKind.OWN, ()),
    Stopping: lambda: Stopping(PreemptionKind.IN_SHARE, "", "", None),
    Ledger: Ledger,
    Need: lambda: Ledger().need_of({}),
}
