"""Writing a stack as a declaration and reading it back gives the same stack, whatever its names, tags and limits."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from quota_engine.config import load_stack
from quota_engine.model.service_facts import TAG_RESERVED_PREFIX
from quota_engine.model.stack import Stack
from quota_engine.report.declaration_yaml import render, text
from tests.drift.test_compare_laws import FEWER, printable, stacks


def read_back(written: str) -> Stack | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written.yaml"
        path.write_text(written, encoding="utf-8")
        return load_stack(path).value


@FEWER
@given(stacks())
def test_a_written_declaration_reads_back_as_the_same_stack(stack: Stack) -> None:
    """`import` would otherwise adopt something else than what lives."""
    assert read_back(render(stack, ["A heading: with: colons", ""])) == stack


@FEWER
@given(st.text(printable, max_size=12).filter(lambda value: not value.lower().startswith(TAG_RESERVED_PREFIX)))
def test_any_text_survives_as_a_tag(value: str) -> None:
    """Tags are the one place where people write what they like: `no`, `012`, colons, quotes, other scripts."""
    written = f"kind: stack\nversion: 1\nname: s\nregion: us-east-1\ntags: {{key: {text(value)}}}\n"
    written += "service_environments: {e: {capacity_limits: {ml.g5.xlarge: 1}}}\n"
    found = read_back(written)
    assert found is not None
    assert found.service_environments["e"].tags == {"key": value}


def test_words_that_yaml_takes_for_something_else_are_quoted() -> None:
    """`no` is a legal name of a share, and `0x10` of a queue."""
    assert [text(value) for value in ("no", "0x10", "-", "-a", "QS1", "ml.g5.xlarge", "a b")] == [
        '"no"', '"0x10"', '"-"', '"-a"', "QS1", "ml.g5.xlarge", '"a b"',
    ]  # fmt: skip
