"""What the emulator holds: resources and jobs per account and region, and what is due later.

The world knows nothing of HTTP. It changes only through operations, one at a time, each at one instant of the clock;
what falls due in between (a deletion that takes a while, a Cloud Control request) runs at its own instant, in order, so
that the same operations at the same instants always give the same world. That law is what a journal can replay.
"""

from __future__ import annotations

import heapq
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..model.arns import Scope
from ..scheduler.trace import TraceEvent
from .clock import Clock, ManualClock
from .cloudcontrol.book import RequestBook
from .driver import JobEntry, Listener, QueueDriver
from .faults import FaultBook
from .journal import Entry, Journal, NoJournal, StateUnavailable
from .settings import Settings


class Kind(StrEnum):
    """The four resource types."""

    POLICY = "SchedulingPolicy"
    ENVIRONMENT = "ServiceEnvironment"
    QUEUE = "JobQueue"
    SHARE = "QuotaShare"


class Status(StrEnum):
    """What a resource is going through. VALID is where every change ends but the last."""

    CREATING = "CREATING"
    UPDATING = "UPDATING"
    DELETING = "DELETING"
    VALID = "VALID"


@dataclass(slots=True)
class Resource:
    """One resource. `detail` is the API's detail shape without statuses; `queue` is a share's queue, else "".

    `seq` is the order of creation in the whole world: what lists are sorted and paged by.
    """

    kind: Kind
    name: str
    arn: str
    seq: int
    detail: dict[str, Any]
    queue: str = ""
    change: Status = Status.VALID
    settles_at_ms: int = 0

    @property
    def key(self) -> str:
        """What the name is unique as; a slash can't be part of a name."""
        return f"{self.queue}/{self.name}" if self.queue else self.name

    def status_at(self, at_ms: int) -> Status:
        return self.change if self.change is Status.DELETING or at_ms < self.settles_at_ms else Status.VALID


class Region:
    """All of one account in one region. Names are unique here, per kind (shares: per queue)."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.resources: dict[Kind, dict[str, Resource]] = {kind: {} for kind in Kind}
        self.ghosts: dict[tuple[Kind, str], Resource] = {}
        self.drivers: dict[str, QueueDriver] = {}
        self.jobs: dict[str, JobEntry] = {}
        self.submit_tokens: dict[tuple[str, bytes], str] = {}
        self.requests = RequestBook()

    @property
    def is_empty(self) -> bool:
        """Whether it holds neither resources nor jobs."""
        return not self.jobs and not any(self.resources.values())

    def find(self, kind: Kind, key: str) -> Resource | None:
        return self.resources[kind].get(key)

    def all_of(self, kind: Kind) -> Iterator[Resource]:
        """Yield the resources of a kind in order of creation."""
        yield from self.resources[kind].values()

    def put(self, resource: Resource) -> None:
        """Add a resource; one of its name that was being deleted is forgotten."""
        self.ghosts.pop((resource.kind, resource.key), None)
        self.resources[resource.kind][resource.key] = resource

    def remove(self, resource: Resource, *, leave_ghost: bool) -> None:
        """Take a resource out. A ghost is shown as DELETING to the next call that asks for it by name."""
        del self.resources[resource.kind][resource.key]
        if leave_ghost:
            self.ghosts[resource.kind, resource.key] = resource

    def take_ghost(self, kind: Kind, key: str) -> Resource | None:
        return self.ghosts.pop((kind, key), None)


MARK_EVERY_MS = 1_000
"""How often the clock is written down, for a restart that must not run backwards."""


class Ids:
    """Ids that look random and are not: the same seed gives the same ids in the same order."""

    def __init__(self, seed: str) -> None:
        self._namespace = uuid.uuid5(uuid.NAMESPACE_URL, f"quota-engine/emulator/{seed}")
        self.count = 0

    def new(self, purpose: str) -> str:
        """Return a new UUID."""
        self.count += 1
        return str(uuid.uuid5(self._namespace, f"{purpose}/{self.count}"))


@dataclass(order=True, slots=True)
class _Due:
    at_ms: int
    seq: int
    action: Callable[[int], None] = field(compare=False)


class World:
    """The whole emulator's state. `instance` names this life of it, which a state file carries on."""

    def __init__(self, settings: Settings, clock: Clock, instance: str, seed: str) -> None:
        self.settings = settings
        self.clock = clock
        self.instance = instance
        self.ids = Ids(seed)
        self.regions: dict[Scope, Region] = {}
        self.faults = FaultBook()
        self.journal: Journal = NoJournal()
        self.listener: Listener | None = None
        self._due: list[_Due] = []
        self._seq = 0
        self._now_ms = 0
        self._marked_ms = 0
        self.lost: StateUnavailable | None = None

    def region(self, scope: Scope) -> Region:
        """Return an account's region, empty the first time."""
        found = self.regions.get(scope)
        if found is None:
            found = self.regions[scope] = Region(scope)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return what a checkpoint holds: not what belongs to one process."""
        of_the_process = ("clock", "journal", "listener", "lost", "faults")
        return {name: value for name, value in vars(self).items() if name not in of_the_process}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.clock = ManualClock(self._now_ms)
        self.journal, self.listener, self.lost, self.faults = NoJournal(), None, None, FaultBook()

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be done later."""
        return bool(self._due)

    def hear(self, driver: QueueDriver, event: TraceEvent) -> None:
        """Pass an event of a queue on to whoever listens."""
        if self.listener is not None:
            self.listener(driver, event)

    def next_seq(self) -> int:
        """Return the next number of the one order everything is created in."""
        self._seq += 1
        return self._seq

    def call_at(self, at_ms: int, action: Callable[[int], None]) -> None:
        """Run `action(at_ms)` when the clock gets there, before whatever is asked at that instant."""
        heapq.heappush(self._due, _Due(at_ms, self.next_seq(), action))

    def mark(self) -> tuple[int, int]:
        """Return how many ids and numbers were given out, for `reset`."""
        return self.ids.count, self._seq

    def reset(self, mark: tuple[int, int]) -> None:
        """Take back what a refused operation drew, so that it has changed nothing at all."""
        self.ids.count, self._seq = mark

    def write(self, entry: Entry) -> None:
        """Make a change durable. Raises StateUnavailable; the world is then ahead of its journal and serves no more."""
        self._durably(lambda: self.journal.append(entry))

    def _durably(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StateUnavailable as error:
            self.lost = error
            raise

    def settle(self) -> int:
        """Let everything that is due by now happen, in every queue; return the present instant."""
        at_ms = self.tick()
        for region in self.regions.values():
            for driver in region.drivers.values():
                driver.advance_to(at_ms)
        return at_ms

    def tick(self) -> int:
        """Run what has fallen due and return the present instant. Raises StateUnavailable once a write was lost."""
        if self.lost is not None:
            raise self.lost
        self._now_ms = max(self._now_ms, self.clock.now_ms())
        if self._now_ms - self._marked_ms >= MARK_EVERY_MS and self.journal.is_durable:
            self._marked_ms = self._now_ms
            self._durably(lambda: self.journal.mark_time(self._now_ms))
        while self._due and self._due[0].at_ms <= self._now_ms:
            due = heapq.heappop(self._due)
            due.action(due.at_ms)
        return self._now_ms
