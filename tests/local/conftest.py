"""The real engine and a real emulator for the tests of this folder.

Where no engine can be had the tests skip, saying why; with CI=true they fail instead, so that a pipeline never passes
without having deployed anything.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from quota_engine.emulator.server import running
from quota_engine.emulator.settings import ClockKind, Settings
from quota_engine.local.engine import Engine, ensure_language_host, find_engine
from quota_engine.local.errors import EngineUnavailable

REGION = "us-west-2"
ACCOUNT = "123456789012"


def _had_or_skip(find: Any, request: pytest.FixtureRequest) -> Any:
    """Return what `find` finds, showing a build's progress although pytest captures output."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    try:
        with capture.global_and_fixture_disabled():
            return find(sys.__stderr__)
    except EngineUnavailable as error:
        reason = f"{error.what}: {error.why}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = _had_or_skip(find_engine, request)
    return found


@pytest.fixture(scope="session")
def language_host(engine: Engine, request: pytest.FixtureRequest) -> Path:
    folder: Path = _had_or_skip(lambda progress: ensure_language_host(engine, progress), request)
    return folder


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An emulator of its own for one test, whose clock only moves when told to."""
    with running(Settings(port=0, account=ACCOUNT, region=REGION, clock=ClockKind.MANUAL)) as emulator:
        yield emulator.url


@pytest.fixture
def batch(endpoint: str) -> Any:
    """A boto3 client of the emulator, as another user of the account would have it."""
    return boto3.client(
        "batch",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=ACCOUNT,
        aws_secret_access_key="any",
    )


@pytest.fixture
def advance(endpoint: str) -> Callable[[int], None]:
    """Return a function that moves the emulator's clock on by so many ms."""

    def move(by_ms: int) -> None:
        body = json.dumps({"advance_ms": by_ms}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/_emulator/clock", body)) as answer:
            answer.read()

    return move


@pytest.fixture(autouse=True)
def _own_state_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests' work folders out of the user's state directory and apart from each other."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
