"""The resource requests of one region: what was asked, how far it has come, and under which tokens. Plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from ..refusal import Refusal

TOKEN_LIFE_MS: Final = 36 * 3_600_000
"""How long a client token is honoured. CC: CreateResourceInput.ClientToken."""


class OperationStatus(StrEnum):
    PENDING = "PENDING"
    IN_PROGRESS = "IN_PROGRESS"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    CANCEL_COMPLETE = "CANCEL_COMPLETE"

    @property
    def is_open(self) -> bool:
        return self in (OperationStatus.PENDING, OperationStatus.IN_PROGRESS)


@dataclass(slots=True)
class Request:
    """One request. `fingerprint` is what the caller asked, to tell a repeated client token from a misused one."""

    token: str
    seq: int
    type_name: str
    operation: str
    fingerprint: tuple[str, ...]
    client_token: str | None
    asked_at_ms: int
    event_at_ms: int
    identifier: str | None = None
    status: OperationStatus = OperationStatus.PENDING
    error_code: str | None = None
    message: str | None = None

    def event(self, *, first: bool = False) -> dict[str, Any]:
        """Return the ProgressEvent. In the first answer what has already ended still shows as IN_PROGRESS."""
        hidden = first and not self.status.is_open
        members = {
            "TypeName": self.type_name,
            "RequestToken": self.token,
            "Operation": self.operation,
            "OperationStatus": OperationStatus.IN_PROGRESS if hidden else self.status,
            "EventTime": self.event_at_ms / 1000,
            "Identifier": self.identifier,
            "ErrorCode": None if hidden else self.error_code,
            "StatusMessage": None if hidden else self.message,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(slots=True)
class RequestBook:
    """The requests of one region, by token."""

    by_token: dict[str, Request] = field(default_factory=dict)
    by_client_token: dict[str, Request] = field(default_factory=dict)

    def newest_first(self) -> Iterator[Request]:
        return reversed(self.by_token.values())

    def repeated(self, client_token: str | None, fingerprint: tuple[str, ...], at_ms: int) -> Request | None:
        """Return the request a client token was used for. Raises Refusal when it was for something else."""
        found = self.by_client_token.get(client_token) if client_token else None
        if found is None or at_ms - found.asked_at_ms >= TOKEN_LIFE_MS:
            return None
        if found.fingerprint != fingerprint:
            text = f"The client token {client_token} was already used for another request."
            raise Refusal(text, "ClientTokenConflictException")
        return found

    def require_free(self, identifier: str) -> None:
        """Refuse a second operation on a resource while one is going on."""
        if any(request.status.is_open and request.identifier == identifier for request in self.by_token.values()):
            text = f"Another operation is going on for the resource '{identifier}'."
            raise Refusal(text, "ConcurrentOperationException")

    def add(self, request: Request) -> None:
        self.by_token[request.token] = request
        if request.client_token:
            self.by_client_token[request.client_token] = request
