"""What new users get wrong: one error, in the line of the mistake, and a fix that works when it is followed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from quota_engine.cli.validation import check_all
from quota_engine.model.diagnostic import Severity

CASES = Path(__file__).resolve().parent.parent / "cases" / "mistakes"
RIGHT = (CASES / "right.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Mistake:
    """`wrong` stands where `right` does in right.yaml; `fix` is the part of the fix that says to write `right`."""

    name: str
    wrong: str
    right: str
    rule: str
    fix: str


MISTAKES = [Mistake(**case) for case in yaml.safe_load((CASES / "mistakes.yaml").read_text(encoding="utf-8"))]


def is_new(line: str, mistake: Mistake) -> bool:
    """Whether a line of the wrong file belongs to the mistake."""
    return any(part.strip() and part in line for part in mistake.wrong.splitlines())


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake.name))
def test_a_mistake_gives_one_error_in_its_line_with_the_fix(mistake: Mistake, tmp_path: Path) -> None:
    """A second error about the same slip, or advice that leads to another error, costs a new user an afternoon."""
    assert RIGHT.count(mistake.right) >= 1
    head, _, tail = RIGHT.rpartition(mistake.right)
    path = tmp_path / "s.yaml"
    path.write_text(head + mistake.wrong + tail)
    text = path.read_text().split("\n")
    [error] = [one for one in check_all([path]).diagnostics if one.severity is Severity.ERROR]
    assert error.rule == mistake.rule
    assert mistake.fix in error.fix
    assert error.span is not None
    near = range(error.span.line, error.span.end_line + 2) if error.rule in ("QE202", "QE209") else [error.span.line]
    assert any(is_new(text[line - 1], mistake) for line in near if line <= len(text))


def test_what_the_fixes_lead_to_is_right(tmp_path: Path) -> None:
    """Every fix above says to write what stands in this file."""
    path = tmp_path / "s.yaml"
    path.write_text(RIGHT)
    assert [one for one in check_all([path]).diagnostics if one.severity is not Severity.NOTE] == []
