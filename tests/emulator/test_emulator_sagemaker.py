"""The SageMaker Python SDK, unmodified: its queue and its queued jobs play the announcement's sequence.

The SDK takes over a gigabyte, so it lives in a virtual environment of its own in the user's cache, made the first time.
moto's server stands in for S3 and SageMaker; an IAM that denies everything, with which the SDK goes on.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEmulator
from tests.emulator.resources import make_blog_queue

REQUIREMENTS = ("sagemaker-train==1.27.0", "moto[server]>=5.1")
SCRIPT = Path(__file__).with_name("sagemaker_announcement.py")
DENIED = (
    b'<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type>'
    b"<Code>AccessDenied</Code><Message>denied</Message></Error><RequestId>0</RequestId></ErrorResponse>"
)


@pytest.fixture(scope="module")
def sdk_python() -> Path:
    """Return the interpreter of the SDK's environment, making that first where needed."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "quota-engine" / f"sagemaker-{sys.version_info.major}.{sys.version_info.minor}"
    python, stamp = home / "bin" / "python", home / "installed.txt"
    if not stamp.exists() or stamp.read_text() != "\n".join(REQUIREMENTS):
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
        stamp.write_text("\n".join(REQUIREMENTS))
    return python


class DenyingIam(BaseHTTPRequestHandler):
    """Answers every call of IAM with AccessDenied."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(403)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(DENIED)))
        self.end_headers()
        self.wfile.write(DENIED)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def denying_iam() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), DenyingIam)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def moto(python: Path) -> Iterator[str]:
    """Run moto's server; yield its address once it answers."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [str(python), "-m", "moto.server", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, "moto's server has ended"
                assert time.monotonic() < deadline, "moto's server does not answer"
                threading.Event().wait(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.long
def test_the_sagemaker_sdk_plays_the_announcement(
    start_emulator: StartEmulator, sdk_python: Path, tmp_path: Path
) -> None:
    """What the announcement's readers will run: submit, borrow, reclaim, preempt in the share, results, listings."""
    emulator = start_emulator(scheduled_ms=1000, starting_ms=1000)
    make_blog_queue(emulator.client("batch"))
    with moto(sdk_python) as stand_in, denying_iam() as iam:
        seen = _play(emulator, sdk_python, tmp_path, stand_in, iam)
    assert seen["right after the submission"] == {"high": "SCHEDULED"}
    assert seen["trainer of a waiting job"] == "none"
    assert seen["borrowing"] == {"high": "RUNNING", "med": "RUNNING", "low": "RUNNABLE"}
    registered, attached = seen["trainer"]
    assert registered == attached
    assert seen["reclaimed"] == {"high": "RUNNING", "med": "RUNNABLE", "low": "RUNNABLE", "qs2": "RUNNING"}
    assert seen["preempted in the share"] == {
        "high": "RUNNABLE",
        "med": "RUNNABLE",
        "low": "RUNNING",
        "qs2": "RUNNING",
    }
    assert seen["preemptions"] == {"high": 1, "med": 1, "low": 0, "qs2": 0}
    assert seen["running by list_jobs"] == ["qs1-low", "qs2"]
    assert seen["by share"] == ["qs1-high", "qs1-med"]
    assert seen["by name"] is True
    assert seen["result of a terminated job"] == "RuntimeError: the announcement is over"
    assert seen["result of a job that ended"] == "SUCCEEDED"


def _play(emulator: Any, python: Path, tmp_path: Path, stand_in: str, iam: str) -> dict[str, Any]:
    """Run the script; STS is asked at a fixed address, so nothing may make the SDK ask it."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))},
        **emulator.environment(),
        "AWS_ENDPOINT_URL_S3": stand_in,
        "AWS_ENDPOINT_URL_SAGEMAKER": stand_in,
        "AWS_ENDPOINT_URL_IAM": iam,
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "SAGEMAKER_VALIDATE_ROLE": "false",
    }
    done = subprocess.run(
        [python, SCRIPT, emulator.url], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-4000:]
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen
