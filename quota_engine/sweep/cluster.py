"""The runs of a sweep on a Dask cluster that is there already.

Dask does what it is good at: it moves a run to another worker when one is lost. What it can't mend ends the sweep with
Trouble, and the runs that have finished are in the journal: a scheduler that is gone, a cluster left without workers, a
run that took down several workers.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Final

from ..model.trouble import Trouble
from .task import Engine, Finished, Task, perform, tool_version

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS: Final = 10
"""How long an answer of the scheduler is waited for."""
_PATIENCE_SECONDS: Final = 30
"""How long a cluster may be without workers."""
_LOOK_SECONDS: Final = 1
_AHEAD: Final = 4
"""Runs handed out for each thread of the cluster, so that a worker has the next one before it asks."""


def dask_cluster(address: str, patience_seconds: float = _PATIENCE_SECONDS) -> Engine:
    """Return an engine on the cluster whose scheduler is at `address`, such as tcp://10.0.0.5:8786."""
    return lambda tasks: _performed(tasks, address, patience_seconds)


def _performed(tasks: Iterable[Task], address: str, patience_seconds: float) -> Iterator[Finished]:
    client = _connected(address)
    try:
        ahead = _threads(client, address, patience_seconds) * _AHEAD
        _check_versions(client, address)
        yield from _as_finished(client, iter(tasks), ahead, address, patience_seconds)
    except Exception as error:
        is_lost = isinstance(error, OSError)  # of the connection: a run itself reads and writes nothing
        if isinstance(error, Trouble) or (client.status == "running" and not is_lost):
            raise
        raise _gone(address) from error
    finally:
        with suppress(OSError):  # a scheduler that is gone doesn't say goodbye
            client.close(timeout=CONNECT_SECONDS)


def _connected(address: str) -> Client:
    from distributed import Client
    from distributed.comm import get_address_host_port

    _silence()
    try:
        get_address_host_port(address, strict=True)
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Trouble(
            f"can't reach a Dask scheduler at {address}",
            why=str(error) or type(error).__name__,
            fix="give the address that the scheduler prints, such as tcp://10.0.0.5:8786",
        ) from error


def _silence() -> None:
    """Let Dask log nothing: what goes wrong is told as Trouble, once. Each of its loggers has a level of its own."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _threads(client: Client, address: str, patience_seconds: float) -> int:
    """Return how many runs the cluster does at once; waits for its first worker."""
    try:
        client.wait_for_workers(1, timeout=patience_seconds)
    except TimeoutError as error:
        raise _no_workers(address, patience_seconds) from error
    return sum(client.nthreads().values()) or 1


def _no_workers(address: str, patience_seconds: float) -> Trouble:
    why = f"none was there for {patience_seconds:.0f} s"
    return Trouble(f"the Dask cluster at {address} has no workers", why=why, fix=f"start some: dask worker {address}")


def _gone(address: str) -> Trouble:
    return Trouble(f"the Dask scheduler at {address} is gone", why="it closed the connection")


def _check_versions(client: Client, address: str) -> None:
    """Raise Trouble where a worker can't run quota-engine, or has another version of it."""
    wanted = tool_version()
    answers = client.run(tool_version, on_error="return")
    for worker, found in sorted(answers.items()):
        if found != wanted:
            seen = f"version {found}" if isinstance(found, str) else f"none that works ({found})"
            raise Trouble(
                f"worker {worker} of the Dask cluster at {address} can't do these runs",
                why=f"quota-engine is {wanted} here, and there {seen}",
                fix="install the same version of quota-engine on every worker",
            )


def _as_finished(
    client: Client, tasks: Iterator[Task], ahead: int, address: str, patience_seconds: float
) -> Iterator[Finished]:
    """Yield what finishes, keeping `ahead` runs handed out."""
    arrived: queue.SimpleQueue[Future] = queue.SimpleQueue()
    pending: set[Future] = set()

    def hand_out(count: int) -> None:
        for task in islice(tasks, count):
            future = client.submit(perform, task, pure=False)
            pending.add(future)
            future.add_done_callback(arrived.put)

    hand_out(ahead)
    while pending:
        future = _next(client, arrived, address, patience_seconds)
        finished = _result(future, address)
        pending.remove(future)
        hand_out(1)
        yield finished


def _next(client: Client, arrived: queue.SimpleQueue[Future], address: str, patience_seconds: float) -> Future:
    """Return the next future that is done. Raises Trouble when the cluster has had no workers for long."""
    without = 0
    while without < patience_seconds:
        try:
            return arrived.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            without = 0 if client.nthreads() else without + _LOOK_SECONDS
    raise _no_workers(address, patience_seconds)


def _result(future: Future, address: str) -> Finished:
    from distributed import KilledWorker

    try:
        found: Finished = future.result()
    except CancelledError as error:
        raise _gone(address) from error
    except KilledWorker as error:
        raise Trouble(
            "several workers died of the same run", why=str(error), fix="give the workers more memory"
        ) from error
    return found
