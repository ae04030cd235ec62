"""Stand-ins between client and emulator that hand everything on, but for the calls that are to fail."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

Refusal = tuple[int, dict[str, str], dict[str, str]]
"""Status, headers and JSON body of an answer."""


@contextmanager
def failing(endpoint: str, operation: str, nth: int) -> Iterator[str]:
    """Yield an address that leads to `endpoint`; Cloud Control's `nth` call of `operation` fails and isn't done."""
    calls = count(1)
    lock = threading.Lock()
    body = {"__type": "GeneralServiceException", "Message": "The network failed."}

    def refusal(path: str, target: str) -> Refusal | None:
        with lock:
            fails = target.endswith(f".{operation}") and next(calls) == nth
        return (400, {"content-type": "application/x-amz-json-1.0"}, body) if fails else None

    with _between(endpoint, refusal) as address:
        yield address


@contextmanager
def forbidding(endpoint: str, path: str) -> Iterator[str]:
    """Yield an address that leads to `endpoint`, where no call of this path of Batch is allowed."""
    body = {"message": "not authorized to perform this action"}
    headers = {"content-type": "application/json", "x-amzn-ErrorType": "AccessDeniedException"}

    def refusal(asked: str, target: str) -> Refusal | None:
        return (403, headers, body) if asked == path else None

    with _between(endpoint, refusal) as address:
        yield address


@contextmanager
def _between(endpoint: str, refusal: Callable[[str, str], Refusal | None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            refused = refusal(self.path, self.headers.get("x-amz-target", ""))
            if refused:
                status, headers, answer = refused
                self._answer(status, json.dumps(answer).encode(), headers)
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
