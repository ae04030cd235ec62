"""What DescribeServiceEnvironments and DescribeJobQueues have in common: names or ARNs in, details in pages out."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.service_facts import PAGE_SIZE_MAX
from ..call import Api, Call
from ..store import Kind, Resource
from ..texts import refuse
from .pages import page


def asked_for(call: Call, kind: Kind, names: list[str], request: Api, what: str) -> tuple[list[Resource], Api]:
    """Return the resources of one page in order of creation: the named ones (unknown ones absent), or all for none.

    One that was just deleted is among them once more, as DELETING, when it is named.
    """
    if len(names) > PAGE_SIZE_MAX:
        raise refuse("too-many-names")
    chosen = sorted(_named(call, kind, names), key=_seq) if names else list(call.region.all_of(kind))
    resources, token = page(chosen, lambda resource: (resource.seq,), request, what)
    for resource in resources:
        call.region.take_ghost(kind, resource.key)
    return resources, token


def _named(call: Call, kind: Kind, names: list[str]) -> Iterator[Resource]:
    keys = dict.fromkeys(key for name in names if (key := call.key_of(kind, name)))
    for key in keys:
        resource = call.region.find(kind, key) or call.region.ghosts.get((kind, key))
        if resource:
            yield resource


def _seq(resource: Resource) -> int:
    return resource.seq
