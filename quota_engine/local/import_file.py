"""The file that `quota-engine import` writes, turned to the emulator: whose it is, and where its provider looks.

Text in, entries out. What the file names has to be what the program registers, or the next deployment would make anew
what was just taken over; so a file about another stack, region or account is refused before the engine sees it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from quota_engine.model.arns import parse_arn
from quota_engine.model.logical_names import PROVIDER_PACKAGE, STACK_TYPE
from quota_engine.model.stack import Stack

from .errors import ImportFileUnusable
from .settings import endpoints

Entry = dict[str, Any]
_PROVIDER = f"pulumi:providers:{PROVIDER_PACKAGE}"
_WRITE_IT = "write it with quota-engine import --import-file FILE"


def entries_for(text: str, stack: Stack, account: str, endpoint: str) -> list[Entry]:
    """Return the entries of an import file for the emulator at `endpoint`. Raises ImportFileUnusable."""
    found = _entries(text)
    _check(found, stack, account)
    return [_provider(entry, stack, endpoint) if entry.get("type") == _PROVIDER else entry for entry in found]


def _entries(text: str) -> list[Entry]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ImportFileUnusable("the import file is no JSON", why=str(error), fix=_WRITE_IT) from error
    found = document.get("resources") if isinstance(document, dict) else None
    if not isinstance(found, list) or not found or not all(isinstance(entry, dict) for entry in found):
        raise ImportFileUnusable(
            "the import file names nothing to import", why="it has no list `resources`", fix=_WRITE_IT
        )
    return found


def _check(found: list[Entry], stack: Stack, account: str) -> None:
    """Refuse what the program would register otherwise: under another name, in another region or account."""
    named = [entry.get("logicalName") for entry in found if entry.get("type") == STACK_TYPE]
    if named != [stack.name]:
        raise ImportFileUnusable(
            f"the import file is about {_shown(named)}, the declaration's name is '{stack.name}'",
            why="under another name the next deployment would delete what is imported, and make it anew",
            fix=f"quota-engine import --name {stack.name} --import-file FILE, or change `name:` in the declaration",
        )
    for entry in found:
        arn = parse_arn(str(entry.get("id", "")))
        if arn and (arn.scope.region, arn.scope.account) != (stack.region, account):
            raise ImportFileUnusable(
                f"the import file names {entry['id']}, but this is account {account}, {stack.region}",
                why="what lives elsewhere can't be taken over here",
                fix="set `account:` and `region:` in the declaration to those of the file, or import anew",
            )


def _provider(entry: Entry, stack: Stack, endpoint: str) -> Entry:
    """Return the provider with the inputs that the program gives it on the emulator; structured ones are JSON text."""
    inputs: Mapping[str, Any] = entry.get("inputs") or {}
    guard = {"allowedAccountIds": json.dumps([stack.account])} if stack.account else {}
    kept = {name: value for name, value in inputs.items() if name != "allowedAccountIds"}
    checks = "false" if stack.account else "true"
    ours = {"endpoints": json.dumps(endpoints(endpoint)), "skipCredentialsValidation": checks}
    return {**entry, "inputs": {**kept, **guard, **ours}}


def _shown(named: list[Any]) -> str:
    return ", ".join(f"'{name}'" for name in named) or "no stack of this project"
