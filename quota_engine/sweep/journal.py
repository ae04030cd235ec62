"""The finished runs of a sweep in a file, so that a sweep that was stopped goes on where it was.

JSON Lines: a header, then one line for each run with its key, its records and a checksum of them. A line is appended
whole when its run has finished; one that a kill cut short is dropped and its run done again. Any other damage is
refused, as a result that looks right and isn't would be worse than none.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from ..model.trouble import Trouble
from .record import Record
from .task import Finished

_HEADER_LINE: Final = b'{"journal": "quota-engine sweep", "version": 1}\n'
_START_AFRESH: Final = "delete it to start afresh"


@dataclass(slots=True)
class Journal:
    """An open journal: the runs it `finished` by key, whether its last line was `cut`, and where it goes on."""

    path: Path
    finished: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    cut: bool = False
    _file: IO[bytes] | None = None

    def append(self, finished: Finished) -> None:
        """Add a run that has finished. Raises Trouble where the file can't take it."""
        key, records = finished
        if self._file is not None:
            try:
                self._file.write(_line(key, records))
                self._file.flush()
            except OSError as error:
                raise Trouble(f"can't write {self.path}", why=error.strerror or str(error)) from error
        self.finished[key] = records


def journal_path(output: Path) -> Path:
    """Return where the journal of a result's file lies: beside it."""
    return output.with_name(f"{output.name}.partial.jsonl")


def told_when_stopped(path: Path | None, finished: int) -> str:
    """Return what is left of a sweep that stops with so many runs `finished`, for whoever waited for them."""
    if not finished:
        return "no run had finished; the same command begins anew"
    runs = "1 finished run" if finished == 1 else f"{finished:,} finished runs"
    if path is None:
        return f"{runs} lost; with --output FILE what has finished is kept, and the same command goes on from there"
    return f"{path} keeps {runs}; the same command goes on from there"


@contextmanager
def open_journal(path: Path | None) -> Iterator[Journal]:
    """Open the journal at `path`, a new one where there is none; without a path it is kept in memory only.

    A journal that holds nothing in the end is removed.

    Raises Trouble where the file can't be written, is damaged, or belongs to a sweep that is running.
    """
    if path is None:
        yield Journal(Path())
        return
    try:
        file = open(path, "a+b")  # noqa: SIM115 - closed below
    except OSError as error:
        raise Trouble(f"can't write {path}", why=error.strerror or str(error)) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Trouble(
                f"{path} is in use", why="another sweep writes the same result", fix="wait for it, or name another file"
            ) from error
        journal = _opened(path, file)
        try:
            yield journal
        finally:
            if not journal.finished:
                path.unlink(missing_ok=True)


def _opened(path: Path, file: IO[bytes]) -> Journal:
    """Read what is there, cut off an unfinished line, and begin a new file with the header."""
    journal = Journal(path, _file=file)
    file.seek(0)
    whole = 0
    for number, line in enumerate(file, start=1):
        if not line.endswith(b"\n"):
            if number == 1 and not _HEADER_LINE.startswith(line):
                _refuse(path)
            journal.cut = True
            break
        if number == 1 and line != _HEADER_LINE:
            _refuse(path)
        whole += len(line)
        if number > 1:
            key, records = _read(path, number, line)
            journal.finished[key] = records
    file.truncate(whole)
    file.seek(0, os.SEEK_END)
    if not whole:
        file.write(_HEADER_LINE)
        file.flush()
    return journal


def _refuse(path: Path) -> NoReturn:
    why = "its first line is not the one that this version of quota-engine writes"
    raise Trouble(f"{path} is no journal of a sweep", why=why, fix="move it away, or name another --output")


def _line(key: str, records: tuple[Record, ...]) -> bytes:
    text = json.dumps(records, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return f'{{"key":"{key}","check":{zlib.crc32(text.encode())},"records":{text}}}\n'.encode()


def _read(path: Path, number: int, line: bytes) -> Finished:
    """Return the run of a line. Raises Trouble where it isn't what was written."""
    try:
        entry: Any = json.loads(line, parse_constant=_no_number)
        key, records = entry["key"], tuple(entry["records"])
        if _line(key, records) == line:
            return key, records
    except (ValueError, KeyError, TypeError):
        pass
    raise Trouble(f"line {number} of {path} is damaged", why="it is not as it was written", fix=_START_AFRESH)


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)
