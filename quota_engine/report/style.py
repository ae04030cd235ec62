"""How a text renderer marks what its parts are, without knowing whether or how they are coloured.

Kinds: error, warning, note, good, bad, own, borrowed, in-share, dim, bold.
"""

from __future__ import annotations

from collections.abc import Callable

Style = Callable[[str, str], str]
"""Takes (text, kind) and returns the text, coloured or not."""


def plain(text: str, kind: str) -> str:
    """Leave text as it is; the default of every text renderer."""
    return text
