"""What the emulator's tests share: a Batch client whose answers are judged, and a check of refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.conftest import Emulator

Refused = Callable[..., str]


@pytest.fixture
def batch(emulator: Emulator) -> Any:
    """Return a Batch client of the empty emulator."""
    return emulator.client("batch")


@pytest.fixture
def refused(emulator: Emulator) -> Refused:
    """Return a check: the call must be refused as Batch does it and change nothing; it returns the message.

    As Batch does it: HTTP 400, the modelled ClientException, its text in every place where clients look for it.
    """

    def check(call: Callable[..., Any], **request: Any) -> str:
        before = emulator.control("dump")
        with pytest.raises(ClientError) as caught:
            call(**request)
        answer: Any = caught.value.response
        assert type(caught.value).__name__ == "ClientException"
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert answer["Error"]["Code"] == "ClientException"
        message = answer["Error"]["Message"]
        assert message
        assert answer["message"] == message, "the message also stands at the top level, where clients read it"
        assert emulator.control("dump") == before, "a refused call changes nothing"
        return str(message)

    return check
