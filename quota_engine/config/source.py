"""Bytes → text: encoding, size, characters. Reads files, knows nothing of YAML or JSON.

The text it returns has LF line ends and no byte order mark, so that lines and columns are those an editor shows. The
locale plays no part.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Protocol

from ..model.diagnostic import Diagnostic, Span
from ..model.trouble import Trouble
from .findings import finding

SIZE_MAX: Final = 1024 * 1024
"""Bytes of one file."""

_BOMS_OF_OTHERS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)

CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
"""What may stand in no document: C0 and C1 controls but tab, LF and CR, other line separators, lone surrogates."""


class Files(Protocol):
    """Where texts are read from: the disk, or what stands in its place. Paths are as a user writes them."""

    def read(self, path: str, most: int) -> bytes:
        """Return the first `most` bytes of a file. Raises OSError or ValueError, or `NotAFile` where it is none."""

    def real(self, path: str) -> str:
        """Return the one name of a file, whatever the path to it."""

    def beside(self, path: str) -> list[str]:
        """Return the names in the folder of the file at a path, sorted; none where there is no such folder."""


class NotAFile(ValueError):
    """What a path leads to is no regular file."""


class Disk:
    """The files of this machine."""

    def read(self, path: str, most: int) -> bytes:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise NotAFile("it is a folder" if os.path.isdir(path) else "it is not a regular file")
        with open(path, "rb") as handle:
            return handle.read(most)

    def real(self, path: str) -> str:
        return os.path.realpath(path)

    def beside(self, path: str) -> list[str]:
        folder = os.path.dirname(os.path.realpath(path))
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


class _Instead(Disk):
    """The disk, but for the files whose texts are given."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = {os.path.realpath(file): text.encode("utf-8") for file, text in texts.items()}

    def read(self, path: str, most: int) -> bytes:
        there = super().read(path, most)
        return self.texts.get(os.path.realpath(path), there)


_files: ContextVar[Files] = ContextVar("files", default=Disk())  # noqa: B039 - it holds no state


def files() -> Files:
    """Return where texts are read from now."""
    return _files.get()


@contextmanager
def reading_from(source: Files) -> Iterator[None]:
    """Within it, every file is read from `source`: of another revision, say, with all it extends."""
    token = _files.set(source)
    try:
        yield
    finally:
        _files.reset(token)


@contextmanager
def reading(instead: Mapping[str, str]) -> Iterator[None]:
    """Within it, read these texts in the place of the files of these names: what would be found if they held them."""
    with reading_from(_Instead(instead)):
        yield


class Unreadable(Trouble):
    """A path that can't be read at all: missing, a folder, forbidden. What is inside a readable file never raises."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"can't read {path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read: the name to show, its text, and what was wrong with its bytes."""

    file: str
    text: str
    diagnostics: tuple[Diagnostic, ...] = ()


def read_source(path: str) -> Source:
    """Read a file as UTF-8 text. Raises `Unreadable`."""
    file = path.replace(os.sep, "/")
    try:
        data = files().read(path, SIZE_MAX + 1)
    except (OSError, ValueError) as error:
        raise Unreadable(file, getattr(error, "strerror", None) or str(error)) from error
    return decode(file, data)


def decode(file: str, data: bytes) -> Source:
    """Turn the bytes of `file` into text, with at most one finding about them."""
    start = Span(file, 1, 1, 1, 1)
    if len(data) > SIZE_MAX:
        message = f"the file is larger than {SIZE_MAX // 1024} KiB"
        return Source(
            file, "", (finding("QE102", message, span=start, fix="split it, and join the parts with extends"),)
        )
    other = next((name for bom, name in _BOMS_OF_OTHERS if data.startswith(bom)), None)
    if other:
        message = f"the file is encoded as {other}, not as UTF-8"
        return Source(file, "", (finding("QE101", message, span=start, fix="save it as UTF-8"),))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = _normalised(data.decode("utf-8", "replace"))
        return Source(file, shown, (_not_utf8(file, data, error.start),))
    text = _normalised(text)
    match = CONTROL.search(text)
    return Source(file, text, (_control(file, text, match.start()),) if match else ())


def _normalised(text: str) -> str:
    """Drop a byte order mark, and end lines in LF."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def span_at(file: str, text: str, index: int, length: int = 1) -> Span:
    """Return the span of `length` characters of one line from `index` on."""
    line = text.count("\n", 0, index) + 1
    column = index - (text.rfind("\n", 0, index) + 1) + 1
    return Span(file, line, column, line, column + length)


def _not_utf8(file: str, data: bytes, index: int) -> Diagnostic:
    """Say which byte is not UTF-8. All before it is, which gives the column."""
    before = _normalised(data[:index].decode("utf-8"))
    message = f"the file is not UTF-8: byte 0x{data[index]:02x} at byte position {index}"
    span = span_at(file, before, len(before))
    return finding("QE101", message, span=span, why="a declaration is UTF-8 text", fix="save it as UTF-8")


def _control(file: str, text: str, index: int) -> Diagnostic:
    code = ord(text[index])
    message = f"the text holds the character U+{code:04X}, which can't be seen"
    why = "tools disagree about the names and lines that such characters make"
    return finding("QE104", message, span=span_at(file, text, index), why=why, fix="delete it")
