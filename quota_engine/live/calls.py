"""One call or one list of pages, with every way it can fail turned into one exception: `CallFailed`.

Answers are checked against botocore's own service model, because boto3 checks neither types nor missing members: a
proxy's login page with status 200 would otherwise read as "there are no queues".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    LoginError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    ProxyConnectionError,
    SSLError,
    SSOError,
    TokenRetrievalError,
)
from botocore.parsers import ResponseParserError

from ..model.observation import Problem

UNEXPECTED_ANSWER = "UnexpectedAnswer"
"""Our code for an answer that is not what the service's model says."""

MESSAGE_MAX = 500

_CREDENTIAL_ERRORS = (
    CredentialRetrievalError,
    LoginError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    SSOError,
    TokenRetrievalError,
)
_CREDENTIAL_CODES = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""Common errors that speak of the credentials or the local clock, so that every further call would fail too."""
_CONNECTION_ERRORS = (ConnectTimeoutError, EndpointConnectionError, ProxyConnectionError, SSLError)
_ABSENCE_TEXTS = ("does not exist", "not found")
"""Batch has one error type for every fault of a request; only its text says that the resource is gone."""
_PARSER_FAULTS = (AttributeError, LookupError, TypeError, ValueError, ResponseParserError)
"""What botocore's parser raises on JSON that is valid but of another shape, or on bytes that are not UTF-8."""
_WHILE_SIGNING = (EOFError, OSError)
"""What fetching credentials raises: a file of a token that is not there, an MFA code that nobody can be asked for."""


class CallFailed(Exception):
    """A call that gave no usable answer. `is_refused` speaks of the credentials, `is_unreachable` of the endpoint."""

    def __init__(self, problem: Problem, *, is_refused: bool = False, is_unreachable: bool = False) -> None:
        super().__init__(f"{problem.operation}: {problem.code}: {problem.message}")
        self.problem = problem
        self.is_refused = is_refused
        self.is_unreachable = is_unreachable

    @property
    def is_hopeless(self) -> bool:
        """Whether every further call would fail in the same way."""
        return self.is_refused or self.is_unreachable

    @property
    def is_absence(self) -> bool:
        """Whether the service says that what was asked for does not exist."""
        code, text = self.problem.code, self.problem.message.lower()
        return code == "ClientException" and any(phrase in text for phrase in _ABSENCE_TEXTS)


def unexpected(operation: str, message: str) -> CallFailed:
    return CallFailed(Problem(operation, UNEXPECTED_ANSWER, message[:MESSAGE_MAX]))


def call(client: Any, method: str, /, **arguments: Any) -> Mapping[str, Any]:
    """Make one call and return its checked answer; raises CallFailed."""
    operation = operation_name(client, method)
    try:
        answer = getattr(client, method)(**arguments)
    except (ClientError, BotoCoreError, *_WHILE_SIGNING, *_PARSER_FAULTS) as error:
        raise _failed(operation, error) from error
    return _checked(client, method, answer)


def pages(client: Any, method: str, result_key: str, /, **arguments: Any) -> list[Mapping[str, Any]]:
    """Return the items of all pages, which end only where there is no token; raises CallFailed if any page fails."""
    operation = operation_name(client, method)
    try:
        answers = list(client.get_paginator(method).paginate(**arguments))
    except (ClientError, BotoCoreError, *_WHILE_SIGNING, *_PARSER_FAULTS) as error:
        raise _failed(operation, error) from error
    items: list[Mapping[str, Any]] = []
    for number, answer in enumerate(answers, start=1):
        checked = _checked(client, method, answer)
        if result_key not in checked:
            raise unexpected(operation, f"page {number} of the answer has no {result_key}")
        items += checked[result_key]
    return items


def operation_name(client: Any, method: str) -> str:
    """Return the name IAM and the API reference know, e.g. "batch:ListQuotaShares"."""
    return f"{client.meta.service_model.service_name}:{client.meta.method_to_api_mapping[method]}"


def _failed(operation: str, error: Exception) -> CallFailed:
    if isinstance(error, ClientError):
        told = error.response.get("Error", {})
        code, message = str(told.get("Code", "Unknown")), str(told.get("Message", ""))
        if operation.endswith(f":{error.operation_name}"):
            return CallFailed(Problem(operation, code, message[:MESSAGE_MAX]), is_refused=code in _CREDENTIAL_CODES)
        # Another operation failed on the way: the one that fetches credentials, e.g. AssumeRole of a profile.
        return CallFailed(Problem(f"sts:{error.operation_name}", code, message[:MESSAGE_MAX]), is_refused=True)
    if isinstance(error, BotoCoreError):
        return CallFailed(
            Problem(operation, type(error).__name__, str(error)[:MESSAGE_MAX]),
            is_refused=isinstance(error, _CREDENTIAL_ERRORS),
            is_unreachable=isinstance(error, _CONNECTION_ERRORS),
        )
    if isinstance(error, _WHILE_SIGNING):
        return CallFailed(Problem(operation, "NoCredentials", _signing_text(error)[:MESSAGE_MAX]), is_refused=True)
    return unexpected(operation, "the answer can't be read as the service's JSON or XML")


def _signing_text(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "an MFA code is needed, and there is no terminal to ask for it"
    return f"the credentials can't be had: {error}"


def _checked(client: Any, method: str, answer: Any) -> Mapping[str, Any]:
    name = client.meta.method_to_api_mapping[method]
    model = client.meta.service_model.operation_model(name)
    seldom = _SELDOM.get(name)
    faults = (one for one in _faults(model.output_shape, answer, "") if one != seldom)
    fault = next(faults, None)
    if fault is not None:
        raise unexpected(operation_name(client, method), fault)
    return answer  # type: ignore[no-any-return]


_SELDOM: Mapping[str, str] = {"DescribeServiceJob": "the answer has no startedAt"}
"""Operation → a required member that the service leaves out all the same: a job that waits has not started."""

_SCALARS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "boolean": (bool,),
}


def _faults(shape: Any, value: Any, where: str) -> Iterator[str]:
    """Yield what in `value` is not as the botocore shape says: types and missing required members."""
    kind = shape.type_name
    if kind == "structure":
        if not isinstance(value, Mapping):
            yield f"{where or 'the answer'} is not an object"
            return
        for name in shape.required_members:
            if name not in value:
                yield f"{where or 'the answer'} has no {name}"
        for name, member in shape.members.items():
            if name in value:
                yield from _faults(member, value[name], f"{where}.{name}" if where else name)
    elif kind == "list":
        if not isinstance(value, list):
            yield f"{where} is not a list"
            return
        for index, item in enumerate(value):
            yield from _faults(shape.member, item, f"{where}[{index}]")
    elif kind == "map":
        if not isinstance(value, Mapping):
            yield f"{where} is not an object"
            return
        for key, item in value.items():
            yield from _faults(shape.value, item, f"{where}[{key!r}]")
    elif kind in _SCALARS and (
        not isinstance(value, _SCALARS[kind]) or (isinstance(value, bool) and kind != "boolean")
    ):
        yield f"{where} is {value!r}, not a {kind}"
