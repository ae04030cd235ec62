"""Where the Pulumi engine comes from: PATH, the cache, the official download, or a build from the Go module proxy.

The first that works wins, and the result says which it was. Whatever is fetched or built goes to the user's cache
directory by version, complete or not at all, and never into the checkout. The only host this module itself talks to is
get.pulumi.com; the Go toolchain follows its own proxy settings.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from .build import build_engine, build_language_host
from .download import download_engine
from .errors import Attempt, EngineUnavailable

PULUMI_VERSION = "3.274.1"
"""What is downloaded or built. Tried with the PyPI package `pulumi` 3.272."""

OLDEST_VERSION = (3, 200, 0)
"""An older `pulumi` on PATH is passed over: its protocol is not that of the Python SDK this project depends on."""

DOWNLOAD_SWITCH = "QUOTA_ENGINE_PULUMI_DOWNLOAD"
"""Set to `never` where the download must not even be tried."""

_HOST_PROGRAMS = ("pulumi-language-python", "pulumi-language-python-exec")
_FIX = (
    "install Pulumi (https://www.pulumi.com/docs/install/) so that `pulumi` is on PATH, "
    "or install Go 1.26.6 or newer and run from a checkout"
)


class Origin(StrEnum):
    """Where an engine was found, in the words a user reads."""

    PATH = "on PATH"
    CACHE = "from the cache"
    DOWNLOAD = "downloaded"
    BUILD = "built from the Go module proxy"


@dataclass(frozen=True, slots=True)
class Engine:
    """A Pulumi CLI that can be run: the executable, its version, and where it came from."""

    command: Path
    version: str
    origin: Origin

    def __str__(self) -> str:
        return f"pulumi {self.version} ({self.origin})"


class _NotHere(Exception):
    """This source has no engine; the text says why."""


def find_engine(progress: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> Engine:
    """Return the first engine to be had. A build (minutes, once) shows its progress on `progress`, default stderr.

    Order: 1. `pulumi` on PATH, 2. the cache, 3. the official download, 4. a build. Raises EngineUnavailable.
    """
    progress = progress or sys.stderr
    sources: tuple[tuple[str, Callable[[], Engine]], ...] = (
        ("PATH", lambda: _on_path(environ)),
        ("cache", lambda: _cached(environ)),
        ("download", lambda: _downloaded(environ, progress)),
        ("build", lambda: _built(environ, progress)),
    )
    attempts: list[Attempt] = []
    for name, source in sources:
        try:
            return source()
        except (_NotHere, OSError) as error:
            attempts.append(Attempt(name, str(error)))
    raise EngineUnavailable("the Pulumi engine is needed here and can't be had", tuple(attempts), _FIX)


def ensure_language_host(
    engine: Engine, progress: TextIO | None = None, environ: Mapping[str, str] = os.environ
) -> Path:
    """Return the folder with `pulumi-language-python`, which a plain `pulumi up` needs on PATH.

    Part of every official install; else built once, like the engine. Raises EngineUnavailable.
    """
    progress = progress or sys.stderr
    beside = engine.command.resolve().parent
    if _has_host(beside):
        return beside
    found = shutil.which(_HOST_PROGRAMS[0], path=environ.get("PATH"))
    if found and _has_host(Path(found).resolve().parent):
        return Path(found).resolve().parent
    folder = cache_dir(environ) / f"{PULUMI_VERSION}-language-python"
    try:
        with _locked(folder):
            if not _has_host(folder / "bin"):
                _install(folder, lambda into: build_language_host(into / "bin", PULUMI_VERSION, progress, environ))
    except (OSError, _NotHere) as error:
        attempts = (Attempt("engine", f"{beside} holds no Python language host"), Attempt("build", str(error)))
        raise EngineUnavailable("Pulumi's Python language host is needed and can't be had", attempts, _FIX) from error
    return folder / "bin"


def cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds the engines, one folder per version (XDG Base Directory Specification)."""
    base = environ.get("XDG_CACHE_HOME") or ""
    root = Path(base) if os.path.isabs(base) else Path(environ.get("HOME") or Path.home()) / ".cache"
    return root / "quota-engine" / "pulumi"


def _has_host(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in _HOST_PROGRAMS)


def _on_path(environ: Mapping[str, str]) -> Engine:
    found = shutil.which("pulumi", path=environ.get("PATH"))
    if not found:
        raise _NotHere("no pulumi there")
    version = _version_of(Path(found), environ)
    if _parse(version) < OLDEST_VERSION:
        oldest = ".".join(map(str, OLDEST_VERSION))
        raise _NotHere(f"{found} is version {version}; {oldest} or newer is needed")
    return Engine(Path(found), version, Origin.PATH)


def _cached(environ: Mapping[str, str]) -> Engine:
    command = _cache_folder(environ) / "bin" / "pulumi"
    if not os.access(command, os.X_OK):
        raise _NotHere(f"{command} is not there")
    return Engine(command, PULUMI_VERSION, Origin.CACHE)


def _downloaded(environ: Mapping[str, str], progress: TextIO) -> Engine:
    if environ.get(DOWNLOAD_SWITCH, "").lower() == "never":
        raise _NotHere(f"switched off by {DOWNLOAD_SWITCH}=never")
    return _make(environ, Origin.DOWNLOAD, lambda into: download_engine(into / "bin", PULUMI_VERSION, progress))


def _built(environ: Mapping[str, str], progress: TextIO) -> Engine:
    return _make(environ, Origin.BUILD, lambda into: build_engine(into / "bin", PULUMI_VERSION, progress, environ))


def _make(environ: Mapping[str, str], origin: Origin, make: Callable[[Path], None]) -> Engine:
    """Fill the cache by `make`, unless another process did so while this one waited for the lock."""
    folder = _cache_folder(environ)
    with _locked(folder):
        if (folder / "bin" / "pulumi").exists():
            return _cached(environ)
        _install(folder, make)
    return Engine(folder / "bin" / "pulumi", PULUMI_VERSION, origin)


def _install(folder: Path, make: Callable[[Path], None]) -> None:
    """Let `make` fill a folder beside the target and move it into place: complete, or not there at all."""
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        (fresh / "bin").mkdir(parents=True)
        make(fresh)
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep two processes from building the same thing at once; the second waits for the first."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _cache_folder(environ: Mapping[str, str]) -> Path:
    return cache_dir(environ) / PULUMI_VERSION


def _version_of(command: Path, environ: Mapping[str, str]) -> str:
    env = {**environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        answer = subprocess.run([command, "version"], env=env, capture_output=True, text=True, timeout=30, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        raise _NotHere(f"{command} version fails: {error}") from error
    return answer.stdout.strip().removeprefix("v")


def _parse(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version; what is no version at all counts as the oldest."""
    numbers = version.split("-")[0].split("+")[0].split(".")
    return tuple(int(number) for number in numbers) if all(number.isdigit() for number in numbers) else ()
