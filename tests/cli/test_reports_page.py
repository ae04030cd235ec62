"""docs/reports.md shows real pictures: each says what its scenario gives today."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_simulation_page import told
from tools.pictures import PICTURES, ROOT, drawn

pytest.importorskip("altair", reason="pictures need the extra [report]")
pytest.importorskip("vl_convert", reason="pictures need the extra [report]")


@pytest.mark.parametrize("path", PICTURES)
def test_a_documented_picture_says_what_its_scenario_gives(path: str, tmp_path: Path) -> None:
    """`python tools/pictures.py` draws them anew; their bytes may differ with the library's version, the words not."""
    fresh = tmp_path / "fresh.svg"
    fresh.write_bytes(drawn(*PICTURES[path]))
    assert told(fresh) == told(ROOT / path)


def test_each_documented_picture_is_shown() -> None:
    """A picture that no page shows is a file to forget."""
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    assert [path for path in PICTURES if path.removeprefix("docs/") not in page] == []
