"""What a run depends on, as one short text: two runs with the same key give the same result.

The key is made of values and not of a file's text, so that a comment changed leaves the finished runs valid, and a
limit changed does not. It has the tool's version in it, as another version may schedule differently.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from quota_engine import __version__

from ..model.work import Job

MEASURED = 1
"""Version of what a run's record holds; to be raised where a measure changes its meaning or is added."""


def digest(value: object) -> str:
    """Return the SHA-256 of a value made of dataclasses, mappings, sequences and scalars; order counts."""
    found = hashlib.sha256()
    for token in _tokens(value):
        found.update(token.encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def run_key(scenario_digest: str, seed: int | None) -> str:
    """Return the key of one run: of its scenario as it is run, its seed and this tool."""
    return digest((__version__, MEASURED, scenario_digest, seed))[:32]


def _tokens(value: object) -> Iterator[str]:
    """Yield a value's parts so that two different values never yield the same text."""
    if isinstance(value, Job):
        yield repr(value)  # a history has a million of them; their text tells every field apart
    elif isinstance(value, Enum):
        yield from _tokens(value.value)
    elif is_dataclass(value) and not isinstance(value, type):
        yield f"{type(value).__name__}("
        for item in fields(value):
            yield f"{item.name}:"
            yield from _tokens(getattr(value, item.name))
        yield ")"
    elif isinstance(value, Mapping):
        yield "{"
        for key, inner in value.items():
            yield from _tokens(key)
            yield from _tokens(inner)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for inner in value:
            yield from _tokens(inner)
        yield "]"
    elif value is None or isinstance(value, str | int | float):
        text = str(value)
        yield f"{type(value).__name__}{len(text)}:{text};"
    else:
        raise TypeError(f"no digest is defined for {type(value).__name__}")
