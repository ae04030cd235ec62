"""docs/sweep.md shows what the command really prints and writes."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from quota_engine.cli.main import run
from quota_engine.sweep import METRICS
from quota_engine.sweep.record import COLUMNS, RUN_COLUMNS, UTILISATION

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "sweep.md").read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the examples where the page's commands find them."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_shows_what_the_command_prints(checkout: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The golden case of the summary: whoever reads the page sees the real figures."""
    [block] = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    first, shown = block.split("\n", 1)
    words = shlex.split(first.removeprefix("$ "))
    assert run([*words[1:], "-q"]) == 0
    assert capfdbinary.readouterr().out.decode() == shown
    assert (checkout / "results.parquet").exists()
    assert (checkout / "sweep.svg").read_text(encoding="utf-8").startswith("<svg")


def test_every_other_command_of_the_page_runs(checkout: Path) -> None:
    """With fewer seeds, which is the only difference."""
    [block] = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
    for line in block.splitlines():
        words = shlex.split(line.replace("--seeds 20", "--seeds 2"), comments=True)
        assert run([*words[1:], "-q", "--workers", "1"]) == 0


def test_the_page_explains_every_column() -> None:
    """A column that nobody explains will be misread."""
    rows = [
        "| column | meaning |",
        "|---|---|",
        "| `run` | the run's number, by combination and then by seed |",
        "| `seed` | its seed, empty for the scenario's own |",
        "| (a name or path as given) | one column for each option, with the value |",
        "| `share` | the share, empty for the whole run |",
        *(f"| `{column.name}` | {column.meaning} |" for column in COLUMNS),
        f"| `{UTILISATION}` | {METRICS[UTILISATION]} |",
        f"| `{UTILISATION}[UNIT]` | the same of one instance type |",
        *(f"| `{name}` | {meaning} (whole runs only) |" for name, meaning in RUN_COLUMNS.items()),
    ]
    assert "\n".join(rows) in PAGE


def test_the_page_shows_a_picture() -> None:
    """Drawn by the command that the page shows."""
    [picture] = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert (ROOT / "docs" / picture).exists()
