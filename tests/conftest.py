"""Fixtures for the whole suite: emulators in this process, on a port of their own, gone with the test."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.validate import ParamValidator

from quota_engine.emulator import ClockKind, Settings, running
from quota_engine.emulator.store import World

REGION = "us-west-2"
ACCOUNT = "123456789012"
"""The access key id that the fixture's clients sign with, and so the account they are in."""


def judge_answers(client: Any) -> None:
    """Have every successful JSON answer to `client` checked against botocore's output shape as it arrives.

    botocore itself drops unknown members and checks neither types nor enums nor what is required; other SDKs do.
    """

    def remember(model: Any, context: dict[str, Any], **_: Any) -> None:
        context["operation_model"] = model

    def judge(response_dict: dict[str, Any] | None, context: dict[str, Any], **_: Any) -> None:
        operation = context["operation_model"]
        if response_dict and response_dict["status_code"] == 200 and operation.output_shape is not None:
            faults = answer_faults(operation, json.loads(response_dict["body"]))
            assert not faults, f"{operation.name}: {faults}"

    if client.meta.service_model.metadata["protocol"] != "query":
        client.meta.events.register("before-call", remember)
        client.meta.events.register("response-received", judge)


def answer_faults(operation: Any, answer: Any) -> list[str]:
    """Return what is wrong with an answer in the eyes of botocore's model.

    One exception, which the service itself makes: `startedAt` of a job before its first start.
    """
    report = ParamValidator().validate(answer, operation.output_shape).generate_report()
    faults = [line for line in report.splitlines() if "startedAt" not in line or operation.name != "DescribeServiceJob"]
    return faults + list(_enum_faults(operation.output_shape, answer, ""))


def _enum_faults(shape: Any, value: Any, path: str) -> Iterator[str]:
    """Yield the values that are not in their enum; botocore's validator leaves that out."""
    if shape.type_name == "structure":
        for name, inner in value.items():
            if name in shape.members:
                yield from _enum_faults(shape.members[name], inner, f"{path}.{name}")
    elif shape.type_name == "list":
        for inner in value:
            yield from _enum_faults(shape.member, inner, f"{path}[]")
    elif shape.type_name == "map":
        for inner in value.values():
            yield from _enum_faults(shape.value, inner, f"{path}{{}}")
    elif getattr(shape, "enum", None) and value not in shape.enum:
        yield f"{path}: {value!r} is not one of {shape.enum}"


class Remote:
    """An emulator that answers at `url`, in whatever process: boto3 clients of it, and its clock."""

    def __init__(self, url: str) -> None:
        self.url = url

    def client(self, service: str, *, account: str = ACCOUNT, region: str = REGION, **config: Any) -> Any:
        """Return a boto3 client of `batch`, `cloudcontrol` or `sts` at this emulator; `config` goes to botocore."""
        session: Any = self.session(account=account, region=region)
        client = session.client(service, endpoint_url=self.url, config=Config(retries={"max_attempts": 0}, **config))
        judge_answers(client)
        return client

    def session(self, *, account: str = ACCOUNT, region: str = REGION) -> boto3.Session:
        """Return a session whose keys are an account's."""
        return boto3.Session(aws_access_key_id=account, aws_secret_access_key="secret", region_name=region)

    def environment(self) -> dict[str, str]:
        """Return the environment variables with which a subprocess finds this emulator and nothing else."""
        endpoints = {f"AWS_ENDPOINT_URL_{service}": self.url for service in ("BATCH", "CLOUDCONTROL", "STS")}
        return {
            **endpoints,
            "AWS_ACCESS_KEY_ID": ACCOUNT,
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def control(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """Call one of the emulator's own routes, /_emulator/`path`, with a JSON body if any; return its answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_emulator/{path}", data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def advance(self, by_ms: int) -> int:
        """Move the manual clock; return where it stands."""
        now_ms: int = self.control("clock", {"advance_ms": by_ms})["now_ms"]
        return now_ms


class Emulator(Remote):
    """An emulator that runs in this process, with its world at hand."""

    def __init__(self, url: str, world: World) -> None:
        super().__init__(url)
        self.world = world


StartEmulator = Callable[..., Emulator]


@pytest.fixture
def start_emulator() -> Iterator[StartEmulator]:
    """Return a function that starts an emulator with the given settings; all of them stop with the test.

    Unless told otherwise: the manual clock, no time in SCHEDULED and STARTING, jobs that run for ever.
    """
    with ExitStack() as stack:

        def start(**settings: Any) -> Emulator:
            defaults: dict[str, Any] = {
                "port": 0,
                "clock": ClockKind.MANUAL,
                "scheduled_ms": 0,
                "starting_ms": 0,
                "job_duration_ms": None,
            }
            endpoint = stack.enter_context(running(Settings(**{**defaults, **settings})))
            return Emulator(endpoint.url, endpoint.world)

        yield start


@pytest.fixture
def emulator(start_emulator: StartEmulator) -> Emulator:
    """Return an empty emulator with the manual clock."""
    return start_emulator()
