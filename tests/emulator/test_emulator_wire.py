"""The wire itself: what a raw HTTP client can send, and that none of it does harm."""

from __future__ import annotations

import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from quota_engine.emulator.operations import BATCH
from quota_engine.emulator.wire.models import service_model
from tests.conftest import Emulator, StartEmulator
from tests.emulator.resources import make_policy, make_queue, share_request

SIGNED = "AWS4-HMAC-SHA256 Credential=123456789012/20260101/us-west-2/batch/aws4_request, SignedHeaders=x, Signature=y"


def send(
    emulator: Emulator, path: str, body: bytes | str = b"{}", method: str = "POST", **headers: str
) -> tuple[int, Any, dict[str, str]]:
    """Send one request as it is; return status, parsed body and lower-case headers."""
    connection = http.client.HTTPConnection(urlsplit(emulator.url).netloc, timeout=10)
    try:
        sent = {"authorization": SIGNED, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body, {name: value for name, value in sent.items() if value})
        answer = connection.getresponse()
        text = answer.read()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, json.loads(text) if found["content-type"] != "text/xml" else text.decode(), found
    finally:
        connection.close()


def test_every_operation_of_quota_management_is_there() -> None:
    """The 25 operations and tagging; all of them are operations of botocore's model."""
    assert len(BATCH) == 28
    assert set(BATCH) <= set(service_model("batch").operation_names)


@pytest.mark.parametrize("operation", sorted(set(service_model("batch").operation_names) - set(BATCH)))
def test_an_operation_that_is_not_emulated_says_so(emulator: Emulator, operation: str) -> None:
    """Never an empty success, which would look like an account without resources."""
    path = service_model("batch").operation_model(operation).http["requestUri"]
    status, answer, headers = send(emulator, path)
    assert status == 400
    assert operation in answer["message"]
    assert headers["x-amzn-errortype"] == "ClientException"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v1/nosuchoperation", 404),
        ("GET", "/v1/createjobqueue", 404),
        ("POST", "/v1/createjobqueue/", 404),
        ("POST", "/v2/createjobqueue", 404),
        ("PUT", "/v1/tags/arn", 404),
        ("POST", "/", 404),
        ("POST", "/%2e%2e/etc/passwd", 404),
    ],
)
def test_what_is_no_operation_is_a_json_404(emulator: Emulator, method: str, path: str, status: int) -> None:
    """SDKs parse the body of an error; an HTML page would hide it."""
    found, answer, headers = send(emulator, path, method=method)
    assert found == status
    assert answer["message"]
    assert headers["x-amzn-errortype"] == "UnknownOperationException"
    assert headers["x-amzn-requestid"]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"3",
        b"\xff\xfe",
        b'{"name": "a"} trailing',
        b"[" * 100_000,
        b'{"name": ' * 5000 + b"1" + b"}" * 5000,
        b'{"name": "\\ud800"}',
        b'{"name": NaN}',
        b'{"name": 3}',
        b'{"name": null}',
        b'{"name": ["a"]}',
        b'{"name": "a", "tags": {"k": 1}}',
        b'{"name": "a", "tags": [["k", "v"]]}',
        b'{"name": "a", "quotaSharePolicy": "FIFO"}',
        b'{"name": "a", "fairsharePolicy": {"shareDecaySeconds": 1.5}}',
        b'{"name": "a", "fairsharePolicy": {"shareDecaySeconds": true}}',
        b'{"name": "a", "fairsharePolicy": {"shareDecaySeconds": 2147483648}}',
        b'{"name": "a", "fairsharePolicy": {"shareDecaySeconds": 1e400}}',
        b'{"name": "a", "fairsharePolicy": {"shareDistribution": [3]}}',
        b'{"name": "a", "fairsharePolicy": {"shareDistribution": [{"shareIdentifier": "x", "weightFactor": "1"}]}}',
    ],
    ids=lambda body: repr(body[:60]),
)
def test_a_malformed_body_is_the_callers_mistake(emulator: Emulator, body: bytes) -> None:
    """A 500 would make the SDK retry it, and the user look for the fault elsewhere."""
    status, answer, headers = send(emulator, "/v1/createschedulingpolicy", body)
    assert status == 400, answer
    assert answer["message"]
    assert headers["x-amzn-errortype"] == "ClientException"


def test_unknown_members_and_nulls_are_passed_over(emulator: Emulator) -> None:
    """As the service does; newer SDKs send members an older model doesn't know."""
    body = '{"name": "a", "colour": {"deep": [1]}, "tags": null, "quotaSharePolicy": null}'
    assert send(emulator, "/v1/createschedulingpolicy", body)[0] == 200


def test_a_body_may_be_absent(emulator: Emulator) -> None:
    """Clients of operations without required members send nothing, or an empty object."""
    for body in (b"", b"{}", b" "):
        status, answer, _ = send(emulator, "/v1/describejobqueues", body)
        assert (status, answer) == (200, {"jobQueues": []})


def test_a_body_over_a_mebibyte_is_refused(emulator: Emulator) -> None:
    """With and without a length told beforehand."""
    status, answer, _ = send(emulator, "/v1/createschedulingpolicy", b" " * (1 << 20) + b" ")
    assert status == 413
    assert "1048576" in answer["message"]
    host = urlsplit(emulator.url).netloc
    with socket.create_connection(host.split(":")) as raw:  # type: ignore[arg-type]
        raw.sendall(f"POST /v1/x HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(17):
            raw.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        assert raw.recv(64).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("escape", [True, False])
def test_an_arn_in_the_path_may_be_escaped_or_not(emulator: Emulator, escape: bool) -> None:
    """SDKs send the ARN as one escaped segment; proxies and people unescape it."""
    batch = emulator.client("batch")
    queue = make_queue(batch)
    share = batch.create_quota_share(**share_request("S", queue))["quotaShareArn"]
    path = "/v1/tags/" + (quote(share, safe="") if escape else share)
    assert send(emulator, path, '{"tags": {"a b": "c"}}')[0] == 200
    assert send(emulator, path, b"", "GET")[1] == {"tags": {"a b": "c"}}
    assert send(emulator, path + "?tagKeys=a+b&tagKeys=x", b"", "DELETE")[0] == 200
    assert send(emulator, path, b"", "GET")[1] == {"tags": {}}


def test_unset_credentials_mean_the_defaults(start_emulator: StartEmulator) -> None:
    """curl needs no signature; an access key id that is no account number means the default account."""
    emulator = start_emulator(account="111111111111", region="eu-central-1")
    for authorization in ("", SIGNED.replace("123456789012/20260101/us-west-2", "AKIDEXAMPLE/20260101/eu-central-1")):
        send(emulator, "/v1/createschedulingpolicy", '{"name": "a"}', authorization=authorization)
        answer = send(emulator, "/v1/listschedulingpolicies", authorization=authorization)[1]
        assert answer == {
            "schedulingPolicies": [{"arn": "arn:aws:batch:eu-central-1:111111111111:scheduling-policy/a"}]
        }


def test_account_and_region_can_be_fixed(start_emulator: StartEmulator) -> None:
    """Whatever the client signs with."""
    emulator = start_emulator(only_account="222222222222", only_region="us-gov-west-1")
    arn = make_policy(emulator.client("batch"))
    assert arn == "arn:aws-us-gov:batch:us-gov-west-1:222222222222:scheduling-policy/policy"


@pytest.mark.parametrize("scope", ["AKID", "AKID/20260101/US WEST/batch/aws4_request", "AKID/1/../batch/aws4_request"])
def test_a_malformed_credential_is_refused(emulator: Emulator, scope: str) -> None:
    """Its region would become part of ARNs."""
    authorization = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=x, Signature=y"
    status, answer, _ = send(emulator, "/v1/describejobqueues", authorization=authorization)
    assert (status, "Credential" in answer["message"]) == (403, True)


def test_sts_names_the_account(emulator: Emulator) -> None:
    """The account guard of drift and of the Pulumi provider asks for it."""
    sts = emulator.client("sts")
    identity = sts.get_caller_identity()
    assert identity["Account"] == "123456789012"
    assert identity["Arn"] == "arn:aws:iam::123456789012:user/emulator"
    with pytest.raises(Exception, match="AssumeRole is not emulated") as caught:
        sts.assume_role(RoleArn="arn:aws:iam::123456789012:role/x", RoleSessionName="session")
    assert caught.value.response["Error"]["Code"] == "InvalidAction"  # type: ignore[attr-defined]


def test_targets_of_other_services_are_named(emulator: Emulator) -> None:
    """An SDK pointed here by a global endpoint variable must learn so."""
    status, answer, _ = send(emulator, "/", x_amz_target="SageMaker.CreateTrainingJob")
    assert status == 400
    assert answer["__type"].endswith("#UnknownOperationException")
    assert "SageMaker.CreateTrainingJob" in answer["Message"]


@pytest.mark.parametrize(
    ("headers", "served"),
    [
        ({"host": "localhost:1"}, True),
        ({"host": "LOCALHOST"}, True),
        ({"host": "[::1]:80"}, True),
        ({"host": "evil.example"}, False),
        ({"host": "127.0.0.1.evil.example"}, False),
        ({"host": "10.0.0.1"}, False),
        ({"origin": "http://localhost:3000"}, True),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"sec_fetch_site": "cross-site"}, False),
    ],
    ids=str,
)
def test_web_pages_can_not_reach_the_emulator(emulator: Emulator, headers: dict[str, str], served: bool) -> None:
    """Neither by DNS rebinding (Host) nor by posting across sites (Origin)."""
    status, _, _ = send(emulator, "/v1/describejobqueues", **headers)
    assert status == (200 if served else 403)


def test_a_host_can_be_allowed(start_emulator: StartEmulator) -> None:
    """For a name in a container network."""
    emulator = start_emulator(allowed_hosts=("batch.internal",))
    assert send(emulator, "/v1/describejobqueues", host="batch.internal:80")[0] == 200


def test_a_slow_client_is_cut_off(start_emulator: StartEmulator) -> None:
    """Neither headers nor body may take for ever, and nobody else waits meanwhile."""
    emulator = start_emulator(request_timeout_s=0.2)
    host = urlsplit(emulator.url).netloc
    for head in (
        b"",
        b"POST /v1/x HTT",
        f"POST /v1/x HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n{{".encode(),
    ):
        with socket.create_connection(host.split(":")) as raw:  # type: ignore[arg-type]
            raw.settimeout(5)
            raw.sendall(head)
            begun = time.monotonic()
            assert send(emulator, "/v1/describejobqueues")[0] == 200
            assert raw.recv(1) == b""
            assert time.monotonic() - begun < 4


def test_headers_without_end_are_cut_off(emulator: Emulator) -> None:
    """They would fill the memory before any check of the body."""
    host = urlsplit(emulator.url).netloc
    with socket.create_connection(host.split(":")) as raw:  # type: ignore[arg-type]
        raw.settimeout(10)
        with pytest.raises(ConnectionError):  # noqa: PT012 - which of the calls meets the closed connection is up to TCP
            raw.sendall(b"POST /v1/x HTTP/1.1\r\n")
            for number in range(10_000):
                raw.sendall(f"x-{number}: {'y' * 1000}\r\n".encode())
            raise AssertionError("all headers were taken")


@pytest.mark.parametrize("size", [100_000, 250_000])
def test_a_large_head_is_refused_even_if_it_arrives_at_once(emulator: Emulator, size: int) -> None:
    """The bound is the head's size, not how the network happened to cut it."""
    host = urlsplit(emulator.url).netloc
    body = b"{}"
    head = f"POST /v1/describejobqueues HTTP/1.1\r\nHost: {host}\r\nx-large: {'y' * size}\r\nContent-Length: 2\r\n\r\n"
    with socket.create_connection(host.split(":")) as raw:  # type: ignore[arg-type]
        raw.settimeout(5)
        try:
            raw.sendall(head.encode() + body)
            answer = raw.recv(100)
        except ConnectionError:
            answer = b""
    assert answer == b""
    assert send(emulator, "/v1/describejobqueues")[0] == 200


def test_concurrent_clients_see_one_order(emulator: Emulator) -> None:
    """Of many creations of one name exactly one succeeds, and what is listed is what was acknowledged."""

    def create(number: int) -> int:
        body = json.dumps({"name": f"policy-{number % 20}"})
        return send(emulator, "/v1/createschedulingpolicy", body)[0]

    with ThreadPoolExecutor(16) as pool:
        codes = list(pool.map(create, range(200)))
    assert codes.count(200) == 20
    assert codes.count(400) == 180
    listed = send(emulator, "/v1/listschedulingpolicies")[1]["schedulingPolicies"]
    assert len({policy["arn"] for policy in listed}) == len(listed) == 20


def test_an_internal_error_is_a_500_with_a_traceback_in_the_log(
    emulator: Emulator, caplog: pytest.LogCaptureFixture
) -> None:
    """Our fault must not look like the caller's, and must be findable; the request's secrets stay out of the log."""
    emulator.world.regions = None  # type: ignore[assignment]
    status, answer, headers = send(emulator, "/v1/describejobqueues", '{"jobQueues": ["secret-name"]}')
    assert (status, headers["x-amzn-errortype"]) == (500, "ServerException")
    assert answer["message"] == "Internal error of the emulator; see its log."
    assert "Traceback" in caplog.text
    assert "secret-name" not in caplog.text
    assert "Signature" not in caplog.text
