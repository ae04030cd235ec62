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

from quota_engine.emulator import ClockKind, Settings, running
from quota_engine.emulator.store import World

REGION = "us-west-2"
ACCOUNT = "123456789012"
"""The access key id that the fixture's clients sign with, and so the account they are in."""


class Emulator:
    """A running emulator: `url`, boto3 clients of it, and its clock."""

    def __init__(self, url: str, world: World) -> None:
        self.url = url
        self.world = world

    def client(self, service: str, *, account: str = ACCOUNT, region: str = REGION, **config: Any) -> Any:
        """Return a boto3 client of `batch`, `cloudcontrol` or `sts` at this emulator; `config` goes to botocore."""
        session: Any = self.session(account=account, region=region)
        return session.client(service, endpoint_url=self.url, config=Config(retries={"max_attempts": 1}, **config))

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
