"""From a request to its operation and back: the one way in for Batch, Cloud Control and STS.

Pure of HTTP servers: an HTTP message in, an `Answer` out. Everything a caller does wrong becomes a 4xx here; what is
left is a fault of ours, logged with its traceback and answered as the service's 500.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..model.arns import Scope
from .operations import BATCH
from .operations.names import refuse_taken_name
from .perform import call_of, perform
from .refusal import Refusal
from .store import World
from .texts import refuse
from .wire import json10, query, restjson
from .wire.answer import Answer
from .wire.conform import conform
from .wire.credential import scope_of

_LOG: Final = logging.getLogger("quota_engine.emulator")
_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What of an HTTP request matters. `headers` have lower-case names; `raw_path` is still escaped."""

    method: str
    raw_path: str
    query_string: str
    headers: Mapping[str, str]
    body: bytes


def answer(world: World, request: HttpRequest) -> Answer:
    """Answer one request of an AWS client."""
    request_id = str(uuid.uuid4())
    target = request.headers.get("x-amz-target")
    if target is not None:
        return _guarded(lambda: _cloud_control(world, request, target, request_id), json10.failure, request_id)
    if request.raw_path == "/" and _is_query(request):
        return _guarded(lambda: _sts(world, request, request_id), query.failure, request_id)
    return _guarded(lambda: _batch(world, request, request_id), restjson.failure, request_id)


def _guarded(work: Callable[[], Answer], failure: Callable[[Refusal, str], Answer], request_id: str) -> Answer:
    """Turn a refusal into its answer, and our own fault into a logged 500."""
    try:
        return work()
    except Refusal as refusal:
        return failure(refusal, request_id)
    except Exception:
        _LOG.exception("internal error in request %s", request_id)
        return failure(Refusal("Internal error of the emulator; see its log.", "ServerException", 500), request_id)


def _is_query(request: HttpRequest) -> bool:
    return request.headers.get("content-type", "").startswith(_FORM) or "Action=" in request.query_string


def _batch(world: World, request: HttpRequest, request_id: str) -> Answer:
    route, in_path = restjson.find_route(request.method, request.raw_path)
    operation = route.operation
    if operation not in BATCH:
        raise refuse("not-emulated", operation=operation)
    call = call_of(world, _scope(world, request))
    world.faults.strike(operation)
    given = restjson.read_input(route, in_path, request.query_string, request.body)
    refuse_taken_name(call, operation, given)
    output = perform(call, "batch", operation, conform("batch", operation, given))
    return restjson.success(output, request_id)


def _cloud_control(world: World, request: HttpRequest, target: str, request_id: str) -> Answer:
    operation = json10.operation_of(target)
    call = call_of(world, _scope(world, request))
    world.faults.strike(operation)
    try:
        given = conform("cloudcontrol", operation, json10.read_input(request.body))
    except Refusal as refusal:
        code = "ValidationException" if refusal.code == "ClientException" else refusal.code
        raise Refusal(refusal.text, code) from None
    return json10.success(perform(call, "cloudcontrol", operation, given), request_id)


def _sts(world: World, request: HttpRequest, request_id: str) -> Answer:
    return query.answer_sts(request.body, request.query_string, _scope(world, request), request_id)


def _scope(world: World, request: HttpRequest) -> Scope:
    return scope_of(request.headers.get("authorization"), world.settings)
