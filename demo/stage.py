"""What the story needs of a terminal: headings, commands shown before they run, an emulator in the background.

Every command is one line that a user could type in this folder with the virtual environment active and the exports set.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT_SECONDS = 20


class Unexpected(Exception):
    """A command of the story ended otherwise than the story says."""


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Stage:
    """Shows and runs commands; keeps the exports that later commands see."""

    def __init__(self) -> None:
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
        }
        self._colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def _print(self, text: str, code: str = "") -> None:
        print(f"\033[{code}m{text}\033[0m" if code and self._colour else text, flush=True)

    def heading(self, text: str) -> None:
        self._print(f"\n== {text}", "1")

    def say(self, text: str) -> None:
        for paragraph in text.split("\n"):
            self._print(textwrap.fill(paragraph, 100))

    def export(self, **variables: str) -> None:
        for name, value in variables.items():
            self._print(f"$ export {name}={value}", "36")
            self.environment[name] = value

    def run(self, line: str, expect: int = 0) -> None:
        """Show and run one command line; raise Unexpected when it exits otherwise than `expect`."""
        code = self.try_run(line)
        if code != expect:
            raise Unexpected(f"the command exited with {code}, not {expect}: {line}")
        if expect:
            self._print(f"(exit code {expect})", "2")

    def try_run(self, line: str) -> int:
        """Show and run one command line and return its exit code."""
        self._print(f"$ {line}", "36")
        return subprocess.run(["bash", "-c", line], cwd=ROOT, env=self.environment, check=False).returncode

    @contextmanager
    def emulator(self, options: str) -> Iterator[None]:
        """Run `quota-engine serve` in the background, with its exports set, and stop it in the end."""
        line = f"quota-engine serve {options}"
        self._print(f"$ {line} &", "36")
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                line.split(), cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
            try:
                self._take_exports(process)
                yield
            finally:
                process.terminate()
                process.wait(timeout=START_LIMIT_SECONDS)
                if process.returncode not in (0, 130):
                    log.seek(0)
                    sys.stderr.write(log.read().decode(errors="replace"))

    def _take_exports(self, process: subprocess.Popen[str]) -> None:
        """Read the export lines that `serve` prints first, up to an empty one; show and set them."""
        watchdog = threading.Timer(START_LIMIT_SECONDS, process.kill)
        watchdog.start()
        try:
            for line in process.stdout or ():
                if not line.strip():
                    return
                if line.startswith("export "):
                    name, _, value = line.removeprefix("export ").strip().partition("=")
                    self.export(**{name: value})
        finally:
            watchdog.cancel()
        raise Unexpected("the emulator stopped before it was ready")
