"""Fills the tables of docs/measures.md: `python tools/measures.py` rewrites them; a test checks that they are."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from quota_engine.simulate.definitions import OF_ALL, OF_SHARES, Definition  # noqa: E402

PAGE = ROOT / "docs" / "measures.md"


def table(definitions: Iterable[Definition]) -> str:
    rows = (f"| `{one.field}` | {one.unit} | {one.text} |" for one in definitions)
    return "\n".join(["| measure | unit | what it is |", "|---|---|---|", *rows])


def filled(text: str) -> str:
    """Return the page with its tables as they should be."""
    for name, definitions in (("shares", OF_SHARES), ("all", OF_ALL)):
        begin, end = f"<!-- measures of {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table(definitions)}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
