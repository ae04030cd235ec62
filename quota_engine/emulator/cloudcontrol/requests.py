"""Carrying out resource requests: PENDING, then IN_PROGRESS while the handler works, then SUCCESS or FAILED.

A request is a chain of steps on the emulator's clock; a step either names the next one and its delay, or ends it. With
the default delays all steps run at once, and only the answer to the call itself still says IN_PROGRESS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..call import Call
from ..refusal import Refusal
from .book import OperationStatus, Request

Step = Callable[[Call], "Next | None"]
"""One piece of a handler's work; it may name what follows. Raises Refusal to fail the request."""


@dataclass(frozen=True, slots=True)
class Next:
    """Do `step` after `delay_ms`."""

    delay_ms: int
    step: Step


def begin(call: Call, request: Request, first_step: Step) -> None:
    """Start a request: PENDING for the configured while, then its steps."""
    call.region.requests.add(request)
    _after(call, request, call.settings.delays.pending_ms, first_step)


def _after(call: Call, request: Request, delay_ms: int, step: Step) -> None:
    if delay_ms == 0:
        _run(call, request, step)
    else:
        at = call.at_ms + delay_ms
        call.world.call_at(at, lambda at_ms: _run(Call(call.world, call.region, at_ms), request, step))


def _run(call: Call, request: Request, step: Step) -> None:
    """Run one step of a request that was not cancelled meanwhile."""
    if not request.status.is_open:
        return
    request.status, request.event_at_ms = OperationStatus.IN_PROGRESS, call.at_ms
    try:
        following = step(call)
    except Refusal as refusal:
        request.status = OperationStatus.FAILED
        request.error_code, request.message = error_code(refusal), refusal.text
        return
    if following is None:
        request.status = OperationStatus.SUCCESS
    else:
        _after(call, request, following.delay_ms, following.step)


_HANDLER_CODES = frozenset({"NotUpdatable", "NotFound", "InvalidRequest", "AlreadyExists"})


def error_code(refusal: Refusal) -> str:
    """Return the HandlerErrorCode of a refusal, as Batch's own handler maps the service's texts."""
    if refusal.code in _HANDLER_CODES:
        return refusal.code
    if "already exists" in refusal.text:
        return "AlreadyExists"
    if "does not exist" in refusal.text:
        return "NotFound"
    if "being modified" in refusal.text:
        return "ResourceConflict"
    return "InvalidRequest"
