"""Progress on a terminal's stderr, and nothing in a pipe or where quiet was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..scheduler.trace import Sink, TraceEvent


class Advanced(Protocol):
    """Told how much is done, and of how much in all where that is another number than before."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


_EVERY = 500
"""Jobs that end between two looks at the bar."""


@contextmanager
def progress_bar(label: str, total: int | None, *, quiet: bool) -> Iterator[Advanced | None]:
    """Give the function that is told how much of `total` is done; None where nothing is to be shown.

    Where the total is not known, or grows, the function is told it too.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done, total=None: bar.update(task, completed=done, total=total)


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
