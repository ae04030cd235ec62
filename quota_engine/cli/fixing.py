"""`validate --fix` and `--diff`: the mechanical fixes, made on the values concerned and nowhere else.

The fixed texts are judged before anything is written; a file is written whole or not at all, with its permissions.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import unified_diff

from ..config.edit import Edit, edited
from ..config.source import reading
from ..model.diagnostic import Diagnostic
from ..model.trouble import Trouble
from ..rules.capacity import spelling_of

ROUNDS_MAX = 5
"""A fix may uncover another fault; more rounds than this no file needs."""

Check = Callable[[], Iterable[Diagnostic]]


def edits_of(diagnostics: Iterable[Diagnostic]) -> dict[str, list[Edit]]:
    """Return the edits that the findings ask for, by file."""
    edits: dict[str, list[Edit]] = {}
    for one in diagnostics:
        text = _replacement(one)
        if text is not None and one.span is not None:
            edits.setdefault(one.span.file, []).append(Edit(one.span, text, unquotes=one.rule in ("QE204", "QE208")))
    return edits


def _replacement(found: Diagnostic) -> str | None:
    if found.rule == "QE308" and found.path:
        return spelling_of(str(found.path[-1]))
    return found.replacement


def fixes(check: Check) -> dict[str, tuple[str, str]]:
    """Return (text before, text after) of each file that the fixes change, in order of names; nothing is written.

    Goes on until nothing is left to fix, and leaves out a round that would break a file.
    """
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    found = list(check())
    for _ in range(ROUNDS_MAX):
        changed: dict[str, str] = {}
        for file, edits in edits_of(found).items():
            before.setdefault(file, read(file))
            text = after.get(file, before[file])
            new = edited(text, edits)
            if new != text:
                changed[file] = new
        if not changed:
            break
        with reading({**after, **changed}):
            again = list(check())
        if _is_broken(found, again):
            break
        after.update(changed)
        found = again
    return {file: (before[file], after[file]) for file in sorted(after)}


def _is_broken(found: Iterable[Diagnostic], again: Iterable[Diagnostic]) -> bool:
    """Whether a fault of the text is there that was not there before."""
    known = {one.rule for one in found}
    return any(one.rule.startswith("QE1") and one.rule not in known for one in again)


def as_diff(changes: Mapping[str, tuple[str, str]]) -> str:
    """Return the changes as a unified diff, as `patch -p1` and `git apply` take it."""
    return "".join(_diff(file, *texts) for file, texts in changes.items())


def _diff(file: str, old: str, new: str) -> str:
    lines = unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{file}", f"b/{file}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def read(file: str) -> str:
    """Return a file's text, line ends and byte order mark as they are."""
    try:
        with open(file, encoding="utf-8", newline="") as handle:
            return handle.read()
    except OSError as error:
        raise Trouble(f"can't read {file}", why=error.strerror or str(error)) from error


def write(file: str, text: str) -> None:
    """Replace a file's text, atomically; its permissions stay, and a link still leads to it. Raises Trouble."""
    target = os.path.realpath(file)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise Trouble(f"can't write {file}", why=error.strerror or str(error)) from error
