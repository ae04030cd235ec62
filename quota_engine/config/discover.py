"""Folders → the files in them that are declarations or scenarios. Reads folders, opens no file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from .source import Unreadable

SUFFIXES: Final = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to check, in order, and Pulumi's own settings that were passed over.

    `named` are those of `files` that were named themselves, not found in a folder.
    """

    files: tuple[str, ...]
    skipped: tuple[str, ...]
    named: frozenset[str]


def discover(paths: Iterable[str | os.PathLike[str]]) -> Discovery:
    """Expand folders, all below them included; a file that is named itself is always taken. Raises `Unreadable`."""
    files: dict[str, None] = {}
    skipped: dict[str, None] = {}
    named: set[str] = set()
    for path in (os.fspath(given) for given in paths):
        if not os.path.isdir(path):
            files[path.replace(os.sep, "/")] = None
            named.add(path.replace(os.sep, "/"))
            continue
        for file in _below(path):
            is_pulumi = os.path.basename(file).startswith("Pulumi.")
            (skipped if is_pulumi else files)[file] = None
    return Discovery(tuple(files), tuple(skipped), frozenset(named))


def _below(folder: str) -> list[str]:
    """Return the YAML and JSON files in a folder and below it, sorted, hidden ones left out."""
    found: list[str] = []

    def fail(error: OSError) -> None:
        raise Unreadable(folder, error.strerror or str(error)) from error

    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            os.path.join(parent, name).replace(os.sep, "/")
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
    return sorted(found)
