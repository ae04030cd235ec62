"""What the forecast gate looks at, and with whose credentials: judgements that need neither engine nor account."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import boto3
import pulumi
import pytest

from quota_engine.model.arns import BatchArn, parse_arn
from quota_engine.model.observation import Observation
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, Stack, Strategy
from quota_engine.program.account import deployment_session
from quota_engine.program.ending import State
from quota_engine.program.prediction import touched, with_what_stays

UNIT = "ml.g5.xlarge"


def share(name: str) -> QuotaShare:
    return QuotaShare(name, {UNIT: 1}, Strategy.LEND)


def queue(name: str, *shares: str) -> JobQueue:
    return JobQueue(name, ("gpu",), "fifo", quota_shares={one: share(one) for one in shares})


def arn(region: str, queue_name: str, share_name: str) -> BatchArn:
    parsed = parse_arn(f"arn:aws:batch:{region}:123456789012:job-queue/{queue_name}/quota-share/{share_name}")
    assert parsed is not None
    return parsed


STACK = Stack(
    "dev",
    "us-west-2",
    service_environments={"gpu": ServiceEnvironment("gpu", {UNIT: 3})},
    job_queues={"training": queue("training", "a")},
)


def test_a_deployed_queue_that_is_not_declared_is_looked_at_as_one_without_shares() -> None:
    """Its jobs end with it, and a forecast of declared queues only would not see them."""
    state = State((arn("us-west-2", "training", "a"), arn("us-west-2", "old", "b")), {"old": "cpu", "training": "gpu"})
    [one] = touched(STACK, state)
    assert list(one.job_queues) == ["training", "old"]
    assert one.job_queues["old"].quota_shares == {}
    assert one.job_queues["training"] == STACK.job_queues["training"]
    assert set(one.service_environments) == {"gpu", "cpu"}


def test_a_region_that_is_left_is_looked_at_too() -> None:
    """Everything there is deleted, jobs included."""
    here, former = touched(STACK, State((arn("eu-west-1", "training", "a"),), {"training": "gpu"}))
    assert here == STACK
    assert (former.region, list(former.job_queues)) == ("eu-west-1", ["training"])
    assert former.job_queues["training"].quota_shares == {}


def test_only_shares_of_pulumis_state_count_as_deleted() -> None:
    """Pulumi deletes what it has made and nothing else."""
    live = Stack("dev", "us-west-2", job_queues={"training": queue("training", "a", "made", "by-hand")})
    state = State((arn("us-west-2", "training", "a"), arn("us-west-2", "training", "made")))
    found = with_what_stays(STACK, Observation(live), state)
    assert list(found.job_queues["training"].quota_shares) == ["a", "by-hand"]


def test_the_environment_of_a_queue_that_goes_stays_as_it_lives() -> None:
    """It stands in the question only to be read."""
    state = State((arn("us-west-2", "old", "b"),), {"old": "cpu"})
    [asked] = touched(STACK, state)
    living = {"gpu": ServiceEnvironment("gpu", {UNIT: 9}), "cpu": ServiceEnvironment("cpu", {UNIT: 4})}
    found = with_what_stays(asked, Observation(Stack("dev", "us-west-2", service_environments=living)), state)
    assert found.service_environments["cpu"].capacity_limits == {UNIT: 4}
    assert found.service_environments["gpu"].capacity_limits == {UNIT: 3}


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the tests away from the credentials and files of whoever runs them."""
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_BATCH", "AWS_ENDPOINT_URL_STS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "surroundings")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    yield
    pulumi.runtime.set_all_config({})


def settings(**values: Any) -> None:
    pulumi.runtime.set_all_config(
        {f"aws-native:{name}": value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
    )


def access_key(session: boto3.Session) -> str:
    credentials = session.get_credentials()
    assert credentials is not None
    return str(credentials.access_key)


def test_the_account_is_read_with_the_providers_keys_in_the_declared_region() -> None:
    """Another account's jobs would say nothing about this deployment."""
    settings(accessKey="AKIAPROVIDER", secretKey="secret")
    session = deployment_session("eu-west-1", "123456789012")
    client: Any = session.client("batch")
    assert access_key(session) == "AKIAPROVIDER"
    assert client.meta.endpoint_url == "https://batch.eu-west-1.amazonaws.com"


def test_the_account_is_read_with_the_providers_profile(tmp_path: Path) -> None:
    """The profile may stand in a file of its own, which the provider's settings name."""
    file = tmp_path / "credentials"
    file.write_text("[prod]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = secret\n")
    settings(profile="prod", sharedCredentialsFile=str(file))
    assert access_key(deployment_session("eu-west-1", None)) == "AKIAPROFILE"


def test_a_stand_in_for_cloud_control_stands_in_for_batch_and_its_account() -> None:
    """The keys of the surroundings belong to an account at AWS, and must not be looked up there."""
    settings(endpoints={"cloudcontrol": "http://127.0.0.1:4577"})
    session = deployment_session("us-west-2", "123456789012")
    for service in ("batch", "sts"):
        client: Any = session.client(service)
        assert client.meta.endpoint_url == "http://127.0.0.1:4577"
    assert access_key(session) == "123456789012"
    settings(endpoints={"cloudcontrol": "http://127.0.0.1:4577", "sts": "http://127.0.0.1:4578"})
    client = deployment_session("us-west-2", None).client("sts")
    assert client.meta.endpoint_url == "http://127.0.0.1:4578"


def test_an_endpoint_of_aws_itself_stands_in_for_nothing() -> None:
    """An interface endpoint of a VPC serves Cloud Control only; jobs asked of it would be unreadable."""
    settings(endpoints={"cloudcontrol": "https://vpce-1a2b-cloudcontrolapi.us-west-2.vpce.amazonaws.com"})
    client: Any = deployment_session("us-west-2", None).client("batch")
    assert client.meta.endpoint_url == "https://batch.us-west-2.amazonaws.com"


ASSUMED = """<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>2036-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""


@pytest.fixture
def sts() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    """Serve an STS that lets everybody assume every role; yield its address and what it is asked."""
    asked: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(parse_qs(self.rfile.read(int(self.headers["content-length"])).decode()))
            self.send_response(200)
            self.send_header("content-length", str(len(ASSUMED)))
            self.end_headers()
            self.wfile.write(ASSUMED.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the test looks at what was asked."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def test_the_role_of_the_deployment_is_assumed_as_the_provider_assumes_it(
    sts: tuple[str, list[dict[str, list[str]]]],
) -> None:
    """A role that wants an external id would refuse anybody who leaves it out."""
    address, asked = sts
    role = {
        "roleArn": "arn:aws:iam::210987654321:role/deployer",
        "externalId": "quota",
        "durationSeconds": 900,
        "policy": "{}",
        "policyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess"],
        "tags": {"team": "platform"},
        "transitiveTagKeys": ["team"],
    }
    settings(endpoints={"sts": address}, assumeRole=role)
    assert access_key(deployment_session("us-west-2", None)) == "ASIAROLE"
    said = {name: values[0] for name, values in asked[0].items() if name not in ("Action", "Version")}
    assert said == {
        "RoleArn": role["roleArn"],
        "RoleSessionName": "quota-engine",
        "ExternalId": "quota",
        "DurationSeconds": "900",
        "Policy": "{}",
        "PolicyArns.member.1.arn": "arn:aws:iam::aws:policy/ReadOnlyAccess",
        "Tags.member.1.Key": "team",
        "Tags.member.1.Value": "platform",
        "TransitiveTagKeys.member.1": "team",
    }
