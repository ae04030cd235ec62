"""The four Cloud Control operations the built-in provider needs, each waiting until the service is done.

A failure is CloudControlError with the operation, the service's code and its own words. Absence is a value (None or
True), not an error, as reading and deleting what is gone are everyday cases.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

_NOT_FOUND = "ResourceNotFoundException"
_WAITING = ("PENDING", "IN_PROGRESS")
_FIRST_POLL_S = 0.02
_LONGEST_POLL_S = 1.0
_MAX_ATTEMPTS = 5


class CloudControlError(Exception):
    """An operation failed: `code` is the service's error code, `message` its own text."""

    def __init__(self, operation: str, code: str, message: str) -> None:
        self.operation, self.code, self.message = operation, code, message
        super().__init__(f'operation {operation} failed with "{code}": {message}')


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the emulator is and who asks. The keys are explicit, so no profile or credentials file is looked at."""

    endpoint: str
    region: str
    access_key: str
    secret_key: str
    token: str | None = None

    def client(self, service: str) -> Any:
        session: Any = boto3.Session(region_name=self.region)
        return session.client(
            service,
            endpoint_url=self.endpoint,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            aws_session_token=self.token,
            config=Config(retries={"mode": "standard", "max_attempts": _MAX_ATTEMPTS}),
        )


class CloudControl:
    """Create, read, update and delete by CloudFormation type name and properties."""

    def __init__(self, connection: Connection) -> None:
        self._client = connection.client("cloudcontrol")

    def create(self, type_name: str, desired: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Create a resource; return its identifier and its properties as read back."""
        event = self._finish(
            "CREATE",
            self._call("create_resource", TypeName=type_name, DesiredState=json.dumps(desired), **_fresh_token()),
        )
        identifier: str = event["Identifier"]
        return identifier, self._read_back("CREATE", type_name, identifier)

    def read(self, type_name: str, identifier: str) -> dict[str, Any] | None:
        """Return the properties; None when there is no such resource."""
        try:
            answer = self._call("get_resource", TypeName=type_name, Identifier=identifier)
        except CloudControlError as error:
            if error.code == _NOT_FOUND:
                return None
            raise
        properties: dict[str, Any] = json.loads(answer["ResourceDescription"]["Properties"])
        return properties

    def update(self, type_name: str, identifier: str, patch: list[dict[str, Any]]) -> dict[str, Any]:
        """Apply a JSON Patch; return the properties as read back."""
        document = json.dumps(patch)
        call = self._call(
            "update_resource", TypeName=type_name, Identifier=identifier, PatchDocument=document, **_fresh_token()
        )
        self._finish("UPDATE", call)
        return self._read_back("UPDATE", type_name, identifier)

    def delete(self, type_name: str, identifier: str) -> None:
        """Delete a resource and wait until it is gone; one that is gone already is fine."""
        try:
            call = self._call("delete_resource", TypeName=type_name, Identifier=identifier, **_fresh_token())
            self._finish("DELETE", call)
        except CloudControlError as error:
            if error.code not in (_NOT_FOUND, "NotFound"):
                raise

    def _read_back(self, operation: str, type_name: str, identifier: str) -> dict[str, Any]:
        properties = self.read(type_name, identifier)
        if properties is None:
            raise CloudControlError(operation, "NotFound", f"{identifier} is gone right after the operation succeeded")
        return properties

    def _finish(self, operation: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Wait for a request to end, asking more and more rarely; return the event of its success."""
        event: Mapping[str, Any] = answer["ProgressEvent"]
        pause_s = _FIRST_POLL_S
        while event["OperationStatus"] in _WAITING:
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_POLL_S)
            event = self._call("get_resource_request_status", RequestToken=event["RequestToken"])["ProgressEvent"]
        if event["OperationStatus"] != "SUCCESS":
            code = event.get("ErrorCode", event["OperationStatus"])
            raise CloudControlError(operation, code, event.get("StatusMessage", "the service gives no reason"))
        return event

    def _call(self, method: str, **arguments: Any) -> Mapping[str, Any]:
        try:
            answer: Mapping[str, Any] = getattr(self._client, method)(**arguments)
        except ClientError as error:
            details = error.response.get("Error", {})
            raise CloudControlError(method, details.get("Code", "Unknown"), details.get("Message", "")) from error
        except BotoCoreError as error:
            raise CloudControlError(method, type(error).__name__, str(error)) from error
        return answer


def account_of(connection: Connection) -> str:
    """Return the account the connection's keys belong to (STS GetCallerIdentity)."""
    try:
        identity = connection.client("sts").get_caller_identity()
    except (ClientError, BotoCoreError) as error:
        raise CloudControlError("GetCallerIdentity", type(error).__name__, str(error)) from error
    account: str = identity["Account"]
    return account


def _fresh_token() -> dict[str, str]:
    return {"ClientToken": str(uuid.uuid4())}
