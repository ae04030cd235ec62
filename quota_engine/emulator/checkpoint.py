"""The whole world as bytes, so that a restart need not replay what lies before them.

A checkpoint is a short cut, never the truth: it holds for exactly the code that wrote it, and where there is none the
journal is replayed from its first entry. Read back, it may hold plain data and the types of what it keeps only: a state
file is no program.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import sys
from pathlib import Path
from typing import Any, Final

from .store import World

_FOLDERS: Final = ("emulator", "model", "scheduler")
_TYPES_OF: Final = tuple(f"quota_engine.{folder}." for folder in _FOLDERS)
_FUNCTIONS_OF: Final = "quota_engine.scheduler."
"""A queue's state refers to the functions that order its heads and victims."""
_PLAIN: Final = frozenset({("collections", "deque"), ("uuid", "UUID")})


@functools.cache
def fingerprint() -> str:
    """Return what tells this code from any other that could have written a checkpoint."""
    home = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(sys.version.encode())
    for folder in _FOLDERS:
        for path in sorted((home / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def freeze(world: World) -> bytes | None:
    """Return the world as bytes; None while something is still to happen to it that bytes can't hold.

    That is a deletion or a request that takes its time, a scenario that is not over, or assumptions other than the
    defaults, whose orderings are functions made for them.
    """
    if world.is_waiting:
        return None
    try:
        return pickle.dumps(world, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError):
        return None


def thaw(data: bytes) -> World | None:
    """Return the world that was frozen, None when the bytes hold none. Its clock and journal are yet to be set."""
    try:
        world = _OwnTypes(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, LookupError, TypeError, ValueError):
        return None
    return world if isinstance(world, World) else None


class _OwnTypes(pickle.Unpickler):
    """Builds plain data and the types of what the emulator keeps, nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if module.startswith(_TYPES_OF) and "." not in name:  # a dotted name could lead anywhere
            found = super().find_class(module, name)
            if isinstance(found, type) or module.startswith(_FUNCTIONS_OF):
                return found
        raise pickle.UnpicklingError(f"a checkpoint may not hold {module}.{name}")
