"""What can go wrong between this project's program and the engine, as trouble a user can act on."""

from __future__ import annotations

from dataclasses import dataclass

from quota_engine.model.trouble import Trouble


@dataclass(frozen=True, slots=True)
class Attempt:
    """One place where the engine was looked for, and why it was not to be had there."""

    source: str
    reason: str


class EngineUnavailable(Trouble):
    """No Pulumi engine (or language host) can be had; `attempts` says what was tried, in order."""

    def __init__(self, what: str, attempts: tuple[Attempt, ...], fix: str) -> None:
        self.attempts = attempts
        super().__init__(what, why="; ".join(f"{attempt.source}: {attempt.reason}" for attempt in attempts), fix=fix)


class EmulatorUnavailable(Trouble):
    """Nothing that answers like the emulator listens at the endpoint."""


class WorkInProgress(Trouble):
    """Another `quota-engine local` command works on the same emulator right now."""


class SettingsUnreadable(Trouble):
    """The stack's Pulumi settings are no YAML mapping, or can't be read at all."""


class ImportFileUnusable(Trouble):
    """The file to import from can't be read, or is about something else than the declaration."""


class DeploymentFailed(Trouble):
    """The engine ran and reported failure; `messages` are its own error messages, in order."""

    def __init__(self, what: str, messages: tuple[str, ...], fix: str = "") -> None:
        self.messages = messages
        super().__init__(what, why="; ".join(messages), fix=fix)
