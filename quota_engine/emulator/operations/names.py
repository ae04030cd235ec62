"""A name that is taken is answered before any other complaint about a create request (seen in real clients' needs)."""

from __future__ import annotations

from typing import Any, Final

from ..call import Call
from ..store import Kind
from ..texts import refuse

_NAMED_BY: Final = {
    "CreateSchedulingPolicy": (Kind.POLICY, "name"),
    "CreateServiceEnvironment": (Kind.ENVIRONMENT, "serviceEnvironmentName"),
    "CreateJobQueue": (Kind.QUEUE, "jobQueueName"),
}


def refuse_taken_name(call: Call, operation: str, given: dict[str, Any]) -> None:
    """Refuse a create request whose name is taken, before its shape is looked at."""
    if operation == "CreateQuotaShare":
        name, queue = given.get("quotaShareName"), given.get("jobQueue")
        found = call.find(Kind.QUEUE, queue) if isinstance(queue, str) else None
        if found and isinstance(name, str) and call.region.find(Kind.SHARE, f"{found.name}/{name}"):
            raise refuse("share-exists", name=name)
    elif operation in _NAMED_BY:
        kind, member = _NAMED_BY[operation]
        if isinstance(given.get(member), str) and call.region.find(kind, given[member]):
            raise refuse("exists")
