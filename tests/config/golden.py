"""Golden cases: a file a user could have written, that says in its own lines what is found there.

`borrow_limit: 50  # expect: QE304@20` expects one finding of that rule in that line, at that column where one is given;
several are divided by commas. Where a line can't say so (JSON, bytes), a file NAME.expect beside it has lines like
`14 QE105@1`. Nothing else may be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from quota_engine.cli.validation import check_all
from quota_engine.config import load_document
from quota_engine.model.diagnostic import Diagnostic

Place = tuple[str, int, str, int | None]
"""(file name, line, rule, column or None for any)."""

_COMMENT = re.compile(r"# expect: ([A-Z0-9@, ]+?)\s*$")


def found_in(path: Path) -> list[Diagnostic]:
    """Return every finding about a file, as `validate` reports it."""
    return list(check_all([path]).diagnostics)


def expected_in(paths: Iterable[Path]) -> list[Place]:
    """Return what the files say is found in them."""
    places = []
    for path in paths:
        lines = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        for number, line in enumerate(lines, start=1):
            match = _COMMENT.search(line)
            if match:
                places += [_place(path.name, number, item) for item in match[1].split(",")]
        beside = path.with_name(f"{path.name}.expect")
        if beside.exists():
            for line in beside.read_text(encoding="utf-8").splitlines():
                number_text, item = line.split(maxsplit=1)
                places.append(_place(path.name, int(number_text), item))
    return sorted(places, key=str)


def _place(file: str, line: int, item: str) -> Place:
    rule, _, column = item.strip().partition("@")
    return file, line, rule, int(column) if column else None


def assert_as_expected(path: Path) -> None:
    """Compare what is found in a case, and in the files it reads, with what they expect."""
    findings = found_in(path)
    files = {Path(file) for file in load_document(path).sources} | {path}
    expected = expected_in(sorted(files))
    columns = {(file, line, rule): column for file, line, rule, column in expected}
    actual = []
    for one in findings:
        assert one.span is not None, one
        key = (Path(one.span.file).name, one.span.line, one.rule)
        actual.append((*key, one.span.column if columns.get(key) is not None else None))
    assert sorted(actual, key=str) == expected, "\n".join(f"{one.span} {one.rule} {one.message}" for one in findings)
