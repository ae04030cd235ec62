"""uvicorn's HTTP protocol with bounds: a request must arrive whole in time, and its head must be small.

Without them a client that sends a byte a minute, or headers without end, would hold a connection for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_MAX_BYTES: Final = 64 * 1024


def bounded_protocol(timeout_s: float) -> type[HttpToolsProtocol]:
    """Return the protocol class for servers that give a request `timeout_s` seconds to arrive."""

    class BoundedProtocol(HttpToolsProtocol):
        """Arms a timer when a connection opens or a request begins, and stops it when the request has arrived."""

        _timer: asyncio.TimerHandle | None = None
        _head_bytes = 0
        """What has arrived of a head that is not complete yet, -1 once it is."""
        _named_bytes = 0
        """Address and headers of the present request, which may have arrived all at once."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._arm()

        def data_received(self, data: bytes) -> None:
            if self._head_bytes >= 0:
                self._head_bytes += len(data)
            super().data_received(data)
            if self._head_bytes > HEAD_MAX_BYTES:
                self._give_up()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._head_bytes = self._named_bytes = 0
            if self._timer is None:
                self._arm()

        def on_url(self, url: bytes) -> None:
            self._named_bytes += len(url)
            super().on_url(url)

        def on_header(self, name: bytes, value: bytes) -> None:
            self._named_bytes += len(name) + len(value)
            super().on_header(name, value)

        def on_headers_complete(self) -> None:
            self._head_bytes = -1
            if self._named_bytes > HEAD_MAX_BYTES:
                self._give_up()
            else:
                super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._disarm()
            super().on_message_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._disarm()
            super().connection_lost(exc)

        def _arm(self) -> None:
            self._timer = self.loop.call_later(timeout_s, self._give_up)

        def _disarm(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            if not self.transport.is_closing():
                self.transport.close()

    return BoundedProtocol
