"""Lines that wait on the disk for what stands before them and is known last."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self, cast

from ..model.trouble import Trouble

_PART: Final = 1 << 20
"""Bytes that are read back at a time."""


class Spool:
    """Takes lines one by one and gives them back in order; what it holds is gone when it is left.

    They wait in the folder of the file that they are for, where there must be room for them anyway, or, where they are
    for no regular file, in the folder for temporary files, which TMPDIR names.
    """

    def __init__(self, target: Path | None) -> None:
        real = target.resolve() if target is not None else None
        is_special = real is None or (real.exists() and not real.is_file())
        self._folder = tempfile.gettempdir() if real is None or is_special else str(real.parent)
        self.count = 0
        """Lines taken so far."""

    def __enter__(self) -> Self:
        try:
            # Its life ends with the block that it is opened for, in __exit__.
            self._file = cast(BinaryIO, tempfile.TemporaryFile(dir=self._folder))
        except OSError as error:
            raise self._trouble(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, line: str) -> None:
        """Take a line. Raises Trouble where there is no room for it."""
        try:
            self._file.write(line.encode("utf-8"))
        except OSError as error:
            raise self._trouble(error) from error
        self.count += 1

    def after(self, head: str) -> Iterator[bytes]:
        """Yield what stands first, and then all lines, in parts."""
        try:
            self._file.seek(0)
        except OSError as error:
            raise self._trouble(error) from error
        yield head.encode("utf-8")
        while part := self._file.read(_PART):
            yield part

    def _trouble(self, error: OSError) -> Trouble:
        return Trouble(
            f"can't keep the events in {self._folder} until the run ends",
            why=error.strerror or str(error),
            fix="make room there, or write elsewhere with --output or TMPDIR",
        )
