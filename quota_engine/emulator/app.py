"""The ASGI application: AWS calls on the direct path, the emulator's own routes through Starlette.

Every request is carried out whole between two awaits, on one event loop: concurrent clients see one consistent order.
"""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from .control import control_app
from .dispatch import HttpRequest, answer
from .guard import BODY_MAX_BYTES, refused_caller
from .refusal import Refusal
from .settings import Settings
from .start import new_world
from .store import World
from .texts import refuse
from .wire import restjson
from .wire.answer import Answer

_NO_REQUEST_ID: Final = "00000000-0000-0000-0000-000000000000"


def create_app(settings: Settings) -> ASGIApp:
    """Return the emulator as an ASGI application, with a new world."""
    return app_of(new_world(settings))


def app_of(world: World) -> ASGIApp:
    """Return the application that serves `world`."""
    control = control_app(world)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        reason = refused_caller(headers, world.settings)
        if reason is not None:
            await _send(send, restjson.failure(Refusal(reason, "AccessDeniedException", 403), _NO_REQUEST_ID))
            return
        body = await _read_body(headers, receive)
        if body is None:
            await _send(send, restjson.failure(refuse("too-large", limit=BODY_MAX_BYTES), _NO_REQUEST_ID))
        elif _is_control(scope, headers):
            await control(scope, _replay(body), send)
        else:
            raw_path = scope.get("raw_path", b"").decode("latin-1")
            query_string = scope["query_string"].decode("latin-1")
            await _send(send, answer(world, HttpRequest(scope["method"], raw_path, query_string, headers, body)))

    return app


def _is_control(scope: Scope, headers: dict[str, str]) -> bool:
    """Tell whether a request is for the emulator itself and not for a service it plays."""
    path: str = scope["path"]
    is_page = path == "/" and scope["method"] in ("GET", "HEAD") and b"Action=" not in scope["query_string"]
    return "x-amz-target" not in headers and (is_page or path.startswith("/_emulator/"))


async def _read_body(headers: dict[str, str], receive: Receive) -> bytes | None:
    """Return the whole body, None when it is too large or the client went away."""
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > BODY_MAX_BYTES:
        return None
    chunks, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > BODY_MAX_BYTES:
            return None
        chunks.append(chunk)
        more = message.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _replay(body: bytes) -> Receive:
    """Return a receive that hands out the body that was already read."""

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _send(send: Send, answer: Answer) -> None:
    length = (b"content-length", str(len(answer.body)).encode())
    await send({"type": "http.response.start", "status": answer.status, "headers": [*answer.headers, length]})
    await send({"type": "http.response.body", "body": answer.body})
