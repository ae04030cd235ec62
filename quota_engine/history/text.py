"""A file → its lines, numbered from 1: compressed or not, in whichever encoding, in bounded memory.

What the outside world does to a file (missing, damaged, endless) is `HistoryError`; a line never is.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final, TextIO

from ..model.stack import Path
from ..model.trouble import Trouble

LINE_MAX: Final = 1024 * 1024
"""Characters of a line; a longer one is bad, and passed over without being held."""

TEXT_MAX: Final = 32 * 1024**3
"""Characters of a file, decompressed. A compressed file of a few megabytes can hold terabytes."""

REPORT_EVERY: Final = 4096
"""Lines between two reports of progress."""

_GZIP: Final = b"\x1f\x8b"
_ENCODINGS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))

Progress = Callable[[int], None]
"""Is told from time to time how many bytes of the file have been read."""


class HistoryError(Trouble):
    """A history that can't be replayed as a whole. `place` is the key of `replay:` that is to blame."""

    def __init__(self, what: str, *, why: str = "", fix: str = "", place: Path = ("file",)) -> None:
        super().__init__(what, why=why, fix=fix)
        self.place = place


@contextmanager
def opened(path: str, shown: str) -> Iterator[tuple[TextIO, IO[bytes]]]:
    """Open a file as text, with the handle beneath it, whose position tells how far the reading is.

    The encoding is UTF-8, or what a byte order mark says; what can't be decoded is read as U+FFFD.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise HistoryError(f"can't read {shown}", why="it is not a regular file")
        with open(path, "rb") as raw:
            is_packed = raw.peek(2).startswith(_GZIP)
            inner = io.BufferedReader(gzip.GzipFile(fileobj=raw)) if is_packed else raw
            start = inner.peek(4)
            encoding = next((name for mark, name in _ENCODINGS if start.startswith(mark)), "utf-8")
            yield io.TextIOWrapper(inner, encoding=encoding, errors="replace", newline=None), raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        fix = "copy it again; gzip -t tells whether a file is whole"
        raise HistoryError(f"can't read {shown}", why=f"its compressed data is damaged: {error}", fix=fix) from error
    except OSError as error:
        raise HistoryError(f"can't read {shown}", why=error.strerror or str(error)) from error


def lines(
    stream: TextIO, raw: IO[bytes], shown: str, progress: Progress | None = None
) -> Iterator[tuple[int, str | None]]:
    """Yield (number, line without its end); None stands for a line that is longer than `LINE_MAX`."""
    number = length = 0
    while line := stream.readline(LINE_MAX):
        number += 1
        length += len(line)
        if line.endswith("\n"):
            yield number, line[:-1]
        elif len(line) < LINE_MAX:
            yield number, line
        else:
            length += _pass_over(stream, TEXT_MAX - length)
            yield number, None
        if length > TEXT_MAX:
            why = f"it holds more than {TEXT_MAX // 1024**3} GiB of text"
            raise HistoryError(
                f"can't read all of {shown}", why=why, fix="split it, or state a limit", place=("limit",)
            )
        if progress is not None and number % REPORT_EVERY == 0:
            progress(raw.tell())


def _pass_over(stream: TextIO, most: int) -> int:
    """Read to the end of a line, or until `most` characters are read; return how many were."""
    length = 0
    while length <= most and (part := stream.readline(LINE_MAX)):
        length += len(part)
        if part.endswith("\n"):
            break
    return length
