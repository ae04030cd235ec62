"""What README.md and the pages of docs/ show is what happens: commands are run, generated parts are up to date."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", flags=re.DOTALL)
DEMO, *OTHERS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(CONSOLE.findall(page.read_text(encoding="utf-8")))
]


def normal(text: str) -> list[str]:
    """Return the lines with what changes from run to run taken out: temporary folders, timings, blanks at the end."""
    text = re.sub(r"/tmp/[^/\s]+/", "/tmp/…/", text)
    text = re.sub(r" \(\d+\.\d+s\)", "", text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def assert_shown(shown: str, real: str) -> None:
    """Fail unless each stretch of shown lines between "…" stands in the real output, in that order."""
    rest = normal(real)
    for stretch in shown.split("\n…\n"):
        lines = normal(stretch)
        at = next((i for i in range(len(rest)) if rest[i : i + len(lines)] == lines), None)
        assert at is not None, "not in the real output, or not in this order:\n" + "\n".join(lines)
        rest = rest[at + len(lines) :]


def bash(line: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder that looks like the checkout; what a command writes there stays out of it."""
    for entry in ROOT.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def has_an_engine() -> bool:
    from quota_engine.local.engine import find_engine
    from quota_engine.local.errors import EngineUnavailable

    try:
        find_engine()
    except EngineUnavailable:
        return False
    return True


def test_the_demo_prints_what_the_readme_shows() -> None:
    """The README's story is real output."""
    if not has_an_engine():
        assert not os.environ.get("CI"), "CI must have a Pulumi engine"
        pytest.skip("NO PULUMI ENGINE can be had here: the demo's output is not checked")
    run = subprocess.run(
        [sys.executable, "-m", "demo.story"], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert_shown(str(DEMO.values[0]), run.stdout)


@pytest.mark.parametrize("block", OTHERS)
def test_every_command_that_is_shown_runs(block: str, checkout: Path) -> None:
    """A reader who types what is shown sees what is shown."""
    real = "\n".join(
        f"$ {line}\n{bash(line, checkout)}" for line in re.findall(r"^\$ (.*)$", block, flags=re.MULTILINE)
    )
    assert_shown(block, real)


def test_generated_parts_are_up_to_date() -> None:
    """`python tools/readme.py` would change nothing."""
    spec = importlib.util.spec_from_file_location("readme_tool", ROOT / "tools" / "readme.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.filled(TEXT) == TEXT


def test_every_link_leads_somewhere() -> None:
    """Links to files of the project point at files that are there."""
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_every_make_target_shown_exists() -> None:
    """The commands to set up, show and test."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert set(re.findall(r"^make ([a-z-]+)", TEXT, flags=re.MULTILINE)) <= targets
