"""Carry out one operation: on the world, and into the journal before anybody is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from ..model.arns import Scope
from .call import Call, Operations
from .cloudcontrol.operations import CLOUD_CONTROL
from .journal import Entry
from .operations import BATCH
from .refusal import Refusal
from .store import World
from .strikes import strike

SERVICES: Final[Mapping[str, Operations]] = {"batch": BATCH, "cloudcontrol": CLOUD_CONTROL}
_READS: Final = ("Describe", "List", "Get")


def call_of(world: World, scope: Scope) -> Call:
    """Return a call at the present instant."""
    return Call(world, world.region(scope), world.tick())


def perform(call: Call, service: str, operation: str, given: dict[str, Any]) -> dict[str, Any]:
    """Carry out an operation whose input is checked. Raises Refusal, having changed nothing."""
    work = SERVICES[service][operation]
    if operation.startswith(_READS):
        return work(call, given)
    world, scope = call.world, call.region.scope
    body = orjson.dumps(given) if world.journal.is_durable else b""
    mark = world.mark()
    try:
        output = work(call, given)
    except Refusal:
        world.reset(mark)
        raise
    world.write(Entry(call.at_ms, service, operation, scope.account, scope.region, body))
    return output


def strike_job(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Strike a job and write it down. Raises ValueError."""
    shown = strike(world, body, world.tick())
    world.write(Entry(world.tick(), "strike", "", "", "", orjson.dumps(body)))
    return shown


def note_clock(world: World) -> None:
    """Write down that the manual clock was moved to where it stands."""
    world.write(Entry(world.tick(), "clock", "", "", "", b"{}"))
