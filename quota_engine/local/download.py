"""The official Pulumi release from get.pulumi.com: fetched, checked against its published SHA-256, unpacked.

Raises OSError (urllib's errors are OSErrors) with a plain reason; nothing half-unpacked is ever moved into place.
"""

from __future__ import annotations

import hashlib
import platform
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, TextIO
from urllib.parse import urlsplit

from .progress import ProgressLine

RELEASES = "https://get.pulumi.com/releases/sdk"
_ANSWER_TIMEOUT_S = 10
_CHUNK_BYTES = 1 << 20
_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def download_engine(into: Path, version: str, progress: TextIO, releases: str = RELEASES) -> None:
    """Put the programs of release `version` into the folder `into`. A host that is silent for 10 s counts as absent."""
    archive = archive_name(version, platform.system(), platform.machine())
    expected = published_sha256(_read(f"{releases}/pulumi-{version}-checksums.txt"), archive)
    line = ProgressLine(progress)
    with tempfile.TemporaryFile() as target:
        seen = _fetch(f"{releases}/{archive}", target, line)
        if seen != expected:
            raise OSError(f"the SHA-256 of {archive} is {seen}, published is {expected}")
        target.seek(0)
        unpack(target, into)
    line.finish(f"downloaded Pulumi {version}")


def archive_name(version: str, system: str, machine: str) -> str:
    """Return the release file for an operating system and a machine as `platform` names them."""
    architecture = _ARCHITECTURES.get(machine.lower())
    if system not in ("Linux", "Darwin") or architecture is None:
        raise OSError(f"there is no official release for {system} on {machine}")
    return f"pulumi-v{version}-{system.lower()}-{architecture}.tar.gz"


def published_sha256(checksums: str, archive: str) -> str:
    """Return the checksum of `archive` from lines of "<hex digest>  <file name>"."""
    for line in checksums.splitlines():
        digest, _, name = line.partition(" ")
        if name.strip().lstrip("*") == archive:
            return digest.lower()
    raise OSError(f"the published checksums don't list {archive}")


def unpack(archive: IO[bytes], into: Path) -> None:
    """Unpack the programs of a release, a flat folder `pulumi/`, without that folder and nothing besides."""
    with tarfile.open(fileobj=archive, mode="r:gz") as tar:
        for member in tar:
            name = Path(member.name).name
            source = tar.extractfile(member) if member.isfile() else None
            if source is not None:
                target = into / name
                target.write_bytes(source.read())
                target.chmod(0o755)


def _read(url: str) -> str:
    with _opened(url) as answer:
        text: bytes = answer.read()
    return text.decode("utf-8", "replace")


def _fetch(url: str, target: IO[bytes], line: ProgressLine) -> str:
    """Copy what stands at `url` to `target`; return its SHA-256."""
    digest = hashlib.sha256()
    done_bytes = 0
    with _opened(url) as answer:
        while chunk := answer.read(_CHUNK_BYTES):
            digest.update(chunk)
            target.write(chunk)
            done_bytes += len(chunk)
            line.update(f"downloading Pulumi: {done_bytes >> 20} MiB")
    return digest.hexdigest()


@contextmanager
def _opened(url: str) -> Iterator[HTTPResponse]:
    """Open `url`; whatever goes wrong from here on is an OSError that names the host and the reason."""
    try:
        with urllib.request.urlopen(url, timeout=_ANSWER_TIMEOUT_S) as answer:  # noqa: S310 - ours, not a user's
            yield answer
    except (urllib.error.URLError, HTTPException, TimeoutError) as error:
        raise OSError(f"{urlsplit(url).netloc}: {getattr(error, 'reason', error)}") from error
