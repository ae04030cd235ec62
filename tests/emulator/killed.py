"""An emulator in a process of its own that gets killed."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import Remote

SERVE = """
import sys
from quota_engine.emulator import ClockKind, Settings, serve, start
start.CHECKPOINT_AFTER = int(sys.argv[2])
clock = ClockKind(sys.argv[3])
serve(Settings(port=0, state_file=sys.argv[1], clock=clock, stopping_ms=20_000), lambda url: print(url, flush=True))
"""


class Killed(Remote):
    """`checkpoint_after` changes are replayed at most before the world is kept whole; `environment` comes on top."""

    def __init__(self, state: str, checkpoint_after: int = 1_000, clock: str = "real", **environment: str) -> None:
        command = [sys.executable, "-P", "-c", SERVE, state, str(checkpoint_after), clock]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        assert self.process.stdout
        super().__init__(self.process.stdout.readline().strip())

    def kill(self) -> None:
        """Kill it at once, where that has not happened yet: it gets no chance to put anything in order."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()
