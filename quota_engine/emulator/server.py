"""Run the emulator: bind, serve until told to stop, and leave nothing behind. The only module that opens a socket."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

import uvicorn

from ..model.trouble import Trouble
from .app import app_of
from .events import publisher
from .journal import StateUnavailable
from .protocol import bounded_protocol
from .settings import ClockKind, Settings
from .start import keep_checkpoint, new_world
from .store import World
from .targets import open_target

_KEEP_ALIVE_S: Final = 60
_BACKLOG: Final = 1024
_SHUTDOWN_S: Final = 2
_TICK_S: Final = 0.05


class PortUnavailable(Trouble):
    """The address can't be bound. `host` and `port` are what was asked for."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"the emulator can't listen on {host}:{port}",
            why=reason,
            fix="stop what uses that port, or choose another with --port (0 takes any free one)",
        )
        self.host = host
        self.port = port


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a running emulator answers. `world` is what it serves, for those in the same process."""

    url: str
    host: str
    port: int
    world: World


def serve(settings: Settings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until SIGINT or SIGTERM, then return. `ready` is called once with the URL, when requests can come.

    Must be called in the main thread. Raises PortUnavailable, StackRefused when `settings.stack`
    can't be deployed, StateUnavailable for its state file, or EventsUnavailable.
    """
    with _listener(settings) as listener, _world(settings) as world:
        endpoint = _endpoint(world, listener)
        server = _Server(endpoint, lambda: ready(endpoint.url) if ready else None)
        with _stop_on_signals(server), asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            runner.run(server.serve(sockets=[listener]))


@contextmanager
def running(settings: Settings) -> Iterator[Endpoint]:
    """Serve in a thread of this process for the length of a `with` block. Raises as `serve` does."""
    with _listener(settings) as listener, _world(settings) as world:
        endpoint = _endpoint(world, listener)
        started = threading.Event()
        server = _Server(endpoint, started.set)
        thread = threading.Thread(target=_run_in_thread, args=(server, listener, started), daemon=True)
        thread.start()
        started.wait()
        try:
            yield endpoint
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _world(settings: Settings) -> Iterator[World]:
    """Yield the world, its events going where they are to go; leave neither file nor thread behind."""
    with ExitStack() as opened:
        publish = None
        if settings.events is not None:
            target = open_target(settings.events)
            opened.callback(target.close)
            publish = publisher(target.publish)
        world = new_world(settings)
        opened.callback(_leave, world)
        world.listener = publish  # only now: what a state file replays was published in its time
        yield world


def _leave(world: World) -> None:
    """Keep the world for the next start where that pays, and let go of the state file."""
    with contextlib.suppress(StateUnavailable):  # the journal has everything, only the next start takes longer
        if world.lost is None:
            keep_checkpoint(world, world.journal)
    world.journal.close()


async def _keep_time(world: World) -> None:
    """Let things happen by themselves: an event is to come when it happens, not when a client looks."""
    with contextlib.suppress(StateUnavailable):  # every client is told
        while True:
            world.settle()
            await asyncio.sleep(_TICK_S)


def _run_in_thread(server: _Server, listener: socket.socket, started: threading.Event) -> None:
    try:
        with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            runner.run(server.serve(sockets=[listener]))
    finally:
        started.set()  # whoever waits for the start must not wait for ever for one that failed


class _Server(uvicorn.Server):
    """uvicorn's server that says when it has started and leaves signals to us."""

    def __init__(self, endpoint: Endpoint, on_started: Callable[[], None]) -> None:
        settings = endpoint.world.settings
        super().__init__(
            uvicorn.Config(
                app_of(endpoint.world),
                http=bounded_protocol(settings.request_timeout_s),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=_SHUTDOWN_S,
                backlog=_BACKLOG,
            )
        )
        self._world = endpoint.world
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._world.listener is not None and self._world.clock.kind is ClockKind.REAL:
            self._timekeeper = asyncio.create_task(_keep_time(self._world))
        self._on_started()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Do nothing: uvicorn would raise the signal again after its shutdown, and so end the process by it."""
        yield


@contextmanager
def _stop_on_signals(server: _Server) -> Iterator[None]:
    """Stop the server on SIGINT and SIGTERM for the length of the block."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    former = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def _listener(settings: Settings) -> Iterator[socket.socket]:
    """Bind the address; port 0 takes any free one. Raises PortUnavailable."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _name, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, UnicodeError) as error:
        raise PortUnavailable(settings.host, settings.port, str(error)) from error
    with listener:
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PortUnavailable(settings.host, settings.port, reason) from error
        listener.setblocking(False)
        yield listener


def _endpoint(world: World, listener: socket.socket) -> Endpoint:
    host, port = world.settings.host, listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    return Endpoint(f"http://{shown}:{port}", host, port, world)


logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
