"""`--fix` and `--diff`: the values concerned and nothing else, shown first, written whole or not at all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quota_engine.cli.main import run
from quota_engine.config.edit import Edit, edited
from quota_engine.model.diagnostic import Span

BAD = (
    "\ufeffkind: Stack # which it is\r\n"
    "version: 1\r\n"
    "name: demo\r\n"
    "region: us-west-2\r\n"
    "account: 012345678901\r\n"
    "serviceEnvironments:\r\n"
    "  gpu: { capacity-limits: {'G5.xlarge': 010, ml.p5.48xlarge: \"4\"},   state: enabled } # as it stands\r\n"
    "tags: {a: 00420, c: &x 12, d: *x}"
)
GOOD = (
    "\ufeffkind: stack # which it is\r\n"
    "version: 1\r\n"
    "name: demo\r\n"
    "region: us-west-2\r\n"
    'account: "012345678901"\r\n'
    "service_environments:\r\n"
    "  gpu: { capacity_limits: {'ml.g5.xlarge': 10, ml.p5.48xlarge: 4},   state: ENABLED } # as it stands\r\n"
    'tags: {a: "00420", c: &x 12, d: *x}'
)


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "s.yaml"
    path.write_bytes(BAD.encode())
    path.chmod(0o640)
    return path


def test_fix_rewrites_the_values_and_keeps_everything_else(bad: Path) -> None:
    """Comments, blanks, quotes, line ends and the byte order mark are the user's; an anchored value is left alone."""
    assert run(["validate", "s.yaml", "--fix"]) == 1
    assert bad.read_bytes().decode() == GOOD
    assert bad.stat().st_mode & 0o777 == 0o640
    assert os.listdir(bad.parent) == ["s.yaml"]
    assert run(["validate", "s.yaml", "--fix"]) == 1
    assert bad.read_bytes().decode() == GOOD


def test_diff_shows_what_fix_does_and_writes_nothing(bad: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """It can be looked at, and applied by git as it is."""
    assert run(["validate", "s.yaml", "--diff"]) == 1
    diff = capfdbinary.readouterr().out
    assert bad.read_bytes().decode() == BAD
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "apply", "-"], input=diff, check=True)
    assert bad.read_bytes().decode() == GOOD
    assert run(["validate", "s.yaml", "--diff"]) == 0


def test_a_value_is_fixed_in_the_file_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What two stacks inherit is wrong once, and is corrected once, through a link as well."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.yaml").write_text("kind: fragment\nversion: 1\ntags: {a: 007}\n")
    (tmp_path / "base.yaml").symlink_to("real.yaml")
    for name in ("a", "b"):
        header = f"kind: stack\nversion: 1\nname: {name}\nregion: us-west-2\n"
        (tmp_path / f"{name}.yaml").write_text(f"{header}extends: base.yaml\n")
    assert run(["validate", ".", "--fix"]) == 0
    assert (tmp_path / "real.yaml").read_text() == 'kind: fragment\nversion: 1\ntags: {a: "007"}\n'
    assert (tmp_path / "base.yaml").is_symlink()


def test_a_file_that_can_not_be_written_stays_as_it_was(bad: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a declaration is worse than a wrong one."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert run(["validate", "s.yaml", "--fix"]) == 2
    assert bad.read_bytes().decode() == BAD
    assert os.listdir(bad.parent) == ["s.yaml"]


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text("ab \r\n\"'", max_size=30), st.lists(st.tuples(*[st.integers(1, 6)] * 3), max_size=4))
def test_edits_change_nothing_but_what_they_name(text: str, places: list[tuple[int, int, int]]) -> None:
    """Whatever the spans, lines stay lines and the rest of each stays where it was."""
    edits = [Edit(Span("f", line, start, line, start + width), "x") for line, start, width in places]
    new = edited(text, edits)
    old_lines, new_lines = text.splitlines(keepends=True), new.splitlines(keepends=True)
    touched = {line for line, _, _ in places}
    for number, (old, changed) in enumerate(zip(old_lines, new_lines, strict=False), start=1):
        assert number in touched or old == changed
    assert edited(text, []) == text
