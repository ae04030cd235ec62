"""docs/simulation.md is a walk through real files: what it shows beside its commands is as real as their output."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples" / "lower-limit"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def command(pattern: str) -> list[str]:
    """Return the words of the page's command that the pattern finds."""
    commands = re.findall(r"^(?:\$ )?quota-engine (.*)$", PAGE.replace(" \\\n", " "), flags=re.MULTILINE)
    return str(next(one for one in commands if re.search(pattern, one))).split()


def test_the_scenario_and_the_edit_are_those_of_the_example() -> None:
    """Who copies them from the page gets what the page tells of."""
    assert (EXAMPLE / "week.yaml").read_text(encoding="utf-8").strip() in PAGE
    for file, sign in (("today.yaml", "-"), ("lowered.yaml", "+")):
        lines = (EXAMPLE / file).read_text(encoding="utf-8").splitlines()
        limits = [lines[lines.index(f"      {share}:") + 1] for share in ("QS1", "QS2")]
        assert [line[1:] for line in PAGE.splitlines() if line.startswith(f"{sign}        cap")] == limits


def test_the_comment_is_the_one_that_the_workflow_would_write(quota_engine: Run) -> None:
    """What a reviewer reads, to the table of the shares."""
    run = quota_engine(*command("^compare"), "--format", "markdown")
    assert run.returncode == 1
    shown = [line.removeprefix(">").removeprefix(" ") for line in PAGE.splitlines() if line.startswith(">")]
    assert run.stdout.startswith("\n".join(shown).rstrip() + "\n")
    assert "| QS2 | 121 |" in shown[-1] or "No difference" in shown[-1]


def told(picture: Path) -> list[str]:
    """Return what a picture says in words, to the eye and to a screen reader; not how it is drawn."""
    text = picture.read_text(encoding="utf-8")
    return re.findall(r'aria-label="([^"]*)"', text) + re.findall(r"<text[^>]*>([^<]*)</text>", text)


def test_the_picture_is_what_its_command_draws(quota_engine: Run, tmp_path: Path) -> None:
    """A picture of last year's figures is worse than none."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    drawn = tmp_path / "drawn.svg"
    *before, picture = command("^sweep .* --chart")
    run = quota_engine(*before, str(drawn), "-q")
    assert run.returncode == 0, run.stderr
    assert told(drawn) == told(ROOT / picture)


def test_the_picture_of_use_is_what_its_command_draws(quota_engine: Run, tmp_path: Path) -> None:
    """The command gives its picture another name; what it tells is the same."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    *before, _ = command("^simulate .* --charts")
    run = quota_engine(*before, str(tmp_path / "pictures"))
    assert run.returncode == 0, run.stderr
    shown = ROOT / "docs" / "images" / "lower-limit-use.svg"
    assert "images/lower-limit-use.svg" in PAGE
    assert told(tmp_path / "pictures" / "use.svg") == told(shown)
