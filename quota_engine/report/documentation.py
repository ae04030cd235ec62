"""Where a rule is explained: its page in docs/rules, as a path or below an address."""

from __future__ import annotations

FOLDER = "docs/rules"
OWN = "QE7"
"""How the ids of an organisation's own policies begin; their pages are the policies themselves."""


def page_of(rule: str, base: str = "") -> str:
    """Return the address of a rule's page: below `base`, or in this project's folder; "" where there is none."""
    if rule.startswith(OWN):
        return ""
    return f"{base.rstrip('/') or FOLDER}/{rule}.md"


def page_as_markdown(page: str) -> str:
    """Return a rule's page, headings with indented text below, as Markdown. Examples become code."""
    parts = []
    for block in _blocks(page):
        heading, text = block
        body = f"```yaml\n{text}\n```" if heading in CODE else text
        parts.append(f"## {heading}\n\n{body}" if heading else body)
    return "\n\n".join(parts) + "\n"


CODE = ("Example", "Use instead")
"""Headings whose text is an excerpt of a file."""


def _blocks(page: str) -> list[tuple[str, str]]:
    """Return (heading, text without its indentation) of each part; "" for text without a heading."""
    blocks: list[tuple[str, list[str]]] = []
    for line in page.rstrip().splitlines():
        if line and not line.startswith(" "):
            blocks.append((line, []))
        elif blocks:
            blocks[-1][1].append(line.removeprefix("  "))
    return [(heading, "\n".join(text).strip("\n")) if any(text) else ("", heading) for heading, text in blocks]
