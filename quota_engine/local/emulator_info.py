"""Which emulator answers at an endpoint: each one started has an instance id of its own, GET /_emulator/info."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from quota_engine.model.service_facts import ACCOUNT_PATTERN

from .errors import EmulatorUnavailable

_TIMEOUT_S = 5
_FIX = "start one with `quota-engine serve` and name its address with --endpoint or AWS_ENDPOINT_URL_CLOUDCONTROL"


@dataclass(frozen=True, slots=True)
class EmulatorInfo:
    """An emulator: where it is, which one it is, and the account and region it answers for by default."""

    endpoint: str
    instance: str
    account: str
    region: str


def ask_emulator(endpoint: str) -> EmulatorInfo:
    """Return what answers at `endpoint`. Raises EmulatorUnavailable when that is no emulator."""
    endpoint = endpoint.rstrip("/")
    if urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname:
        raise EmulatorUnavailable(f"{endpoint!r} is not an address like http://127.0.0.1:4577", fix=_FIX)
    try:
        # The scheme is checked above; proxies must not see what goes to this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{endpoint}/_emulator/info", timeout=_TIMEOUT_S) as answer:
            info = json.loads(answer.read())
        return EmulatorInfo(endpoint, str(info["instance"]), str(info["account"]), str(info["region"]))
    except urllib.error.HTTPError as error:
        raise EmulatorUnavailable(
            f"{endpoint} answers, but is no emulator", why=f"HTTP {error.code}", fix=_FIX
        ) from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise EmulatorUnavailable(f"no emulator answers at {endpoint}", why=str(reason), fix=_FIX) from error
    except (ValueError, KeyError, TypeError) as error:
        raise EmulatorUnavailable(f"{endpoint} answers, but is no emulator", why=str(error), fix=_FIX) from error


def account_of_key(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the account that AWS_ACCESS_KEY_ID stands for with the emulator: its 12 digits, None for another key."""
    key = environ.get("AWS_ACCESS_KEY_ID", "")
    return key if ACCOUNT_PATTERN.fullmatch(key) else None
