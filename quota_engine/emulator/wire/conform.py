"""Check a request against its input shape: types, required members and enums, from botocore's model alone.

Each input is compiled once into plain functions; a request then costs a few dictionary look-ups. Nulls count as absent
and members the model does not know are dropped, as the service does. The first thing wrong raises a Refusal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from botocore.model import ListShape, MapShape, Shape, StringShape, StructureShape

from ..texts import refuse, spaced
from .models import operation_model

Check = Callable[[Any, str], Any]
"""(value, member path) → the value as the operation may use it."""

_INTEGER_BITS: Final = {"integer": 31, "long": 63}
_CASE_INSENSITIVE: Final = frozenset({"ServiceJobRetryAction"})
"""Enums whose values clients send in any case (SageMaker SDK, retry rules); they are read back in the model's case."""


def conform(service: str, operation: str, value: Any) -> dict[str, Any]:
    """Return the request `value` cleaned to the operation's input shape. Raises Refusal."""
    checked: dict[str, Any] = _input_check(service, operation)(value, "")
    return checked


@functools.cache
def _input_check(service: str, operation: str) -> Check:
    shape = operation_model(service, operation).input_shape
    return _compiled(shape) if shape else lambda _value, _path: {}


def _compiled(shape: Shape) -> Check:
    """Turn a shape into its check. No input of an emulated operation is recursive."""
    match shape:
        case StructureShape():
            return _structure(shape)
        case ListShape():
            return _list(shape)
        case MapShape():
            return _map(shape)
        case StringShape():
            return _string(shape)
    if shape.type_name in _INTEGER_BITS:
        return _integer(1 << _INTEGER_BITS[shape.type_name])
    if shape.type_name in ("float", "double"):
        return _number
    if shape.type_name == "boolean":
        return _boolean
    raise NotImplementedError(f"no request of an emulated operation has a member of type {shape.type_name}")


def _structure(shape: StructureShape) -> Check:
    members = {name: _compiled(member) for name, member in shape.members.items()}
    required = shape.required_members

    def check(value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refuse("wrong-type", member=path or "request", expected="an object")
        cleaned = {
            name: members[name](inner, f"{path}.{name}" if path else name)
            for name, inner in value.items()
            if inner is not None and name in members
        }
        for name in required:
            if name not in cleaned:
                raise refuse("required", member=f"{path}.{name}" if path else name)
        return cleaned

    return check


def _list(shape: ListShape) -> Check:
    member_check = _compiled(shape.member)

    def check(value: Any, path: str) -> list[Any]:
        if not isinstance(value, list):
            raise refuse("wrong-type", member=path, expected="a list")
        return [member_check(item, f"{path}[{index}]") for index, item in enumerate(value)]

    return check


def _map(shape: MapShape) -> Check:
    value_check = _compiled(shape.value)

    def check(value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refuse("wrong-type", member=path, expected="an object")
        return {key: value_check(inner, path) for key, inner in value.items() if inner is not None}

    return check


def _string(shape: StringShape) -> Check:
    enum = shape.enum
    if not enum:
        return _plain_string
    allowed = {word.upper() if shape.name in _CASE_INSENSITIVE else word: word for word in enum}
    fold = shape.name in _CASE_INSENSITIVE

    def check(value: Any, path: str) -> str:
        text = _plain_string(value, path)
        found = allowed.get(text.upper() if fold else text)
        if found is None:
            raise refuse("not-in-enum", member=spaced(path), allowed=", ".join(enum))
        return found

    return check


def _plain_string(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise refuse("wrong-type", member=path, expected="a string")
    return value


def _integer(bound: int) -> Check:
    def check(value: Any, path: str) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise refuse("wrong-type", member=path, expected="an integer")
        if not -bound <= value < bound:
            raise refuse("out-of-range", member=path, low=-bound, high=bound - 1)
        return value

    return check


def _number(value: Any, path: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise refuse("wrong-type", member=path, expected="a number")
    return float(value)


def _boolean(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise refuse("wrong-type", member=path, expected="true or false")
    return value
