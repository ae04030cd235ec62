"""A stack that lives already, as the file that `pulumi import --file` reads: adopted, not created.

Logical names, parents and the provider are those of the program, so that the next preview shows no change. Source of
the format: Pulumi, `pulumi import` (resources, nameTable; a provider among the resources is created with its inputs).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..model.arns import Scope
from ..model.logical_names import (
    PROVIDER_NAME,
    PROVIDER_PACKAGE,
    QUEUE_TYPE,
    STACK_TYPE,
    resource_type,
    share_resource_name,
)
from ..model.stack import JobQueue, Stack

Entry = dict[str, Any]
_PROVIDER_KEY = f"provider:{PROVIDER_NAME}"
_STACK_KEY = "stack:"
"""Names within the file: only there, so that a component and a resource of one name differ. No AWS name has a colon."""

_SDK_DEFAULTS = dict.fromkeys(
    ("skipCredentialsValidation", "skipGetEc2Platforms", "skipMetadataApiCheck", "skipRegionValidation"), "true"
)
"""What pulumi_aws_native.Provider states where the program doesn't."""


def render(stack: Stack, *, provider_version: str | None = None) -> str:
    """Return the file. `provider_version` is the version of the provider's SDK that the program will use, if known."""
    return json.dumps({"resources": _entries(stack, provider_version)}, indent=2) + "\n"


def _entries(stack: Stack, provider_version: str | None) -> list[Entry]:
    """Return what to import, parents first."""
    scope = Scope(stack.account or "", stack.region)
    return [
        _provider(stack, provider_version),
        {"type": STACK_TYPE, "name": _STACK_KEY, "logicalName": stack.name, "component": True},
        *(
            _resource("SchedulingPolicy", f"policy:{name}", name, scope.scheduling_policy(name), _STACK_KEY)
            for name in stack.scheduling_policies
        ),
        *(
            _resource("ServiceEnvironment", f"environment:{name}", name, scope.service_environment(name), _STACK_KEY)
            for name in stack.service_environments
        ),
        *(entry for queue in stack.job_queues.values() for entry in _queue(queue, scope)),
    ]


def _provider(stack: Stack, version: str | None) -> Entry:
    """The explicit provider with the inputs that the program gives it; structured ones are JSON text."""
    inputs = {"region": stack.region, **_SDK_DEFAULTS}
    if stack.account is not None:
        inputs |= {"allowedAccountIds": json.dumps([stack.account]), "skipCredentialsValidation": "false"}
    entry: Entry = {
        "type": f"pulumi:providers:{PROVIDER_PACKAGE}",
        "name": _PROVIDER_KEY,
        "logicalName": PROVIDER_NAME,
        "inputs": inputs,
    }
    return {**entry, "version": version} if version else entry


def _queue(queue: JobQueue, scope: Scope) -> Iterator[Entry]:
    component = f"queue:{queue.name}"
    yield {"type": QUEUE_TYPE, "name": component, "logicalName": queue.name, "parent": _STACK_KEY, "component": True}
    yield _resource("JobQueue", f"job-queue:{queue.name}", queue.name, scope.job_queue(queue.name), component)
    for share in queue.quota_shares:
        name = share_resource_name(queue.name, share)
        yield _resource("QuotaShare", name, name, scope.quota_share(queue.name, share), component)


def _resource(kind: str, name: str, logical_name: str, arn: str, parent: str) -> Entry:
    return {
        "type": resource_type(kind),
        "name": name,
        "logicalName": logical_name,
        "id": arn,
        "parent": parent,
        "provider": _PROVIDER_KEY,
    }
