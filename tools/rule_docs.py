"""Write docs/rules/*.md, a page for every rule, from the rules' own docstrings.

    python tools/rule_docs.py

`quota-engine rule ID` prints the same text.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from quota_engine.cli.rule_pages import RulePage, all_rules  # noqa: E402
from quota_engine.report.documentation import FOLDER, page_as_markdown  # noqa: E402

BLOCKS = {
    "QE1": "Text",
    "QE2": "Shape",
    "QE3": "One resource",
    "QE4": "Several resources, and what stands around them",
    "QE5": "Scenarios",
    "QE6": "Drift",
}
"""Beginning of an id → what rules of that block judge."""


def pages() -> Mapping[str, str]:
    """Return the text of every file by name."""
    rules = all_rules()
    return {"README.md": index(rules), **{f"{rule.id}.md": page(rule) for rule in rules.values()}}


def page(rule: RulePage) -> str:
    return f"# {rule.id} {rule.name}\n\nSeverity: {rule.severity}\n\n{page_as_markdown(rule.page)}"


def index(rules: Mapping[str, RulePage]) -> str:
    """Return the list of all rules, block by block."""
    lines = [
        "# Rules",
        "",
        "Written by `python tools/rule_docs.py` from the rules' docstrings; `quota-engine rule ID` prints the same.",
        "Ids are stable for ever. QE7xx are an organisation's own: [policies.md](../policies.md).",
    ]
    for beginning, title in BLOCKS.items():
        lines += ["", f"## {beginning}xx {title}", "", "| id | name | severity |", "|---|---|---|"]
        lines += [
            f"| [{rule.id}]({rule.id}.md) | {rule.name} | {rule.severity} |"
            for rule in rules.values()
            if rule.id.startswith(beginning)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    target = ROOT / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    written = pages()
    for path in target.glob("*.md"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (target / name).write_text(text, encoding="utf-8")
