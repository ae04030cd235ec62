"""The server as a process: start, signals, ports."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from quota_engine.emulator import PortUnavailable, Settings, running, serve

ROOT = Path(__file__).resolve().parent.parent.parent

SERVE = """
import sys
from quota_engine.emulator import Settings, serve
serve(Settings(port=int(sys.argv[1])), lambda url: print(url, flush=True))
print("gone", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_cleanly(number: signal.Signals) -> None:
    """Exit code 0, nothing on stderr, the port free; clients that are connected don't hold it up."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    url = process.stdout.readline().strip()
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        process.send_signal(number)
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (0, "gone\n", "")
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_a_port_in_use_is_said_with_its_number() -> None:
    """The command shows what, why and fix; a traceback would help nobody."""
    with running(Settings(port=0)) as first:
        with pytest.raises(PortUnavailable) as caught:
            serve(Settings(port=first.port))
        assert str(first.port) in caught.value.what
        assert "in use" in caught.value.why.lower()
        assert "--port" in caught.value.fix


@pytest.mark.parametrize("host", ["no.such.host.invalid", "999.1.1.1", "203.0.113.7"])
def test_a_host_that_is_not_ours_is_said(host: str) -> None:
    """Unknown names and addresses of other machines alike."""
    with pytest.raises(PortUnavailable) as caught, running(Settings(host=host, port=0)):
        pass
    assert host in caught.value.what
    assert caught.value.why


def test_port_zero_takes_any_free_one() -> None:
    """Two at once, each with its own world."""
    with running(Settings(port=0)) as first, running(Settings(port=0)) as second:
        assert first.port != second.port
        assert first.world.instance != second.world.instance


@pytest.mark.parametrize("settings", [{"speed": 0}, {"speed": -1}, {"scheduled_ms": -1}, {"stopping_ms": -5}])
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    """Before anything listens."""
    with pytest.raises(ValueError, match="emulator's"):
        Settings(**settings)


def test_the_command_plays_a_scenario_and_publishes(tmp_path: Path) -> None:
    """The options together, as in the documentation: a scenario in a hurry, its events on standard output."""
    scenario = ROOT / "scenarios" / "lend-and-borrow.yaml"
    command = [
        str(Path(sys.executable).with_name("quota-engine")),
        "serve",
        "--port",
        "0",
        "--speed",
        "100000",
        "--quiet",
    ]
    process = subprocess.Popen(
        [*command, "--seed", str(scenario), "--events", "-"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        events = (json.loads(line) for line in process.stdout if line.startswith("{"))
        preemptions = (event for event in events if event["detail-type"].endswith("Preemption Started"))
        reasons = [event["detail"]["statusReason"] for event in islice(preemptions, 2)]
    finally:
        process.terminate()
        process.wait()
    assert ["ross-share" in reason for reason in reasons] == [True, False]


def test_a_seed_brings_its_own_declaration() -> None:
    """Two declarations at once can't be meant."""
    command = [str(Path(sys.executable).with_name("quota-engine")), "serve", "--stack", "dev", "--seed"]
    done = subprocess.run([*command, str(ROOT / "scenarios" / "lend-and-borrow.yaml")], capture_output=True, text=True)
    assert done.returncode == 2
    assert "leave out --stack" in done.stderr
