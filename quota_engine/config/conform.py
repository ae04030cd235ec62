"""Whether data meets a schema: yes or no, for the keywords that our formats use.

jsonschema says what is wrong with a value; on values that are right, nearly all of them, it spends most of a run. This
asks the same question of the same schema some twenty times faster, so that jsonschema is loaded only for what is wrong.
Law: `conforms` is true exactly where jsonschema, with our keywords, has nothing to say. A keyword that is not in the
table makes it false, which leaves the judgement to jsonschema.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from ..model.durations import parse_duration

Schema = dict[str, Any]

_TYPES: Final[dict[str, Callable[[object], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def is_type(value: object, name: str) -> bool:
    """Whether a value is of a JSON Schema type. An integer is an integer: 4.0 is none, true is none."""
    return _TYPES[name](value)


def conforms(schema: Schema, value: object, *, ranges: bool) -> bool:
    """Whether `value` meets `schema`; without `ranges`, bounds of a value of the right type are passed over.

    Bounds within `anyOf` always count, as they may be what tells the alternatives apart.
    """
    for keyword, wanted in schema.items():
        if keyword in _NOTES or (not ranges and keyword in RANGES):
            continue
        check = _CHECKS.get(keyword)
        if check is None or not check(value, wanted, schema, ranges):
            return False
    return True


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

_NOTES: Final = frozenset(
    {"$schema", "$id", "title", "description", "default", "examples", "markdownDescription", "required", "oneOf"}
)
"""Keywords that say nothing here; `x-required` and `x-one-of` stand for the last two."""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _type(value: object, wanted: str | list[str], _: Schema, __: bool) -> bool:
    return is_type(value, wanted) if isinstance(wanted, str) else any(is_type(value, name) for name in wanted)


def _equal(value: object, wanted: object) -> bool:
    """Equality as JSON Schema has it: true is not 1."""
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _properties(value: object, wanted: dict[str, Schema], _: Schema, ranges: bool) -> bool:
    if not isinstance(value, dict):
        return True
    return all(conforms(wanted[key], inner, ranges=ranges) for key, inner in value.items() if key in wanted)


def _additional(value: object, wanted: Schema | bool, schema: Schema, ranges: bool) -> bool:
    if not isinstance(value, dict) or wanted is True:
        return True
    known = schema.get("properties", {})
    others = [inner for key, inner in value.items() if key not in known]
    return not others if wanted is False else all(conforms(wanted, inner, ranges=ranges) for inner in others)


def _items(value: object, wanted: Schema, _: Schema, ranges: bool) -> bool:
    return not isinstance(value, list) or all(conforms(wanted, item, ranges=ranges) for item in value)


def _names(value: object, wanted: Schema, _: Schema, ranges: bool) -> bool:
    return not isinstance(value, dict) or all(conforms(wanted, key, ranges=ranges) for key in value)


def _pattern(value: object, wanted: str, schema: Schema, _: bool) -> bool:
    """Judge a pattern; that of a duration is for editors, and `x-duration` is judged instead."""
    return not isinstance(value, str) or "x-duration" in schema or _compiled(wanted).search(value) is not None


def _milliseconds(value: object) -> int | None:
    return parse_duration(value) if isinstance(value, str) else None


def _duration(value: object, words: list[str], _: Schema, __: bool) -> bool:
    return not isinstance(value, str) or value in words or parse_duration(value) is not None


def _at_least(value: object, least: str, _: Schema, __: bool) -> bool:
    milliseconds = _milliseconds(value)
    return milliseconds is None or milliseconds >= (parse_duration(least) or 0)


def _required(value: object, keys: list[str], _: Schema, __: bool) -> bool:
    return not isinstance(value, dict) or all(key in value for key in keys)


def _one_of(value: object, keys: list[str], _: Schema, __: bool) -> bool:
    return not isinstance(value, dict) or sum(key in value for key in keys) == 1


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


_CHECKS: Final[dict[str, Callable[[Any, Any, Schema, bool], bool]]] = {
    "type": _type,
    "enum": lambda value, wanted, _, __: any(_equal(value, one) for one in wanted),
    "const": lambda value, wanted, _, __: _equal(value, wanted),
    "anyOf": lambda value, wanted, _, __: any(conforms(one, value, ranges=True) for one in wanted),
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "propertyNames": _names,
    "pattern": _pattern,
    "minimum": lambda value, least, _, __: not _is_number(value) or value >= least,
    "maximum": lambda value, most, _, __: not _is_number(value) or value <= most,
    "minLength": lambda value, least, _, __: not isinstance(value, str) or len(value) >= least,
    "maxLength": lambda value, most, _, __: not isinstance(value, str) or len(value) <= most,
    "minItems": lambda value, least, _, __: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most, _, __: not isinstance(value, list) or len(value) <= most,
    "minProperties": lambda value, least, _, __: not isinstance(value, dict) or len(value) >= least,
    "maxProperties": lambda value, most, _, __: not isinstance(value, dict) or len(value) <= most,
    "x-duration": _duration,
    "x-whole-seconds": lambda value, _, __, ___: not (_milliseconds(value) or 0) % 1000,
    "x-at-least": _at_least,
    "x-required": _required,
    "x-one-of": _one_of,
}
