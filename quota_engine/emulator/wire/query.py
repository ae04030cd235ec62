"""STS GetCallerIdentity in the query protocol: enough for a client to check which account it is in."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from ...model.arns import Scope
from ..refusal import Refusal
from .answer import Answer
from .models import service_model

_XML: Final = (b"content-type", b"text/xml")
_USER_ID: Final = "AIDAQUOTAENGINEEMULAT"
_USER_NAME: Final = "emulator"


def answer_sts(body: bytes, query_string: str, scope: Scope, request_id: str) -> Answer:
    """Answer GetCallerIdentity; any other action is refused by name."""
    form = parse_qs(body.decode("utf-8", "replace") or query_string, keep_blank_values=True)
    action = (form.get("Action") or [""])[0]
    if action != "GetCallerIdentity":
        text = f"{action or 'A request without an Action'} is not emulated: of STS there is GetCallerIdentity only."
        return failure(Refusal(text, "InvalidAction"), request_id)
    partition_arn = scope.arn(f"user/{_USER_NAME}", "iam").split(":")
    partition_arn[3] = ""
    fields = {"Arn": ":".join(partition_arn), "UserId": _USER_ID, "Account": scope.account}
    inner = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in fields.items())
    return _document(200, f"<{action}Result>{inner}</{action}Result>", f"{action}Response", request_id)


def failure(refusal: Refusal, request_id: str) -> Answer:
    """Render a refusal as the query protocol does."""
    code, text = escape(refusal.code), escape(refusal.text)
    inner = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{text}</Message></Error>"
    namespace = service_model("sts").metadata["xmlNamespace"]
    body = f'<ErrorResponse xmlns="{namespace}">{inner}<RequestId>{request_id}</RequestId></ErrorResponse>'
    return Answer(refusal.status, (_XML, (b"x-amzn-requestid", request_id.encode())), body.encode())


def _document(status: int, inner: str, root: str, request_id: str) -> Answer:
    namespace = service_model("sts").metadata["xmlNamespace"]
    metadata = f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata>"
    body = f'<{root} xmlns="{namespace}">{inner}{metadata}</{root}>'
    return Answer(status, (_XML, (b"x-amzn-requestid", request_id.encode())), body.encode())
