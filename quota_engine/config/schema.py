"""The JSON Schemas of the formats, and a document's shape judged by them.

jsonschema finds where a document and its schema disagree; `complaints` says it in our words, one finding per cause.
Ranges of a declaration are left to `rules/`, which judge the emulator's requests and live resources by the same words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from ..model.durations import parse_duration
from ..model.stack import Path

KINDS: Final = ("stack", "fragment", "scenario", "fleet", "baseline")

RANGES: Final = frozenset(
    {
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "pattern",
        "propertyNames",
    }
)
"""Keywords that bound a value of the right type."""

Schema = dict[str, Any]


@cache
def _text(kind: str) -> str:
    return (resources.files(__package__) / "schemas" / f"{kind}.schema.json").read_text(encoding="utf-8")


def schema(kind: str) -> Schema:
    """Return the JSON Schema of `kind`, one of `KINDS`, as editors use it."""
    loaded: Schema = json.loads(_text(kind))
    return loaded


@dataclass(frozen=True, slots=True)
class Complaint:
    """One disagreement: the keyword, its value in the schema, the schema around it, the path and its detail."""

    path: Path
    keyword: str
    wanted: Any
    schema: Schema
    detail: Any


def complaints(kind: str, data: object) -> list[Complaint]:
    """Return every disagreement of `data` with the schema of `kind`, in an order that depends on nothing else."""
    found = [
        Complaint(
            tuple(error.absolute_path),
            str(error.validator),
            error.validator_value,
            error.schema if isinstance(error.schema, dict) else {},
            error.instance if error.validator == "pattern" else error.message,
        )
        for error in _validator(kind).iter_errors(data)
    ]
    mistyped = {one.path for one in found if one.keyword == "type"}
    kept = (one for one in found if one.keyword not in ("enum", "const") or one.path not in mistyped)
    return sorted(kept, key=lambda one: ([str(part) for part in one.path], one.keyword, str(one.detail)))


@cache
def _validator(kind: str) -> Any:
    return _STRICT(schema(kind))


def _duration(_: Any, words: list[str], instance: object, __: Schema) -> Iterator[ValidationError]:
    if isinstance(instance, str) and instance not in words and parse_duration(instance) is None:
        yield ValidationError("not a duration")


def _whole_seconds(_: Any, __: bool, instance: object, ___: Schema) -> Iterator[ValidationError]:
    milliseconds = parse_duration(instance) if isinstance(instance, str) else None
    if milliseconds is not None and milliseconds % 1000:
        yield ValidationError("not whole seconds")


def _at_least(_: Any, least: str, instance: object, __: Schema) -> Iterator[ValidationError]:
    milliseconds = parse_duration(instance) if isinstance(instance, str) else None
    if milliseconds is not None and milliseconds < (parse_duration(least) or 0):
        yield ValidationError("too short")


def _required(_: Any, keys: list[str], instance: object, __: Schema) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for key in keys:
            if key not in instance:
                yield ValidationError(key)


def _one_of(_: Any, keys: list[str], instance: object, __: Schema) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and sum(key in instance for key in keys) != 1:
        yield ValidationError("not exactly one")


def _pattern(_: Any, __: str, instance: object, schema: Schema) -> Iterator[ValidationError]:
    """Judge patterns as jsonschema does, but for durations, which have their own keyword."""
    if "x-duration" not in schema:
        yield from Draft202012Validator.VALIDATORS["pattern"](_, __, instance, schema)


def _silent(*_: object) -> Iterator[ValidationError]:
    """Leave to our own keyword what the standard one says to editors."""
    return iter(())


_TYPES: Final = (
    Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    .redefine("number", lambda _, value: type(value) in (int, float))
    .redefine("string", lambda _, value: isinstance(value, str))
)

_STRICT: Final[Any] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "x-duration": _duration,
        "x-whole-seconds": _whole_seconds,
        "x-at-least": _at_least,
        "x-required": _required,
        "x-one-of": _one_of,
        "pattern": _pattern,
        "required": _silent,
        "oneOf": _silent,
    },
    type_checker=_TYPES,
)
"""2020-12 with our keywords. An integer is an integer: 4.0 is none, true is none."""


def property_schema(kind: str, path: Iterable[str | int]) -> Schema:
    """Return the schema of the value at `path`; an empty one where the path leaves the schema."""
    here = schema(kind)
    for part in path:
        if isinstance(part, int):
            here = here.get("items", {})
        elif part in here.get("properties", {}):
            here = here["properties"][part]
        else:
            rest = here.get("additionalProperties")
            here = rest if isinstance(rest, dict) else {}
    return here
