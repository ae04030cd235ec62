"""The runs of a sweep on a pool of processes on this machine.

The processes are spawned, never forked, so that threads of the caller do no harm. A pipe of which only the caller
holds the other end tells them when to stop: on Ctrl-C, and when the caller is killed, none of them goes on.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection

from ..model.trouble import Trouble
from .task import Engine, Finished, Task, perform

_AHEAD = 2
"""Runs handed out for each process: one that it does and one that waits, so that none is idle."""


def process_pool(workers: int) -> Engine:
    """Return an engine with `workers` processes."""
    return lambda tasks: _performed(tasks, workers)


def _performed(tasks: Iterable[Task], workers: int) -> Iterator[Finished]:
    context = get_context("spawn")
    stop, held = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(stop,))
    try:
        yield from _as_finished(executor, iter(tasks), workers * _AHEAD)
        executor.shutdown()
    except BrokenProcessPool as error:
        raise Trouble(
            "a process of the sweep died",
            why="the system ends a process that takes more memory than there is",
            fix="run it again with fewer --workers",
        ) from error
    finally:
        held.close()
        executor.shutdown(cancel_futures=True)
        stop.close()


def _as_finished(executor: ProcessPoolExecutor, tasks: Iterator[Task], ahead: int) -> Iterator[Finished]:
    """Yield what finishes, keeping `ahead` runs handed out."""
    pending = {_submit(executor, task) for task in islice(tasks, ahead)}
    while pending:
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        pending |= {_submit(executor, task) for task in islice(tasks, len(done))}
        for future in done:
            yield future.result()


def _submit(executor: ProcessPoolExecutor, task: Task) -> Future[Finished]:
    """Hand out a run. A process that this starts inherits that it doesn't hear Ctrl-C: the caller does, and ends it."""
    with _interrupt_blocked():
        return executor.submit(perform, task)


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(stop: Connection) -> None:
    """Set a new process up to end when the caller does."""
    threading.Thread(target=_end_with, args=(stop,), daemon=True).start()


def _end_with(stop: Connection) -> None:
    """Wait until nobody holds the pipe's other end."""
    stop.poll(None)
    os._exit(1)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
