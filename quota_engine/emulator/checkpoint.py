"""The whole world as bytes, so that a restart need not replay what lies before them.

A checkpoint is a short cut, never the truth: it holds for exactly the code that wrote it, compiled or not, and where
there is none the journal is replayed from its first entry. Read back, it may hold plain data and the types of what it
keeps only: a state file is no program.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import sys
from pathlib import Path
from typing import Any, Final

from .records import blank, fill, reducers
from .store import World

_FOLDERS: Final = ("emulator", "model", "scheduler")
_TYPES_OF: Final = tuple(f"quota_engine.{folder}." for folder in _FOLDERS)
_PLAIN: Final = frozenset(
    {("collections", "deque"), ("uuid", "UUID"), (blank.__module__, blank.__name__), (fill.__module__, fill.__name__)}
)


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

    That is a deletion or a request that takes its time, or a scenario that is not over.
    """
    if world.is_waiting:
        return None
    frozen = io.BytesIO()
    pickler = pickle.Pickler(frozen, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = reducers()
    pickler.dump(world)
    return frozen.getvalue()


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
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"a checkpoint may not hold {module}.{name}")
