"""Injected faults: the next calls of an operation are throttled or fail, whoever makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from .refusal import Refusal
from .texts import refuse

ANY_OPERATION: Final = "*"
_STATUS_LOWEST: Final = 400
_STATUS_HIGHEST: Final = 599


@dataclass(slots=True)
class Fault:
    """What the next `count` calls of `operation` get instead of being carried out."""

    operation: str
    count: int
    refusal: Refusal

    def shown(self) -> dict[str, Any]:
        return {
            "operation": self.operation,
            "count": self.count,
            "code": self.refusal.code,
            "status": self.refusal.status,
            "message": self.refusal.text,
        }


@dataclass(slots=True)
class FaultBook:
    """The faults still to come, in the order they were asked for."""

    faults: list[Fault] = field(default_factory=list)

    def strike(self, operation: str) -> None:
        """Raise the Refusal of the first fault that is meant for this operation, using it up by one."""
        for fault in self.faults:
            if fault.operation in (operation, ANY_OPERATION):
                fault.count -= 1
                if fault.count == 0:
                    self.faults.remove(fault)
                raise fault.refusal


def read_fault(given: dict[str, Any]) -> Fault:
    """Build a fault from a request's members. Raises ValueError naming what is wrong."""
    operation, kind, count = given.get("operation"), given.get("kind", "throttle"), given.get("count", 1)
    if not isinstance(operation, str) or not operation:
        raise ValueError('operation names an operation such as SubmitServiceJob, or "*" for any')
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError("count is how many calls are hit, 1 or more")
    if kind == "throttle":
        return Fault(operation, count, refuse("throttled"))
    if kind != "fail":
        raise ValueError("kind is throttle or fail")
    status, code = given.get("status", 500), given.get("code", "ServerException")
    message = given.get("message", "Injected failure")
    if not isinstance(status, int) or not _STATUS_LOWEST <= status <= _STATUS_HIGHEST:
        raise ValueError("status is an HTTP status from 400 to 599")
    if not isinstance(code, str) or not code.isascii() or not code.isprintable() or not isinstance(message, str):
        raise ValueError("code and message are text")
    return Fault(operation, count, Refusal(message, code, status))
