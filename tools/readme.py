"""Fills README.md's generated parts: `python tools/readme.py` rewrites them; a test checks that they are up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- assumptions -->", "<!-- end of assumptions -->"


def assumptions() -> str:
    """Return the table of `quota-engine assumptions`."""
    command = [sys.executable, "-m", "quota_engine", "assumptions", "--format", "markdown"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def filled(text: str) -> str:
    """Return the README with its generated parts as they should be."""
    text = re.sub(
        r"<!-- file: (?P<path>\S+) -->\n```yaml\n.*?```",
        lambda match: (
            f"<!-- file: {match['path']} -->\n```yaml\n{(ROOT / match['path']).read_text(encoding='utf-8')}```"
        ),
        text,
        flags=re.DOTALL,
    )
    table = f"{BEGIN}\n{assumptions()}{END}"
    return re.sub(rf"{BEGIN}(?:\n.*?{END})?", lambda _: table, text, flags=re.DOTALL)


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
