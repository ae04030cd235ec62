"""A bound on the processor time of a piece of work, for patterns that others wrote and that may need for ever.

Only where a timer of the process's own time exists (not on Windows) and in the main thread, which takes its signal;
elsewhere there is no bound. The time is the process's own, so a busy machine changes nothing.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfPatience(Exception):
    """The work took all the processor time it had."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise OutOfPatience in a `with` block that takes more processor time than that."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_: int, __: object) -> None:
        raise OutOfPatience

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
