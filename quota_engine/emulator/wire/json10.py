"""Cloud Control's protocol, JSON 1.0: the operation stands in X-Amz-Target, the error's code in `__type`.

Times are JSON numbers of epoch seconds; a string would stop the Go SDK.
"""

from __future__ import annotations

from typing import Any, Final

from ..refusal import Refusal
from .answer import Answer, dump_json, parse_json
from .models import service_model

_JSON: Final = (b"content-type", b"application/x-amz-json-1.0")
_NAMESPACE: Final = "com.amazonaws.cloudapiservice#"


def operation_of(target: str) -> str:
    """Return the operation a target names, e.g. CloudApiService.GetResource. Raises Refusal for an unknown one."""
    model = service_model("cloudcontrol")
    prefix, _, operation = target.partition(".")
    if prefix != model.metadata["targetPrefix"] or operation not in model.operation_names:
        raise Refusal(f"{target} is not an operation of Cloud Control.", "UnknownOperationException")
    return operation


def read_input(body: bytes) -> Any:
    """Parse the body. Raises Refusal with Cloud Control's own code."""
    try:
        return parse_json(body) if body.strip() else {}
    except Refusal as refusal:
        raise Refusal(refusal.text, "SerializationException") from None


def success(output: dict[str, Any], request_id: str) -> Answer:
    return Answer(200, (_JSON, (b"x-amzn-requestid", request_id.encode())), dump_json(output))


def failure(refusal: Refusal, request_id: str) -> Answer:
    """Render a refusal as Cloud Control does; its member is an upper-case Message."""
    headers = (_JSON, (b"x-amzn-requestid", request_id.encode()))
    return Answer(refusal.status, headers, dump_json({"__type": _NAMESPACE + refusal.code, "Message": refusal.text}))
