"""Birth, change and death of resources: statuses over time, and what may happen in which.

With the default delays of zero a resource is VALID at once, and a deleted one is gone at once but for one last look:
the next describe by its name shows DELETING (assumption A-31). With delays, it holds its name until it is gone.
"""

from __future__ import annotations

from .call import Call
from .store import Resource, Status
from .texts import refuse


def born(call: Call, resource: Resource) -> None:
    """Put a new resource into the store as CREATING."""
    _change(resource, Status.CREATING, call.at_ms + call.settings.delays.create_ms)
    call.region.put(resource)


def changed(call: Call, resource: Resource) -> None:
    """Mark a resource as UPDATING from now on."""
    _change(resource, Status.UPDATING, call.at_ms + call.settings.delays.update_ms)


def dying(call: Call, resource: Resource, *, leave_ghost: bool = True) -> None:
    """Begin a deletion; after the delay the resource is gone."""
    delay_ms = call.settings.delays.delete_ms
    _change(resource, Status.DELETING, call.at_ms + delay_ms)
    if delay_ms == 0:
        call.region.remove(resource, leave_ghost=leave_ghost)
        return
    region = call.region
    call.world.call_at(call.at_ms + delay_ms, lambda _at_ms: region.remove(resource, leave_ghost=False))


def require_settled_for_update(call: Call, resource: Resource) -> None:
    """Refuse to update what is still being created, updated or deleted."""
    if resource.status_at(call.at_ms) is not Status.VALID:
        raise refuse("update-being-modified")


def require_deletable(call: Call, resource: Resource) -> None:
    """Refuse to delete what is being modified or is not DISABLED."""
    if resource.status_at(call.at_ms) is not Status.VALID:
        raise refuse("being-modified")
    if resource.detail.get("state") != "DISABLED":
        raise refuse("not-disabled", what=resource.kind)


def _change(resource: Resource, status: Status, settles_at_ms: int) -> None:
    resource.change = status
    resource.settles_at_ms = settles_at_ms
