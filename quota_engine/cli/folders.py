"""A folder where a command wants a file: which files in it could be meant."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from ..config import Unreadable, kind_of
from ..config.discover import SUFFIXES
from ..model.trouble import Trouble

_SHOWN: Final = 5
_READ_MAX: Final = 200
"""Files that are opened for a hint: the folder may be a whole home."""


def refuse_folder(path: Path, kind: str) -> None:
    """Raise Trouble where `path` is a folder, naming the files of this kind in it and in the folders in it."""
    if not path.is_dir():
        return
    named = _of_kind(path, kind)
    shown = ", ".join(file.as_posix() for file in named[:_SHOWN])
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    fix = f"name a {kind} in it: {shown}{more}" if named else f"name the file of a {kind}; there is none in this folder"
    raise Trouble(f"can't read {path}: it is a folder, where the file of a {kind} belongs", fix=fix)


def _of_kind(folder: Path, kind: str) -> list[Path]:
    """Return the files that say they are of this kind, those of the folder itself first."""
    near = (file for pattern in ("*", "*/*") for file in sorted(folder.glob(pattern)))
    ours = (file for file in near if file.suffix.lower() in SUFFIXES and not file.name.startswith("."))
    return [file for file in islice(ours, _READ_MAX) if _kind_of(file) == kind]


def _kind_of(file: Path) -> str:
    """Return what a file says it is, "" where it can't be read: a hint never fails."""
    try:
        return kind_of(file)
    except Unreadable:
        return ""
