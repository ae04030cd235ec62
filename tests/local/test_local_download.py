"""The official download: the right file, checked before it is unpacked."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from quota_engine.local.download import archive_name, download_engine, published_sha256

VERSION = "3.274.1"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


class Mirror:
    """A release site on loopback, with one release of two small programs."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.archive = archive_name(VERSION, platform.system(), platform.machine())
        with tarfile.open(folder / self.archive, "w:gz") as tar:
            for name in ("pulumi", "pulumi-language-python", "pulumi-language-python-exec"):
                text = f"#!/bin/sh\necho {name}\n".encode()
                member = tarfile.TarInfo(f"pulumi/{name}")
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text))
        self.publish(hashlib.sha256((folder / self.archive).read_bytes()).hexdigest())

    def publish(self, digest: str) -> None:
        (self.folder / f"pulumi-{VERSION}-checksums.txt").write_text(f"{'0' * 64}  other\n{digest}  {self.archive}\n")


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    folder = tmp_path / "site"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Mirror(folder, f"http://127.0.0.1:{server.server_address[1]}")
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_programs_of_a_release_are_unpacked_and_can_be_run(mirror: Mirror, tmp_path: Path) -> None:
    """The language host comes with an official release, so it must not be thrown away."""
    into = tmp_path / "bin"
    into.mkdir()
    download_engine(into, VERSION, io.StringIO(), mirror.url)
    assert sorted(path.name for path in into.iterdir()) == [
        "pulumi",
        "pulumi-language-python",
        "pulumi-language-python-exec",
    ]
    assert all(os.access(path, os.X_OK) for path in into.iterdir())


def test_a_wrong_checksum_is_refused_and_nothing_is_unpacked(mirror: Mirror, tmp_path: Path) -> None:
    """The engine is a program that gets the user's keys: it must be the one that was published."""
    mirror.publish("f" * 64)
    into = tmp_path / "bin"
    into.mkdir()
    with pytest.raises(OSError, match="SHA-256"):
        download_engine(into, VERSION, io.StringIO(), mirror.url)
    assert list(into.iterdir()) == []


def test_a_host_that_refuses_is_an_oserror_at_once(tmp_path: Path) -> None:
    """In a closed network the search must go on to the next place, not wait."""
    with pytest.raises(OSError, match="refused"):
        download_engine(tmp_path, VERSION, io.StringIO(), "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Linux", "x86_64", "pulumi-v3.274.1-linux-x64.tar.gz"),
        ("Linux", "aarch64", "pulumi-v3.274.1-linux-arm64.tar.gz"),
        ("Darwin", "arm64", "pulumi-v3.274.1-darwin-arm64.tar.gz"),
    ],
)
def test_the_archive_is_named_as_the_release_site_names_it(system: str, machine: str, name: str) -> None:
    """A wrong name reads as "the download is not there"."""
    assert archive_name(VERSION, system, machine) == name


def test_a_machine_without_a_release_is_said_so() -> None:
    """Better than a 404 on a made-up name."""
    with pytest.raises(OSError, match="riscv64"):
        archive_name(VERSION, "Linux", "riscv64")


def test_an_archive_that_is_not_listed_is_refused() -> None:
    """No checksum, no installation."""
    with pytest.raises(OSError, match="don't list"):
        published_sha256("abc  other.tar.gz\n", "pulumi.tar.gz")
