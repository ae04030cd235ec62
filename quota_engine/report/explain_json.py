"""An explanation for programs. Version 1; documented in docs/explain.md."""

from __future__ import annotations

import json
from dataclasses import asdict

from quota_engine import __version__

from ..explain import Explanation

VERSION = 1


def render(found: Explanation) -> str:
    """Return the JSON document."""
    tool = {"name": "quota-engine", "version": __version__}
    return json.dumps({"version": VERSION, "tool": tool, **asdict(found)}, indent=2) + "\n"
