"""One small declaration, the account it describes, and no AWS settings of the machine's own."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import boto3
import pytest

from quota_engine.config import load_stack
from quota_engine.model.stack import Stack
from tests.live.recorded_account import RecordedAccount, serve

CASE = Path(__file__).parent.parent / "cases" / "drift" / "order-that-means-nothing"


class StartAccount(Protocol):
    def __call__(self, **settings: Any) -> tuple[RecordedAccount, boto3.Session]: ...


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")


@pytest.fixture
def stack() -> Stack:
    """Two queues, train and eval, each with an environment; three shares, two of them named vision."""
    loaded = load_stack(str(CASE / "stack.yaml"))
    assert loaded.value is not None
    return loaded.value


@pytest.fixture
def live() -> dict[str, list[dict[str, Any]]]:
    """The account that is as `stack` declares, free to be changed."""
    found: dict[str, list[dict[str, Any]]] = json.loads((CASE / "same.live.json").read_text(encoding="utf-8"))
    return copy.deepcopy(found)


@pytest.fixture
def start_account(live: dict[str, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch) -> Iterator[StartAccount]:
    """Return a function that serves `live`, with settings of RecordedAccount, and returns it with a session of it."""
    with ExitStack() as running:

        def start(**settings: Any) -> tuple[RecordedAccount, boto3.Session]:
            account = running.enter_context(serve(RecordedAccount(**{"live": live, **settings})))
            return account, account.session(monkeypatch)

        yield start
