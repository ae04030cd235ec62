"""What can go wrong with the engine, as typed errors that carry what, why and the fix.

Caught by type, never by text. The message of each is fit to be printed as it is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """One place where the engine was looked for, and why it was not to be had there."""

    source: str
    reason: str


class LocalError(Exception):
    """Base of all errors of this package: `what` happened, `why`, and the `fix`."""

    def __init__(self, what: str, why: str = "", fix: str = "") -> None:
        self.what, self.why, self.fix = what, why, fix
        lines = [what, *([f"why: {why}"] if why else []), *([f"fix: {fix}"] if fix else [])]
        super().__init__("\n  ".join(lines))


class EngineUnavailable(LocalError):
    """No Pulumi engine (or language host) can be had; `attempts` says what was tried."""

    def __init__(self, what: str, attempts: tuple[Attempt, ...], fix: str) -> None:
        self.attempts = attempts
        super().__init__(what, "; ".join(f"{attempt.source}: {attempt.reason}" for attempt in attempts), fix)


class EmulatorUnavailable(LocalError):
    """Nothing that answers like the emulator listens at the endpoint."""


class DeploymentFailed(LocalError):
    """The engine ran and reported failure; `messages` are its own error messages, in order."""

    def __init__(self, what: str, messages: tuple[str, ...], fix: str = "") -> None:
        self.messages = messages
        super().__init__(what, "; ".join(messages), fix)


class InvalidDeclaration(LocalError):
    """The declaration has errors; nothing was deployed. `quota-engine validate` shows them."""
