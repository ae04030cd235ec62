"""The JSON Schemas of the formats: where they lie, and what they say of one place in a document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Final

from .conform import Schema

KINDS: Final = ("stack", "fragment", "scenario", "fleet", "baseline", "policy")

RANGED: Final = frozenset({"scenario", "policy"})
"""Kinds whose ranges are judged here. A declaration's are left to the rules."""


@cache
def _text(kind: str) -> str:
    return (resources.files(__package__) / "schemas" / f"{kind}.schema.json").read_text(encoding="utf-8")


def schema(kind: str) -> Schema:
    """Return the JSON Schema of `kind`, one of `KINDS`, as editors use it; a copy to do with as one likes."""
    copy: Schema = json.loads(_text(kind))
    return copy


@cache
def loaded(kind: str) -> Schema:
    """Return the schema that documents of `kind` are judged by, read once; not to be changed.

    A scenario's is without what lets a value be a text that uses a parameter: its parameters have given theirs by then.
    """
    return _plain(schema(kind))


def _plain(here: Schema) -> Schema:
    """Return a schema with the keywords that `x-plain` holds in place of those that editors see."""
    plain = {key: value for key, value in {**here, **here.get("x-plain", {})}.items() if value is not None}
    plain.pop("x-plain", None)
    if "properties" in plain:
        plain["properties"] = {name: _plain(inner) for name, inner in plain["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(plain.get(key), dict):
            plain[key] = _plain(plain[key])
    return plain


def property_schema(kind: str, path: Iterable[str | int]) -> Schema:
    """Return the schema of the value at `path`; an empty one where the path leaves the schema."""
    here = loaded(kind)
    for part in path:
        if isinstance(part, int):
            here = here.get("items", {})
        elif part in here.get("properties", {}):
            here = here["properties"][part]
        else:
            rest = here.get("additionalProperties")
            here = rest if isinstance(rest, dict) else {}
    return here
