"""Declarations of a git revision, `HEAD:stacks/prod.yaml`: read with all they extend, without a checkout.

The revision becomes a commit first; from then on git is given that commit and paths on its standard input, never text
of the user's as an argument that could be an option.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..config import reading_from
from ..config.similar import did_you_mean, nearest
from ..config.source import NotAFile
from ..model.trouble import Trouble

_PLAIN: Final = re.compile(r"[A-Za-z0-9_@^~.-]+(?:/[A-Za-z0-9_@^~.-]+)*")
_SHORT: Final = 12
"""Characters of a commit's id that are shown."""
_ANY: Final = "-"
"""The name of no matter which file in a folder."""
_ABSENT: Final = {
    "missing": "there is no such file at this revision",
    "dangling": "it is a link to nothing",
    "loop": "it is a link to itself",
    "notdir": "a part of its path is no folder",
    "symlink": "it is a link to something outside the repository",
}
"""What `git cat-file --follow-symlinks` says in the place of a type → what that means."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The files of one commit, as `config` reads them. Their names are those of git: LABEL:PATH."""

    label: str
    commit: str

    def read(self, path: str, most: int) -> bytes:
        inside = self._inside(path)
        if inside is None:
            raise NotAFile("it lies outside the revision")
        answer = _git("cat-file", "--batch", "--follow-symlinks", stdin=f"{self.commit}:{inside}\n")
        header, _, body = answer.partition(b"\n")
        words = header.decode("utf-8", "replace").split(" ")
        if words[0] in _ABSENT or words[-1] in _ABSENT:
            raise NotAFile(_ABSENT[words[0] if words[0] in _ABSENT else words[-1]])
        if words[1] != "blob":
            raise NotAFile("it is a folder" if words[1] == "tree" else "it is not a regular file")
        return body[: min(int(words[2]), most)]

    def real(self, path: str) -> str:
        """Return a name below /inside, or /outside for what the revision can't hold."""
        inside = self._inside(path)
        return posixpath.join("/outside", path) if inside is None else posixpath.join("/inside", inside)

    def beside(self, path: str) -> list[str]:
        folder = posixpath.dirname(self._inside(path) or "")
        try:
            names = _git("ls-tree", "-z", "--name-only", f"{self.commit}:{folder}")
        except _GitSaysNo:
            return []
        return sorted(name for name in names.decode("utf-8", "replace").split("\0") if name)

    def _inside(self, path: str) -> str | None:
        """Return the path within the repository, None for one that is not this revision's."""
        label, colon, inside = path.partition(f"{self.label}:")
        if label or not colon or "\n" in inside:
            return None
        inside = posixpath.normpath(inside)
        return None if inside.startswith(("../", "/")) or inside == ".." else inside


@dataclass(frozen=True, slots=True)
class AtRevision:
    """One file of a revision; `path` is what `config` is given within `reading`, and what reports show."""

    revision: Revision
    path: Path

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Within it, files are those of the revision."""
        with reading_from(self.revision):
            yield


class _GitSaysNo(Exception):
    """git ended with an error; its own words."""


def at_revision(argument: str) -> AtRevision | None:
    """Return the file that REVISION:PATH names, None where `argument` is no such thing (or a file has that name).

    As in git, PATH begins at the top of the repository, or with ./ at the current folder; a bare name that is no file
    there means stacks/NAME.yaml. Raises Trouble.
    """
    revision, path = _divide(argument)
    if path is None or os.path.exists(argument):
        return None
    commit = _commit(revision, argument)
    inside = _from_top(path, argument)
    label = revision if _PLAIN.fullmatch(revision) and posixpath.normpath(revision) == revision else commit[:_SHORT]
    found = Revision(label, commit)
    named = _existing(found, inside)
    return AtRevision(found, Path(f"{label}:{named}" if "/" in named else f"{label}:./{named}"))


def _divide(argument: str) -> tuple[str, str | None]:
    """Divide at the first colon that is not in braces, as in HEAD^{/fix: that}:path."""
    depth = 0
    for index, char in enumerate(argument):
        depth += (char == "{") - (char == "}")
        if char == ":" and depth == 0:
            return argument[:index], argument[index + 1 :]
    return argument, None


def _commit(revision: str, argument: str) -> str:
    """Return the commit that a revision names."""
    if not revision or revision.startswith("-"):
        raise Trouble(
            f"{argument}: {revision!r} is no revision",
            why="a revision is what git log takes: HEAD, a branch, a tag, a commit",
            fix="write REVISION:PATH, such as HEAD:stacks/prod.yaml",
        )
    _refuse_outside_a_repository(argument)
    try:
        found = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except _GitSaysNo as error:
        raise Trouble(
            f"{argument}: git knows no revision {revision!r} here",
            why=str(error),
            fix="name a branch, a tag or a commit that was fetched; a CI checkout needs its whole history "
            "(fetch-depth: 0)",
        ) from error
    return found.decode("ascii", "replace").strip()


def _refuse_outside_a_repository(argument: str) -> None:
    try:
        _git("rev-parse", "--git-dir")
    except _GitSaysNo as error:
        raise Trouble(
            f"{argument} can't be read: the current folder is in no git repository that can be used",
            why=str(error),
            fix="run it in a checkout, or give the path of a file",
        ) from error


def _from_top(path: str, argument: str) -> str:
    """Return a path from the top of the repository."""
    relative = path.startswith(("./", "../"))
    prefix = _git("rev-parse", "--show-prefix").decode("utf-8", "replace").strip() if relative else ""
    inside = posixpath.normpath(posixpath.join(prefix, path))
    if not path or inside in (".", "..") or inside.startswith(("/", "../")) or "\n" in inside:
        raise Trouble(
            f"{argument} names no file in the repository",
            why="the path after the colon begins at the top of the repository, or with ./ at the current folder",
            fix="write it like HEAD:stacks/prod.yaml",
        )
    return inside


def _existing(revision: Revision, inside: str) -> str:
    """Return the path, or that of the stack it names; raises Trouble where the revision has neither."""
    bare = "/" not in inside and not posixpath.splitext(inside)[1]
    reasons = []
    for path in (inside, f"stacks/{inside}.yaml") if bare else (inside,):
        try:
            revision.read(f"{revision.label}:{path}", 1)
        except NotAFile as error:
            reasons.append(str(error))
        else:
            return path
    near = _near(revision, inside)
    where = f"{revision.label} is commit {revision.commit[:_SHORT]}" if revision.label != revision.commit else ""
    raise Trouble(f"can't read {inside} at {revision.label}: {reasons[0]}", why=where, fix=near)


def _near(revision: Revision, inside: str) -> str:
    """Return what was meant by a path that is no file, or what there is in its folder, or in the folder that it is."""
    folder, name = posixpath.split(inside)
    beside = revision.beside(f"{revision.label}:{inside}")
    if name in beside:
        folder, name = inside, ""
        beside = revision.beside(f"{revision.label}:{inside}/{_ANY}")
    match = nearest(name, beside)
    if match:
        return f"did you mean '{posixpath.join(folder, match)}'?"
    return did_you_mean(name, [posixpath.join(folder, one) for one in beside])


def _git(*arguments: str, stdin: str = "") -> bytes:
    """Return what git prints; raises _GitSaysNo with its words, or Trouble where there is no git."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", *arguments], input=stdin.encode("utf-8"), capture_output=True, env=environment, check=False
        )
    except OSError as error:
        raise Trouble(
            "git can't be run, which reads declarations of a revision",
            why=error.strerror or str(error),
            fix="install git, or give the path of a file",
        ) from error
    if done.returncode != 0:
        raise _GitSaysNo(done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").replace("\n", " "))
    return done.stdout
