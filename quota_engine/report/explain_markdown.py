"""An explanation as Markdown."""

from __future__ import annotations

from ..explain import Explanation
from .explain_text import headline, sections
from .visible import markdown


def render(found: Explanation) -> str:
    """Return the explanation as one section."""
    lines = [f"### {markdown(headline(found))}", ""]
    for title, sentences in sections(found):
        lines += [f"**{title}**", "", *(f"- {markdown(sentence)}" for sentence in sentences), ""]
    return "\n".join(lines)
