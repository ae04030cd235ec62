"""How the Pulumi program calls what it registers: logical names and type tokens. The program and `import` share them.

A name that changes here would have Pulumi replace what is deployed under the old one.
"""

from __future__ import annotations

from typing import Final

STACK_TYPE: Final = "quota-engine:batch:QuotaManagedStack"
QUEUE_TYPE: Final = "quota-engine:batch:QuotaManagedQueue"
"""The two component types."""

PROVIDER_PACKAGE: Final = "aws-native"
PROVIDER_NAME: Final = "aws-native"
"""The package that has the four resource types, and the logical name of the explicit provider."""


def resource_type(kind: str) -> str:
    """Return the type token of a resource, e.g. of "QuotaShare"."""
    return f"{PROVIDER_PACKAGE}:batch:{kind}"


def share_resource_name(queue: str, share: str) -> str:
    """Return the logical name of a share: its queue's name, a dot, its own."""
    return f"{queue}.{share}"
