"""Every command that looks at an account, with each of its calls failing in each way: exit 2, the operation named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from tests.conftest import Emulator
from tests.forecast.test_forecast import Live, fill
from tests.live.on_the_way import TRUNCATED, OnTheWay, on_the_way
from tests.live.recorded_account import CUT, Fault, broken, denied, throttled

Capture = pytest.CaptureFixture[str]
REGION = ["--region", "us-west-2"]
COMMANDS = {
    "drift": ["drift", "stacks/dev.yaml"],
    "drift --all": ["drift", "stacks/dev.yaml", "--all"],
    "snapshot": ["snapshot", "stacks/dev.yaml"],
    "forecast": ["forecast", "stacks/dev.yaml"],
    "explain": ["explain", "fourth", "--queue", "training", *REGION],
    "history": ["history", "training", *REGION],
    "history --describe": ["history", "training", "--describe", *REGION],
    "import --queue": ["import", "--queue", "training", *REGION],
    "import --all": ["import", "--all", *REGION],
}
FAULTS = {
    "denied": denied(),
    "throttled": throttled(),
    "500": broken(),
    "cut": CUT,
    "truncated": TRUNCATED,
    "a login page": Fault(200, b"<html>please log in</html>"),
    "another shape": Fault(200, b"[1]"),
    "expired": Fault(
        403, b'{"message": "The security token included in the request is expired"}', "ExpiredTokenException"
    ),
    "a clock that is off": Fault(403, b'{"message": "Signature expired"}', "InvalidSignatureException"),
}


@pytest.fixture
def between(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnTheWay]:
    """The declaration stacks/dev.yaml with jobs, read through a stand-in that can spoil answers."""
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    fill(Live(emulator, stack))
    with on_the_way(emulator.url) as state:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BATCH", state.url)
        yield state


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_failing_call_is_exit_2_and_named_and_nothing_passes_for_whole(
    command: str, between: OnTheWay, capfd: Capture, tmp_path: Path
) -> None:
    """Whichever call fails: never a partial result, never a traceback. The ways of failing take turns."""
    assert run(COMMANDS[command]) == 0
    turn = list(COMMANDS).index(command)
    for number, operation in enumerate(sorted(set(between.seen))):
        check(command, operation, list(FAULTS)[(turn + number) % len(FAULTS)], between, capfd, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_call_of_every_command_may_fail_in_every_way(
    command: str, between: OnTheWay, capfd: Capture, tmp_path: Path
) -> None:
    """All of what the test above takes in turns."""
    assert run(COMMANDS[command]) == 0
    for operation in sorted(set(between.seen)):
        for fault in FAULTS:
            check(command, operation, fault, between, capfd, tmp_path)


def check(command: str, operation: str, fault: str, between: OnTheWay, capfd: Capture, folder: Path) -> None:
    """Run the command with one operation failing in one way."""
    path = folder / f"{operation} {fault}"
    capfd.readouterr()
    between.faults = {operation: FAULTS[fault]}
    assert run([*COMMANDS[command], "--output", str(path)]) == 2, (operation, fault)
    told = capfd.readouterr().err + (path.read_text(encoding="utf-8") if path.exists() else "")
    assert f"batch:{operation}" in told.lower(), (operation, fault, told)
    assert "internal error" not in told
    if command.split()[0] in ("import", "history", "explain"):
        assert not path.exists(), (operation, fault)
