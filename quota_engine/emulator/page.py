"""The live page at /: one file with no outside reference; names reach it as JSON and are shown as text only."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

SECURITY_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
}


@functools.cache
def page_html() -> str:
    """Return the page."""
    return Path(__file__).with_name("page.html").read_text(encoding="utf-8")
