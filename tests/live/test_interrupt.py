"""Ctrl-C while AWS does not answer ends the command at once."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from quota_engine.live.workers import side_by_side
from tests.live.recorded_account import RecordedAccount, _Handler

ROOT = Path(__file__).parent.parent.parent


def test_ctrl_c_does_not_wait_for_calls_that_hang() -> None:
    """Waiting for timeouts and retries to run out would take minutes in which Ctrl-C seems to be ignored."""
    asked, over = threading.Event(), threading.Event()

    class Hanging(_Handler):
        account = RecordedAccount({})

        def do_POST(self) -> None:
            if self.path.startswith("/v1/"):
                asked.set()
                over.wait()
            else:
                super().do_POST()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hanging)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    environment = {
        **os.environ,
        "AWS_ENDPOINT_URL_BATCH": url,
        "AWS_ENDPOINT_URL_STS": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    command = [sys.executable, "-m", "quota_engine", "drift", "stacks/dev.yaml"]
    run = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the suite in the background has it ignore SIGINT, and children inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert asked.wait(60), "the command never asked Batch anything"
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=20)
    finally:
        over.set()
        run.kill()
        server.shutdown()
        server.server_close()
    assert run.returncode == 130
    assert output == ""
    assert "Traceback" not in errors


def test_results_come_with_their_places_and_faults_come_through() -> None:
    """A fault of ours on a worker must not vanish there and leave the report a resource short."""
    doubled = dict(side_by_side([partial(operator.mul, n, 2) for n in range(50)], 4))
    assert doubled == {n: n * 2 for n in range(50)}

    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(side_by_side([lambda: 1, broken, lambda: 2], 1))
    assert list(side_by_side([], 4)) == []
