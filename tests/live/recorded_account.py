"""A tiny AWS account on loopback that answers Batch's read operations and STS from recorded JSON, or fails as told.

It stands in for AWS on the wire, under a real boto3 client. A fault is keyed by operation, or by (operation, the name
or ARN asked for).
"""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import boto3

ACCOUNT = "123456789012"


@dataclass(frozen=True)
class Fault:
    """An answer in place of the right one; `status` 0 cuts the connection instead, -1 never answers."""

    status: int
    body: bytes = b"{}"
    error_type: str = ""


def denied() -> Fault:
    return Fault(403, b'{"message": "User is not authorized to perform this action"}', "AccessDeniedException")


def throttled() -> Fault:
    return Fault(429, b'{"message": "Too Many Requests"}', "TooManyRequestsException")


def broken() -> Fault:
    return Fault(500, b'{"message": "internal"}', "ServerException")


def gone(name: str = "it") -> Fault:
    return Fault(400, json.dumps({"message": f"{name} does not exist"}).encode(), "ClientException")


CUT = Fault(0)
SILENT = Fault(-1)


@dataclass
class RecordedAccount:
    """What lives in the account, which calls fail, which were made, with which access keys, and which roles assumed."""

    live: Mapping[str, list[dict[str, Any]]]
    account: str = ACCOUNT
    page_size: int = 100
    empty_page_in_the_middle: bool = False
    faults: dict[str | tuple[str, str], Fault] = field(default_factory=dict)
    calls: list[tuple[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)

    def session(self, monkeypatch: Any) -> boto3.Session:
        """Point the usual environment variables here and return a session with keys that mean nothing."""
        for name in ("AWS_ENDPOINT_URL_BATCH", "AWS_ENDPOINT_URL_STS"):
            monkeypatch.setenv(name, self.url)
        return _session()

    def answer(self, operation: str, request: Mapping[str, Any]) -> Fault | dict[str, Any]:
        self.calls.append((operation, dict(request)))
        asked = request.get("jobQueue") or request.get("quotaShareArn") or ""
        fault = self.faults.get(operation) or self.faults.get((operation, asked.rsplit("/", 1)[-1]))
        if fault:
            return fault
        match operation:
            case "describejobqueues":
                return self._pages("jobQueues", request, _named(request, "jobQueues", "jobQueueName"))
            case "describeserviceenvironments":
                wanted = _named(request, "serviceEnvironments", "serviceEnvironmentName")
                return self._pages("serviceEnvironments", request, wanted)
            case "listschedulingpolicies":
                page = self._pages("schedulingPolicies", request, lambda _: True)
                return {**page, "schedulingPolicies": [{"arn": one["arn"]} for one in page["schedulingPolicies"]]}
            case "describeschedulingpolicies":
                return {
                    "schedulingPolicies": [
                        one for one in self.live["schedulingPolicies"] if one["arn"] in request["arns"]
                    ]
                }
            case "listquotashares":
                page = self._pages("quotaShares", request, lambda one: one["jobQueueArn"] == request["jobQueue"])
                shares = [{key: one[key] for key in one if key != "tags"} for one in page["quotaShares"]]
                return {**page, "quotaShares": shares}
            case "describequotashare":
                found = [one for one in self.live["quotaShares"] if one["quotaShareArn"] == request["quotaShareArn"]]
                return found[0] if found else gone(request["quotaShareArn"])
        return Fault(404, b'{"message": "no such operation"}')

    def _pages(self, key: str, request: Mapping[str, Any], wanted: Any) -> dict[str, Any]:
        everything = [one for one in self.live[key] if wanted(one)]
        start = int(request.get("nextToken", "0").removesuffix("e"))
        end = start + self.page_size
        token = {"nextToken": str(end)} if end < len(everything) else {}
        if self.empty_page_in_the_middle and token and not request.get("nextToken", "").endswith("e") and start:
            return {key: [], "nextToken": f"{start}e"}
        return {key: everything[start:end], **token}


def _named(request: Mapping[str, Any], key: str, name: str) -> Any:
    """Return what picks the resources that a request names, all of them where it names none."""
    return lambda one: one[name] in request[key] if key in request else True


class _Handler(BaseHTTPRequestHandler):
    account: RecordedAccount
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.account.keys.append(self.headers.get("authorization", "").partition("Credential=")[2].partition("/")[0])
        if self.path.startswith("/v1/"):
            self._send(self.account.answer(self.path.rsplit("/", 1)[-1], json.loads(body or b"{}")))
        elif b"Action=AssumeRole" in body:
            self.account.roles.append(parse_qs(body.decode())["RoleArn"][0])
            self._send(self.account.faults.get("assumerole") or Fault(200, _ASSUMED))
        else:
            fault = self.account.faults.get("getcalleridentity")
            self._send(fault or Fault(200, _identity(self.account.account)))

    def _send(self, answer: Fault | dict[str, Any]) -> None:
        if isinstance(answer, dict):
            answer = Fault(200, json.dumps(answer).encode())
        if answer.status == -1:
            self.account.closing.wait()
        if answer.status <= 0:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(answer.status)
        if answer.error_type:
            self.send_header("x-amzn-ErrorType", answer.error_type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@functools.cache
def _session() -> boto3.Session:
    """Return one session for all tests: loading the service models takes most of a test's time."""
    return boto3.Session(aws_access_key_id="test", aws_secret_access_key="test")


def _identity(account: str) -> bytes:
    return (
        '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>'
        f"<Arn>arn:aws:iam::{account}:user/test</Arn><UserId>AIDA</UserId><Account>{account}</Account>"
        "</GetCallerIdentityResult></GetCallerIdentityResponse>"
    ).encode()


_ASSUMED = (
    b'<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>'
    b"<AccessKeyId>ASSUMED</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>"
    b"<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"
)


@contextmanager
def serve(account: RecordedAccount) -> Iterator[RecordedAccount]:
    """Serve an account on a free loopback port."""
    handler = type("Handler", (_Handler,), {"account": account})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    account.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield account
    finally:
        account.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
