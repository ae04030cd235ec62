"""The reference pages name every key of the formats, with the bounds that the service facts hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quota_engine.config import schema
from quota_engine.model import service_facts as facts

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def keys(here: dict[str, Any]) -> Iterator[str]:
    """Yield the name of every key that a format has, at any depth."""
    for key, inner in here.get("properties", {}).items():
        yield key
        yield from keys(inner)
    for keyword in ("items", "additionalProperties"):
        if isinstance(here.get(keyword), dict):
            yield from keys(here[keyword])


@pytest.mark.parametrize(
    ("kind", "page"), [("stack", "declaration.md"), ("scenario", "scenario.md"), ("policy", "policies.md")]
)
def test_the_page_names_every_key(kind: str, page: str) -> None:
    """A key that is not documented is found by chance only."""
    text = (DOCS / page).read_text(encoding="utf-8")
    code = " ".join(text.split("`")[1::2]).replace("{", " ").replace("}", " ").replace(",", " ").replace(":", " ")
    words = set(code.replace(".", " ").split())
    assert sorted(set(keys(schema(kind))) - words) == []


def test_the_bounds_on_the_page_are_the_services() -> None:
    """The page and the rules must not tell two stories."""
    text = (DOCS / "declaration.md").read_text(encoding="utf-8")
    assert f"{facts.QUEUE_PRIORITY_MIN} to {facts.QUEUE_PRIORITY_MAX}" in text
    assert f"{facts.CAPACITY_LIMITS_MIN} to {facts.CAPACITY_LIMITS_MAX} instance types" in text
    assert f"{facts.BORROW_LIMIT_MIN} to {facts.INT32_MAX}" in text
    assert f"at most {facts.SHARES_PER_QUEUE_MAX}" in text
    assert f"At most {facts.TAGS_MAX} on a resource" in text
