"""Where a document and the schema of its kind disagree: jsonschema's answer, as plain values for `shape` to word.

jsonschema descends only into what does not conform, and stops when there is more wrong than anybody reads: a file's
cost does not grow with the number of its faults. Ranges of a declaration are left to `rules/`, which judge the
emulator's requests and live resources by the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from ..model.durations import parse_duration
from ..model.stack import Path
from .conform import RANGES, Schema, conforms, is_type
from .schema import RANGED, loaded

COMPLAINTS_MAX: Final = 2000


@dataclass(frozen=True, slots=True)
class Complaint:
    """One disagreement: the keyword, its value in the schema, the schema around it, the path and its detail."""

    path: Path
    keyword: str
    wanted: Any
    schema: Schema
    detail: Any


def complaints(kind: str, data: object) -> list[Complaint]:
    """Return the disagreements of `data` with the schema of `kind`, in an order that depends on nothing else."""
    errors = (error for error in _validator(kind).iter_errors(data) if _counts(kind, error))
    found = [
        Complaint(
            tuple(error.absolute_path),
            str(error.validator),
            error.validator_value,
            error.schema if isinstance(error.schema, dict) else {},
            error.instance if error.validator == "pattern" else error.message,
        )
        for error in islice(errors, COMPLAINTS_MAX)
    ]
    mistyped = {one.path for one in found if one.keyword == "type"}
    kept = (one for one in found if one.keyword not in ("enum", "const") or one.path not in mistyped)
    return sorted(kept, key=lambda one: ([str(part) for part in one.path], one.keyword, str(one.detail)))


def _counts(kind: str, error: ValidationError) -> bool:
    return kind in RANGED or error.validator not in RANGES


@cache
def _validator(kind: str) -> Any:
    return (_STRICT if kind in RANGED else _WITHOUT_RANGES)(loaded(kind))


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


def _descending(*, ranges: bool) -> dict[str, Any]:
    """Return the keywords that lead to a value's parts; each passes over the parts that conform."""

    def properties(validator: Any, wanted: dict[str, Schema], instance: object, _: Schema) -> Iterator[ValidationError]:
        for key, inner in instance.items() if isinstance(instance, dict) else ():
            if key in wanted and not conforms(wanted[key], inner, ranges=ranges):
                yield from validator.descend(inner, wanted[key], path=key, schema_path=key)

    def others(validator: Any, wanted: Schema | bool, instance: object, schema: Schema) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        unknown = [key for key in instance if key not in schema.get("properties", {})]
        if wanted is False and unknown:
            yield ValidationError(f"{len(unknown)} unknown keys")
        for key in unknown if isinstance(wanted, dict) else ():
            if isinstance(wanted, dict) and not conforms(wanted, instance[key], ranges=ranges):
                yield from validator.descend(instance[key], wanted, path=key)

    def items(validator: Any, wanted: Schema, instance: object, _: Schema) -> Iterator[ValidationError]:
        for index, item in enumerate(instance if isinstance(instance, list) else ()):
            if not conforms(wanted, item, ranges=ranges):
                yield from validator.descend(item, wanted, path=index)

    return {"properties": properties, "additionalProperties": others, "items": items}


_TYPES: Final = (
    Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: is_type(value, "integer"))
    .redefine("number", lambda _, value: is_type(value, "number"))
    .redefine("string", lambda _, value: is_type(value, "string"))
)

_OURS: Final = {
    "x-duration": _duration,
    "x-whole-seconds": _whole_seconds,
    "x-at-least": _at_least,
    "x-required": _required,
    "x-one-of": _one_of,
    "pattern": _pattern,
    "required": _silent,
    "oneOf": _silent,
}

_STRICT: Final[Any] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {**_OURS, **_descending(ranges=True)}, type_checker=_TYPES
)
"""2020-12 with our keywords and our notion of an integer."""

_WITHOUT_RANGES: Final[Any] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {**_OURS, **_descending(ranges=False)}, type_checker=_TYPES
)
"""The same for formats whose ranges the rules judge."""
