"""What the engine said when it failed → one `DeploymentFailed` in its own words, without repetition. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pulumi.automation import CommandError

from .errors import DeploymentFailed

_EMPTY_WORDS = ("update failed", "preview failed", "refresh failed", "destroy failed")
_ALREADY_EXISTS = "AlreadyExists"
_FIX_TAKEN = (
    "delete what Pulumi's state does not know (made by other means, or by a deployment that was killed), "
    "or start another emulator"
)


def failure(errors: Iterable[str], error: CommandError) -> DeploymentFailed:
    """Return the failure with one message per resource, sorted; only without any such word, the command's own.

    Resources are worked on side by side, so the order in which they fail means nothing.
    """
    told: list[str] = []
    for message in errors:
        if not any(earlier in message for earlier in told) and message not in _EMPTY_WORDS:
            told.append(message)
    messages = tuple(sorted(told)) or (_stderr(str(error)),)
    is_taken = any(_ALREADY_EXISTS in message for message in messages)
    return DeploymentFailed("the deployment to the emulator failed", messages, _FIX_TAKEN if is_taken else "")


def named(message: str, urn: str | None) -> str:
    """Put the resource's name, the end of its URN, before a message about it; all on one line, without colour."""
    text = " ".join(re.sub(r"<\{%[^%]*%\}>", "", message).split())
    is_resource = urn is not None and "pulumi:pulumi:Stack" not in urn.split("::")
    return f"{urn.split('::')[-1]}: {text}" if urn and is_resource else text


def _stderr(command_error: str) -> str:
    """Return what the command wrote to stderr, on one line, or all there is."""
    said = command_error.split("stderr: ", 1)[-1]
    return " ".join(said.split()).removeprefix("error: ") or " ".join(command_error.split())
