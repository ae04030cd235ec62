"""Calls side by side, on threads that never outlive an interruption.

`concurrent.futures` joins its threads when the interpreter ends, so Ctrl-C would wait for calls that hang in a read or
in the pause before a retry. Daemon threads don't: what is not answered by then is dropped, which only reading allows.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Raised:
    """An exception that came out of a call, carried to the thread that asked."""

    error: BaseException


def side_by_side(calls: Sequence[Callable[[], T]], workers: int) -> Iterator[tuple[int, T]]:
    """Make the calls on up to `workers` threads; yield (its place in `calls`, its result) as each is answered.

    An exception of a call is raised here, and no further call is begun.
    """
    pending = deque(enumerate(calls))
    answered: queue.SimpleQueue[tuple[int, T | _Raised]] = queue.SimpleQueue()

    def work() -> None:
        while pending:
            try:
                place, made = pending.popleft()
            except IndexError:
                return
            try:
                answered.put((place, made()))
            except BaseException as error:
                answered.put((place, _Raised(error)))
                return

    for _ in range(min(workers, len(calls))):
        threading.Thread(target=work, name="quota-engine-live", daemon=True).start()
    try:
        for _ in calls:
            place, result = answered.get()
            if isinstance(result, _Raised):
                raise result.error
            yield place, result
    finally:
        pending.clear()
