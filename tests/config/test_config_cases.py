"""Files a user could have written, good and bad, and exactly what is found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config.findings import FINDINGS
from tests.config.golden import assert_as_expected, expected_in

CASES = Path(__file__).resolve().parent.parent / "cases" / "config"
FILES = sorted(path for path in CASES.rglob("*") if path.suffix in (".yaml", ".json"))
READ_BY_OTHERS = (
    {path for path in FILES if path.parent.parent.name == "extends" and path.stem != "stack"}
    | {path for path in CASES.glob("scenario/include/**/*.yaml") if path.stem != "scenario"}
    | set(CASES.glob("extends/plain/sub/*"))
)
"""Parts of a stack or scenario, which are judged through it."""


@pytest.mark.parametrize("path", sorted({*FILES} - READ_BY_OTHERS), ids=lambda path: path.relative_to(CASES).as_posix())
def test_a_case_is_found_as_its_lines_expect(path: Path) -> None:
    """What, in which line and column: a user who is sent elsewhere looks in vain, and silence would be worse."""
    assert_as_expected(path)


@pytest.mark.parametrize("kind", sorted(set(FINDINGS) - {"QE102", "QE116", "QE117"}))
def test_every_kind_of_finding_has_a_case(kind: str) -> None:
    """A finding that no case provokes may never be made. (Three are in test_hostile.py and test_source.py.)"""
    assert kind in {place[2] for place in expected_in(FILES)}
