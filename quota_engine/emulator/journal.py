"""What makes the emulator's state durable: a journal of every acknowledged change, replayed at the start.

The world changes only through operations at instants of the clock, and the same operations at the same instants give
the same world (`store`). So an entry per change is enough: it is committed before the change is acknowledged, and a
process killed at any moment has either the whole change or none of it. With `synchronous=NORMAL` a committed entry
survives the process; `FULL` makes it survive the machine too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from ..model.trouble import Trouble

_APPLICATION_ID: Final = 0x51454D55
_FORMAT: Final = 1
_SCHEMA: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, operation TEXT NOT NULL,
  account TEXT NOT NULL, region TEXT NOT NULL, body BLOB NOT NULL
);
"""
_CHECKPOINTS: Final = """
CREATE TABLE IF NOT EXISTS checkpoint (
  one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, fingerprint TEXT NOT NULL, world BLOB NOT NULL
)
"""
"""At most one: the world after the entry `seq`, for the code that `fingerprint` tells."""


class StateUnavailable(Trouble):
    """The state file can't be used: unreadable, of something else, in use, or full."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One change: `kind` is batch, cloudcontrol, strike, clock or settings; `body` its input as JSON."""

    at_ms: int
    kind: str
    operation: str
    account: str
    region: str
    body: bytes


class Journal(Protocol):
    """Where changes are written down. `is_durable` False: nowhere."""

    is_durable: bool

    def append(self, entry: Entry) -> None: ...

    def mark_time(self, at_ms: int) -> None: ...

    def together(self) -> AbstractContextManager[None]: ...

    def close(self) -> None: ...


class NoJournal:
    """State that ends with the process."""

    is_durable = False

    def append(self, entry: Entry) -> None:
        """Write nothing."""

    def mark_time(self, at_ms: int) -> None:
        """Remember nothing."""

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        """Close nothing."""


class SqliteJournal:
    """A journal in one SQLite file, held by one process at a time."""

    is_durable = True

    def __init__(self, path: Path, *, survives_power_loss: bool = False) -> None:
        """Open or create the file. Raises StateUnavailable."""
        self._path = path
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
            self._database.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._refuse_others_files()
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute(f"PRAGMA synchronous={'FULL' if survives_power_loss else 'NORMAL'}")
            self._create_tables()
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def _refuse_others_files(self) -> None:
        """Look before anything is written. An empty file is one to begin with."""
        (identity,) = self._database.execute("PRAGMA application_id").fetchone()
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and identity != _APPLICATION_ID:
            raise self._unavailable("it is a database of another program")
        if tables and version != _FORMAT:
            raise self._unavailable(f"it has format {version}, this version reads format {_FORMAT}")

    def _create_tables(self) -> None:
        marks = f"PRAGMA application_id={_APPLICATION_ID}; PRAGMA user_version={_FORMAT};"
        if not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._database.executescript(f"BEGIN EXCLUSIVE; {_SCHEMA} {marks} COMMIT;")
        self._database.execute(_CHECKPOINTS)

    def append(self, entry: Entry) -> None:
        """Commit an entry. Raises StateUnavailable, e.g. when the disk is full."""
        row = (entry.at_ms, entry.kind, entry.operation, entry.account, entry.region, entry.body)
        try:
            self._database.execute(
                "INSERT INTO entry (at_ms, kind, operation, account, region, body) VALUES (?, ?, ?, ?, ?, ?)", row
            )
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit all entries of a `with` block as one, or none of them when it raises."""
        self._write("BEGIN", ())
        try:
            yield
        except BaseException:
            self._write("ROLLBACK", ())
            raise
        self._write("COMMIT", ())

    def entries(self, after_seq: int = 0) -> Iterator[Entry]:
        """Yield the entries after one, in the order in which they were acknowledged. Raises StateUnavailable."""
        query = "SELECT at_ms, kind, operation, account, region, body FROM entry WHERE seq > ? ORDER BY seq"
        try:
            for row in self._database.execute(query, (after_seq,)):
                yield Entry(*row)
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def checkpoint(self, fingerprint: str) -> tuple[int, bytes]:
        """Return the number of the entry after which a world was kept, and that world; 0 without one to use."""
        row = self._read("SELECT seq, world FROM checkpoint WHERE fingerprint = ?", (fingerprint,))
        return (row[0], row[1]) if row else (0, b"")

    def changes_since_checkpoint(self, fingerprint: str) -> int:
        """Return how many entries a start would have to replay. Raises StateUnavailable."""
        (last_seq,) = self._read("SELECT coalesce(max(seq), 0) FROM entry", ()) or (0,)
        row = self._read("SELECT seq FROM checkpoint WHERE fingerprint = ?", (fingerprint,))
        return int(last_seq - row[0] if row else last_seq)

    def keep_checkpoint(self, fingerprint: str, world: bytes) -> None:
        """Keep the world as it is after the latest entry, in place of the former one. Raises StateUnavailable."""
        statement = "INSERT OR REPLACE INTO checkpoint SELECT 1, coalesce(max(seq), 0), ?, ? FROM entry"
        self._write(statement, (fingerprint, world))

    def remember(self, name: str, value: str) -> str:
        """Return what is kept under a name; the first value given is kept for ever."""
        self._write("INSERT OR IGNORE INTO meta VALUES (?, ?)", (name, value))
        (kept,) = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(kept)

    def mark_time(self, at_ms: int) -> None:
        """Keep how far the clock has come, for a restart."""
        self._write("INSERT OR REPLACE INTO meta VALUES ('clock', ?)", (str(at_ms),))

    def marked_time(self) -> int:
        """Return the latest time kept, 0 for none."""
        row = self._database.execute("SELECT value FROM meta WHERE name = 'clock'").fetchone()
        return int(row[0]) if row else 0

    def close(self) -> None:
        self._database.close()

    def _read(self, query: str, values: tuple[object, ...]) -> Any:
        try:
            return self._database.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def _unavailable(self, reason: object) -> StateUnavailable:
        fix = "name another file with --state, or stop the emulator that uses this one"
        return StateUnavailable(f"the state file {self._path} can't be used", why=str(reason), fix=fix)
