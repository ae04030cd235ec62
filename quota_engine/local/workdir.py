"""The folder in which the engine works for one emulator: state backend, Pulumi home, settings. Never the checkout.

There is one folder per emulator instance, under the user's state directory, so that the state lives exactly as long as
the emulator it describes: a new emulator has a new instance id and starts with an empty state, and the folders of
emulators that are gone are removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .emulator_info import EmulatorInfo, ask_emulator
from .errors import EmulatorUnavailable, WorkInProgress

_MARK = "emulator.json"


@dataclass(frozen=True, slots=True)
class WorkDir:
    """The folder of one emulator; `replaced` says that another emulator stood at the same address before."""

    path: Path
    replaced: bool = False

    @property
    def backend(self) -> Path:
        return self.path / "state"

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def locks(self) -> Path:
        return self.backend / ".pulumi" / "locks"

    def has_state(self, project: str, stack: str) -> bool:
        """Say whether this stack has been deployed to this emulator before."""
        return (self.backend / ".pulumi" / "stacks" / project / f"{stack}.json").is_file()


def state_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds the work folders (XDG Base Directory Specification)."""
    base = environ.get("XDG_STATE_HOME") or ""
    root = Path(base) if os.path.isabs(base) else Path(environ.get("HOME") or Path.home()) / ".local" / "state"
    return root / "quota-engine" / "local"


@contextmanager
def opened(emulator: EmulatorInfo, environ: Mapping[str, str] = os.environ) -> Iterator[WorkDir]:
    """Yield the emulator's folder, made if need be and kept from every other process meanwhile.

    Raises WorkInProgress when another command holds it.
    """
    root = state_dir(environ)
    path = root / re.sub(r"[^A-Za-z0-9_-]", "_", emulator.instance)
    path.mkdir(parents=True, exist_ok=True)
    with (path / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            what = f"another quota-engine local command works on the emulator at {emulator.endpoint}"
            raise WorkInProgress(what, fix="wait until it is done") from error
        replaced = remove_stale(root, emulator)
        work = WorkDir(path, replaced)
        work.backend.mkdir(exist_ok=True)
        work.home.mkdir(exist_ok=True)
        (path / _MARK).write_text(json.dumps({"endpoint": emulator.endpoint, "instance": emulator.instance}))
        yield work


def remove_stale(root: Path, emulator: EmulatorInfo) -> bool:
    """Remove the folders of emulators that are gone; return whether one of them stood where `emulator` stands now.

    An emulator is gone when another one, or nothing at all, answers at its address.
    """
    replaced = False
    for mark in sorted(root.glob(f"*/{_MARK}")):
        try:
            known = json.loads(mark.read_text())
            endpoint, instance = known["endpoint"], known["instance"]
        except (OSError, ValueError, KeyError):
            continue
        if instance == emulator.instance or not _is_gone(endpoint, instance, emulator):
            continue
        replaced = replaced or endpoint == emulator.endpoint
        shutil.rmtree(mark.parent, ignore_errors=True)
    return replaced


def _is_gone(endpoint: str, instance: str, emulator: EmulatorInfo) -> bool:
    if endpoint == emulator.endpoint:
        return True
    try:
        return ask_emulator(endpoint).instance != instance
    except EmulatorUnavailable:
        return True
