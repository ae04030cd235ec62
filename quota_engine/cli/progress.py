"""Progress on a terminal's stderr, and nothing in a pipe or where quiet was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..scheduler.trace import Sink, TraceEvent

_EVERY = 500
"""Jobs that end between two looks at the bar."""


@contextmanager
def progress_bar(label: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Give the function that is told how much of `total` is done; None where nothing is to be shown."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


def ended_jobs(tell: Callable[[int], None]) -> Sink:
    """Return the sink of a trace that tells from time to time how many jobs have ended."""
    from ..scheduler.trace import Failed, Succeeded

    ended = 0

    def hear(event: TraceEvent) -> None:
        nonlocal ended
        if isinstance(event, Succeeded | Failed):
            ended += 1
            if ended % _EVERY == 0:
                tell(ended)

    return hear
