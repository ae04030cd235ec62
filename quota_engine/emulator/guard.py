"""Who may talk to the emulator: Host and Origin are checked, so that no web page can reach it behind a user's back.

A page whose name is rebound to 127.0.0.1 sends its own name as Host; a page that posts to the emulator's address sends
its Origin. SDKs send the address they were given, and no Origin.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from .settings import LOOPBACK_HOSTS, Settings

BODY_MAX_BYTES: Final = 1 << 20


def refused_caller(headers: Mapping[str, str], settings: Settings) -> str | None:
    """Return why a request is not served, None when it is."""
    host = headers.get("host", "")
    if host and not _is_allowed(_name_of(host), settings):
        return f"the Host {host!r} is not one this emulator serves; start it with --allow-host to add one"
    origin = headers.get("origin")
    if origin is not None and not _is_allowed(urlsplit(origin).hostname or "", settings):
        return f"web pages of {origin!r} may not use this emulator"
    if headers.get("sec-fetch-site") == "cross-site":
        return "web pages of other sites may not use this emulator"
    return None


def _name_of(host: str) -> str:
    """Return a Host header's name without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_allowed(name: str, settings: Settings) -> bool:
    name = name.lower().rstrip(".")
    if name in LOOPBACK_HOSTS or name == settings.host.lower() or name in settings.allowed_hosts:
        return True
    return not settings.is_loopback and _is_address(name)


def _is_address(name: str) -> bool:
    """Tell whether a name is an IP address: an address can't be rebound."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
