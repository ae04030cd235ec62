"""Names in Markdown: shown as they are, whatever they hold."""

from __future__ import annotations

import pytest

from quota_engine.report.visible import markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("asks @platform-team", "asks @<!-- -->platform-team"),
        ("@a, @b", "@<!-- -->a, @<!-- -->b"),
        ("me@example.com, @ noon", "me@example.com, @ noon"),
        ("<b>|`*", "\\<b\\>\\|\\`\\*"),
    ],
)
def test_a_name_after_an_at_calls_nobody(text: str, shown: str) -> None:
    """A description in a pull request's comment would notify whole teams at every push."""
    assert markdown(text) == shown
