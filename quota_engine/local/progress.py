"""One line on stderr that says how far a long wait has come.

On a terminal the line is rewritten in place; in a pipe or a log a fresh line appears now and then, so that a build log
stays readable and a silent minute never looks like a hang. Holds no clock of its own but the caller's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

_TERMINAL_INTERVAL_S = 0.2
_PIPE_INTERVAL_S = 20.0
_CLEAR_LINE = "\r\x1b[2K"


@dataclass(slots=True)
class ProgressLine:
    """Shows `text` with the seconds since the start; call `update` as often as you like."""

    stream: TextIO
    now_s: Callable[[], float] = time.monotonic
    _started_s: float = field(init=False)
    _shown_s: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._started_s = self.now_s()

    def update(self, text: str) -> None:
        """Show `text` unless something was shown a moment ago."""
        now_s = self.now_s()
        interval_s = _TERMINAL_INTERVAL_S if self.stream.isatty() else _PIPE_INTERVAL_S
        if self._shown_s is not None and now_s - self._shown_s < interval_s:
            return
        self._shown_s = now_s
        line = f"{text} ({now_s - self._started_s:.0f} s)"
        self._write(f"{_CLEAR_LINE}{line}" if self.stream.isatty() else f"{line}\n")

    def finish(self, text: str) -> None:
        """Show the last word, on a line that stays."""
        line = f"{text} ({self.now_s() - self._started_s:.0f} s)\n"
        self._write(f"{_CLEAR_LINE}{line}" if self.stream.isatty() else line)

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
