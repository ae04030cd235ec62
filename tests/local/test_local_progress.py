"""The progress line: live on a terminal, a line now and then in a log."""

from __future__ import annotations

import io

from quota_engine.local.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO) -> str:
    """Show 60 updates, half a second apart, and the end."""
    times = iter(number / 2 for number in range(1000))
    line = ProgressLine(stream, now_s=lambda: next(times))
    for number in range(60):
        line.update(f"{number} packages")
    line.finish("built")
    return stream.getvalue()


def test_a_log_gets_few_whole_lines() -> None:
    """Hundreds of lines would bury what matters, none at all would look like a hang."""
    assert shown(io.StringIO()).splitlines() == ["0 packages (0 s)", "40 packages (20 s)", "built (30 s)"]


def test_a_terminal_gets_one_line_that_is_rewritten() -> None:
    """The last word stays, what came before it is overwritten."""
    text = shown(Terminal())
    assert text.count("\n") == 1
    assert text.count("\r\x1b[2K") == 61
    assert text.endswith("\x1b[2Kbuilt (30 s)\n")
