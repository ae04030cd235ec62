"""A stand-in between client and emulator that hands everything on, but spoils the answers of chosen operations."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.live.recorded_account import Fault


@dataclass
class OnTheWay:
    """`faults` are by operation in lower case. A fault without body halves the right answer's; `seen` are the calls."""

    url: str = ""
    faults: dict[str, Fault] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)


TRUNCATED = Fault(200, b"")
"""The first half of the right answer, declared as the whole."""


@contextmanager
def on_the_way(endpoint: str) -> Iterator[OnTheWay]:
    """Serve the stand-in before an emulator on a free loopback port."""
    state = OnTheWay()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            operation = self.path.rsplit("/", 1)[-1]
            state.seen.append(operation)
            fault = state.faults.get(operation)
            request = self.rfile.read(int(self.headers.get("content-length", 0)))
            if fault is not None and fault.status == 0:
                self.close_connection = True
                self.connection.close()
            elif fault is None or fault == TRUNCATED:
                status, kind, body = self._hand_on(request)
                self._answer(status, kind, body[: len(body) // 2] if fault else body)
            else:
                self._answer(fault.status, fault.error_type, fault.body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the tests look at what became of the calls."""

        def _hand_on(self, body: bytes) -> tuple[int, str, bytes]:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            asked = urllib.request.Request(endpoint + self.path, body, headers, method="POST")
            try:
                with urllib.request.urlopen(asked) as answer:
                    return answer.status, "", answer.read()
            except urllib.error.HTTPError as error:
                return error.code, error.headers.get("x-amzn-ErrorType", ""), error.read()

        def _answer(self, status: int, error_type: str, body: bytes) -> None:
            self.send_response(status)
            if error_type:
                self.send_header("x-amzn-ErrorType", error_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
