"""A network that fails once: it hands everything on to the emulator, but for one call of Cloud Control."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count


@contextmanager
def failing(endpoint: str, operation: str, nth: int) -> Iterator[str]:
    """Yield an address that leads to `endpoint`, where the `nth` call of `operation` is refused and not carried out."""
    calls = count(1)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            with lock:
                fails = self.headers.get("x-amz-target", "").endswith(f".{operation}") and next(calls) == nth
            if fails:
                refusal = {"__type": "GeneralServiceException", "Message": "The network failed."}
                self._answer(400, json.dumps(refusal).encode(), {"content-type": "application/x-amz-json-1.0"})
            else:
                self._hand_on(body)

        def do_GET(self) -> None:
            self._hand_on(None)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the tests look at what became of the calls."""

        def _hand_on(self, body: bytes | None) -> None:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            request = urllib.request.Request(endpoint + self.path, body, headers, method=self.command)
            try:
                with urllib.request.urlopen(request) as answer:
                    self._answer(answer.status, answer.read(), dict(answer.headers))
            except urllib.error.HTTPError as error:
                self._answer(error.code, error.read(), dict(error.headers))

        def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
