"""Where published events go: a file, standard output or an HTTP server on this machine, one JSON object each.

The only module that writes events anywhere. Publishing never holds up an answer to a client for long: what goes over
HTTP goes from a thread of its own, in order.
"""

from __future__ import annotations

import http.client
import logging
import queue
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol
from urllib.parse import SplitResult, urlsplit

import orjson

from ..model.trouble import Trouble
from .settings import LOOPBACK_HOSTS

_LOG: Final = logging.getLogger("quota_engine.emulator")
STANDARD_OUTPUT: Final = "-"
_WAITING_MAX: Final = 10_000
_TRIES: Final = 3
_TIMEOUT_S: Final = 5
_CLOSE_S: Final = 5


class EventsUnavailable(Trouble):
    """Events can't go where they were to go."""


class Target(Protocol):
    """Takes events, in the order in which they happened."""

    def publish(self, event: Any) -> None: ...

    def close(self) -> None: ...


def open_target(where: str) -> Target:
    """Return the target for a file's path, `-` for standard output, or an http:// address of this machine.

    Raises EventsUnavailable.
    """
    if where == STANDARD_OUTPUT:
        return StreamTarget(sys.stdout.buffer)
    if where.startswith(("http://", "https://")):
        return HttpTarget(_address(where))
    try:
        return StreamTarget(Path(where).open("ab"))
    except OSError as error:
        fix = "name a file that can be written"
        raise EventsUnavailable(f"events can't be written to {where}", why=str(error), fix=fix) from error


def _address(where: str) -> SplitResult:
    try:
        parts = urlsplit(where)
        port = parts.port
    except ValueError as error:
        fix = "correct the address"
        raise EventsUnavailable(f"events can't be sent to {where}", why=str(error), fix=fix) from error
    if parts.scheme != "http" or parts.hostname not in LOOPBACK_HOSTS or port == 0:
        raise EventsUnavailable(
            f"events can't be sent to {where}",
            why="they go to this machine only, without TLS: nothing leaves it by mistake",
            fix="use http://localhost:PORT/path, and forward from there",
        )
    return parts


class StreamTarget:
    """Writes a line for each event."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._is_lost = False

    def publish(self, event: Any) -> None:
        if self._is_lost:
            return
        try:
            self._stream.write(orjson.dumps(event) + b"\n")
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._is_lost = True
            _LOG.error("no more events are written: %s", error)

    def close(self) -> None:
        if self._stream is not sys.stdout.buffer:
            self._stream.close()


class HttpTarget:
    """Posts each event from a thread; one that can't be delivered in a few tries is dropped, and that is logged."""

    def __init__(self, address: SplitResult) -> None:
        self._address = address
        self._waiting: queue.Queue[Any] = queue.Queue(_WAITING_MAX)
        self._thread = threading.Thread(target=self._deliver_all, name="events", daemon=True)
        self._thread.start()

    def publish(self, event: Any) -> None:
        try:
            self._waiting.put_nowait(event)
        except queue.Full:
            _LOG.error("an event was dropped: %d others wait for %s", _WAITING_MAX, self._address.geturl())

    def close(self) -> None:
        """Deliver what still waits, for a few seconds at most."""
        self._waiting.put(None)
        self._thread.join(_CLOSE_S)

    def _deliver_all(self) -> None:
        while (event := self._waiting.get()) is not None:
            self._deliver(orjson.dumps(event))

    def _deliver(self, body: bytes) -> None:
        problem: object = None
        for _ in range(_TRIES):
            try:
                status = self._post(body)
            except (OSError, http.client.HTTPException) as error:
                problem = error
                continue
            if status < http.HTTPStatus.INTERNAL_SERVER_ERROR:
                return
            problem = f"HTTP status {status}"
        _LOG.error("an event was not delivered to %s: %s", self._address.geturl(), problem)

    def _post(self, body: bytes) -> int:
        parts = self._address
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            return connection.getresponse().status
        finally:
            connection.close()
