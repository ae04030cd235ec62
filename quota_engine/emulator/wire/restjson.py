"""Batch's protocol, rest-json: which operation a request is, its input, and how answers and errors look.

Errors carry the code in `x-amzn-ErrorType` and a lower-case `message`: with less, botocore does not fill
`error.response["message"]`, which client code reads.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, unquote

from botocore.model import OperationModel

from ..refusal import Refusal
from ..texts import refuse
from .answer import Answer, dump_json, parse_json
from .models import service_model

_JSON: Final = (b"content-type", b"application/json")
_EMPTY: Final = b"{}"


@dataclass(frozen=True, slots=True)
class Route:
    """One operation's HTTP binding. `pattern` is None for a fixed path; `places` says where members are found."""

    operation: str
    pattern: re.Pattern[str] | None
    uri_member: str | None
    query_lists: tuple[tuple[str, str], ...]
    has_body: bool


@functools.cache
def _routes() -> tuple[dict[tuple[str, str], Route], list[tuple[str, Route]]]:
    """Return the fixed routes by (method, path), and those with a member in the path as (method, route)."""
    fixed: dict[tuple[str, str], Route] = {}
    templated: list[tuple[str, Route]] = []
    model = service_model("batch")
    for name in model.operation_names:
        operation = model.operation_model(name)
        method, uri = operation.http["method"], operation.http["requestUri"]
        route = _route(operation, uri)
        if route.pattern is None:
            fixed[method, uri] = route
        else:
            templated.append((method, route))
    return fixed, templated


def _route(operation: OperationModel, uri: str) -> Route:
    members = operation.input_shape.members if operation.input_shape else {}
    places = {name: shape.serialization for name, shape in members.items()}
    uri_member = next((name for name, place in places.items() if place.get("location") == "uri"), None)
    query = tuple(
        (place.get("name", name), name) for name, place in places.items() if place.get("location") == "querystring"
    )
    pattern = None
    if uri_member is not None:
        head, _, tail = uri.partition("{" + places[uri_member].get("name", uri_member) + "}")
        pattern = re.compile(re.escape(head) + "(.+)" + re.escape(tail))
    return Route(operation.name, pattern, uri_member, query, any("location" not in place for place in places.values()))


def find_route(method: str, raw_path: str) -> tuple[Route, str | None]:
    """Return the route of a request and the still escaped text in its path. Raises Refusal for an unknown one."""
    fixed, templated = _routes()
    route = fixed.get((method, raw_path))
    if route is not None:
        return route, None
    for route_method, candidate in templated:
        match = candidate.pattern.fullmatch(raw_path) if candidate.pattern and method == route_method else None
        if match:
            return candidate, match[1]
    raise refuse("no-such-operation", what=f"{method} {unquote(raw_path)}")


def read_input(route: Route, in_path: str | None, query_string: str, body: bytes) -> dict[str, Any]:
    """Gather an operation's input from body, path and query. The result is not yet checked against the shape."""
    params: dict[str, Any] = {}
    if route.has_body and body.strip():
        parsed = parse_json(body)
        if not isinstance(parsed, dict):
            raise refuse("wrong-type", member="request", expected="an object")
        params = parsed
    if route.uri_member is not None and in_path is not None:
        params[route.uri_member] = unquote(in_path)
    if route.query_lists:
        query = parse_qs(query_string, keep_blank_values=True)
        params.update({member: query[name] for name, member in route.query_lists if name in query})
    return params


def success(output: dict[str, Any], request_id: str) -> Answer:
    return Answer(200, (_JSON, _request_id(request_id)), dump_json(output) if output else _EMPTY)


def failure(refusal: Refusal, request_id: str) -> Answer:
    """Render a refusal as Batch does."""
    headers = (_JSON, (b"x-amzn-errortype", refusal.code.encode()), _request_id(request_id))
    return Answer(refusal.status, headers, dump_json({"message": refusal.message(request_id)}))


def _request_id(request_id: str) -> tuple[bytes, bytes]:
    return (b"x-amzn-requestid", request_id.encode())
