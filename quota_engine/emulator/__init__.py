"""A local AWS Batch for quota management, with the Cloud Control face that infrastructure tools use.

HTTP ↔ operation (`wire`), operations over the store, and `driver`, which feeds the scheduler the emulator's clock. It
holds no scheduling rule and types no shape of the API by hand. `serve` and `running` start it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .settings import ClockKind, LifecycleDelays, RepeatedToken, Settings

if TYPE_CHECKING:
    from .app import create_app
    from .journal import StateUnavailable
    from .server import Endpoint, PortUnavailable, running, serve
    from .start import StackRefused
    from .targets import EventsUnavailable

__all__ = [
    "ClockKind",
    "Endpoint",
    "EventsUnavailable",
    "LifecycleDelays",
    "PortUnavailable",
    "RepeatedToken",
    "Settings",
    "StackRefused",
    "StateUnavailable",
    "create_app",
    "running",
    "serve",
]

_HOMES = {
    "create_app": "app",
    "Endpoint": "server",
    "PortUnavailable": "server",
    "running": "server",
    "serve": "server",
    "StackRefused": "start",
    "EventsUnavailable": "targets",
    "StateUnavailable": "journal",
}


def __getattr__(name: str) -> Any:
    """Load the web server only when it is asked for: settings alone cost nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
