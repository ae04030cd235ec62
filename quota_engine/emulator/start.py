"""The beginning of a world: its clock, what its state file holds, and the declaration it starts with."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import orjson

from ..model.arns import Scope
from ..model.shapes import environment_to_api, policy_to_api, queue_to_api, share_to_api
from ..model.stack import Stack
from ..model.trouble import Trouble
from ..scheduler.assumptions import Assumptions
from .checkpoint import fingerprint, freeze, thaw
from .clock import ManualClock, make_clock
from .journal import Entry, Journal, SqliteJournal, StateUnavailable
from .perform import call_of, perform
from .refusal import Refusal
from .seed import plan_of, play
from .settings import ClockKind, LifecycleDelays, RepeatedToken, Settings
from .store import MARK_EVERY_MS, World
from .strikes import strike
from .wire.conform import conform

CHECKPOINT_AFTER: Final = 1_000
"""How many changes may be replayed at a start before the world is kept whole."""

_SHAPING: Final = (
    "job_duration_ms",
    "scheduled_ms",
    "starting_ms",
    "stopping_ms",
    "delays",
    "assumptions",
    "repeated_token",
)
"""The settings that decide what an operation does; they are written down, so that a replay does the same."""


class StackRefused(Trouble):
    """The declaration the emulator was to start with is not one the service would take; `text` is what it says."""

    def __init__(self, resource: str, text: str) -> None:
        super().__init__(f"the emulator can't start with this declaration: {resource}", why=text)
        self.resource = resource
        self.text = text


def new_world(settings: Settings) -> World:
    """Return a world: a new one with `settings.stack` deployed, or the one its state file holds.

    Raises StackRefused, or StateUnavailable for the file.
    """
    if settings.state_file is None:
        clock = make_clock(settings)
        instance = str(uuid.uuid4())
        world = World(settings, clock, instance, _seed(settings, instance))
        is_new = True
    else:
        world, is_new = _open(settings, settings.state_file)
    if is_new:
        try:
            with world.journal.together():
                _begin(world)
        except StackRefused:
            world.journal.close()
            raise
    return world


def _begin(world: World) -> None:
    """Deploy what the settings say a new world begins with, and have its scenario played."""
    scenario = world.settings.scenario
    stack = world.settings.stack or (scenario.stack if scenario else None)
    if stack is not None:
        deploy(world, stack)
    if scenario is not None and stack is not None:
        scope = scope_of_stack(world.settings, stack)
        at_ms = world.tick()
        steps = plan_of(scenario, scope, at_ms)
        play(world, scope, steps)
        world.write(Entry(at_ms, "seed", "", scope.account, scope.region, orjson.dumps(steps)))


def scope_of_stack(settings: Settings, stack: Stack) -> Scope:
    """Return the account and region that a declaration is deployed in."""
    return Scope(stack.account or settings.only_account or settings.account, stack.region)


def deploy(world: World, stack: Stack) -> None:
    """Create everything a stack declares, in the order in which things need each other. Raises StackRefused."""
    scope = scope_of_stack(world.settings, stack)
    steps = [("CreateSchedulingPolicy", name, policy_to_api(p)) for name, p in stack.scheduling_policies.items()]
    steps += [
        ("CreateServiceEnvironment", name, environment_to_api(e)) for name, e in stack.service_environments.items()
    ]
    steps += [("CreateJobQueue", name, queue_to_api(q, scope)) for name, q in stack.job_queues.items()]
    steps += [
        ("CreateQuotaShare", f"{queue.name}/{share.name}", share_to_api(share, scope.job_queue(queue.name)))
        for queue, share in stack.shares()
    ]
    for operation, name, request in steps:
        try:
            perform(call_of(world, scope), "batch", operation, conform("batch", operation, request))
        except Refusal as refusal:
            raise StackRefused(name, refusal.text) from None


def _seed(settings: Settings, instance: str) -> str:
    """Return what the world's ids come from: by the manual clock they are the same in every life."""
    return settings.seed or ("manual" if settings.clock is ClockKind.MANUAL else instance)


def _open(settings: Settings, path: str) -> tuple[World, bool]:
    journal = SqliteJournal(Path(path), survives_power_loss=settings.survives_power_loss)
    try:
        return _resume(settings, journal)
    except StateUnavailable:
        journal.close()
        raise


def _resume(settings: Settings, journal: SqliteJournal) -> tuple[World, bool]:
    """Return the world a journal holds, at the time it had come to, and whether it is new."""
    instance = journal.remember("instance", str(uuid.uuid4()))
    seed = journal.remember("seed", _seed(settings, instance))
    after_seq, frozen = journal.checkpoint(fingerprint())
    thawed = thaw(frozen) if after_seq else None
    world = thawed or World(settings, ManualClock(0), instance, seed)
    is_new = replay(world, journal.entries(after_seq if thawed else 0)) and thawed is None
    observed_ms = max(world.tick(), journal.marked_time())
    not_before_ms = observed_ms + (MARK_EVERY_MS if settings.clock is ClockKind.REAL and observed_ms else 0)
    keep_checkpoint(world, journal)
    world.clock = make_clock(settings, not_before_ms)
    world.settings, world.journal = settings, journal
    world.write(Entry(world.tick(), "settings", "", "", "", _shaping(settings)))
    return world, is_new


def keep_checkpoint(world: World, journal: Journal) -> None:
    """Keep the world whole where a replay of what came after the last checkpoint would take long.

    Raises StateUnavailable; nothing is lost then, as the journal has everything.
    """
    if not isinstance(journal, SqliteJournal):
        return
    if journal.changes_since_checkpoint(fingerprint()) >= CHECKPOINT_AFTER and (data := freeze(world)) is not None:
        journal.keep_checkpoint(fingerprint(), data)


def replay(world: World, entries: Iterable[Entry]) -> bool:
    """Do all that was acknowledged once more, each at its instant; return whether that was nothing.

    The world's clock is a manual one that stands no later than the first entry. Raises StateUnavailable.
    """
    is_new = True
    for number, entry in enumerate(entries, start=1):
        world.clock = ManualClock(entry.at_ms)
        try:
            _replay(world, entry)
        except (Refusal, ValueError, KeyError, TypeError) as error:
            raise StateUnavailable(
                f"the state can't be replayed at change {number} ({entry.operation or entry.kind})",
                why=str(error) or type(error).__name__,
                fix="start with another state file; this one is from another version or was edited",
            ) from error
        is_new = is_new and entry.kind == "settings"
    return is_new


def _replay(world: World, entry: Entry) -> None:
    """Do once more what a journal entry says was done."""
    given: Any = orjson.loads(entry.body)
    match entry.kind:
        case "settings":
            world.settings = _shaped(world.settings, given)
        case "clock":
            world.settle()
        case "strike":
            strike(world, given, entry.at_ms)
        case "seed":
            play(world, Scope(entry.account, entry.region), given)
        case _:
            perform(call_of(world, Scope(entry.account, entry.region)), entry.kind, entry.operation, given)


def _shaping(settings: Settings) -> bytes:
    return orjson.dumps({name: value for name, value in asdict(settings).items() if name in _SHAPING})


def _shaped(settings: Settings, given: dict[str, Any]) -> Settings:
    """Return the settings with those that were in force when the journal was written."""
    assumptions: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given["assumptions"].items()
    }
    typed = {
        **given,
        "delays": LifecycleDelays(**given["delays"]),
        "assumptions": Assumptions(**assumptions),
        "repeated_token": RepeatedToken(given["repeated_token"]),
    }
    return replace(settings, **typed)
