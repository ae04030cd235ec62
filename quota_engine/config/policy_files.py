"""Where an organisation's policies are found, and all of them read: a folder of files, each with one policy."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..model.diagnostic import Diagnostic
from ..model.policy import Policy
from .discover import discover
from .findings import finding
from .loaded import Loaded
from .policies import check_policies, load_policy

POLICIES: Final = "policies"
"""What the folder is called, where nobody names another one."""


@dataclass(slots=True)
class Policies:
    """Policies, with what was wrong with their own files."""

    policies: list[Policy] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    def judge(self, loaded: Loaded[Any]) -> list[Diagnostic]:
        """Return what the policies find in a stack, located; nothing in what could not be read as a whole."""
        if not self.policies or loaded.kind != "stack" or loaded.draft is None or loaded.broken:
            return []
        return loaded.positions.locate(check_policies(self.policies, loaded.data))


def read_policies(paths: Iterable[Path]) -> Policies:
    """Read every policy in the files and folders named; a file of another kind there is reported."""
    read = Policies()
    first: dict[str, str] = {}
    for file in discover(paths).files:
        loaded = load_policy(file)
        read.sources.update(loaded.sources)
        read.diagnostics += loaded.diagnostics
        if loaded.value is None:
            continue
        before = first.setdefault(loaded.value.id, file)
        if before == file:
            read.policies.append(loaded.value)
        else:
            message = f"{before} has the id {loaded.value.id} already"
            span = loaded.positions.span(("id",))
            read.diagnostics.append(finding("QE216", message, span=span, path=("id",), fix="take another id"))
    return read


def policies_in(folder: Path) -> tuple[Path, ...]:
    """Return the folder of policies in `folder`, if there is one."""
    own = folder / POLICIES
    return (own,) if os.path.isdir(own) else ()
