"""The keywords that the schemas are made of, and what a whole document is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quota_engine.model import durations
from quota_engine.model import service_facts as facts
from quota_engine.model.stack import State

Schema = dict[str, Any]


NAME = f"^{facts.NAME_PATTERN.pattern}$"


PARAMETER = r"^[A-Za-z_][A-Za-z0-9_-]*$"


def text(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "string", **more}


def integer(description: str, minimum: int, maximum: int = facts.INT32_MAX, **more: Any) -> Schema:
    return {"description": description, "type": "integer", "minimum": minimum, "maximum": maximum, **more}


def boolean(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "boolean", **more}


def choice(description: str, values: list[str], **more: Any) -> Schema:
    return {"description": description, "type": "string", "enum": values, **more}


def duration(description: str, *words: str, **more: Any) -> Schema:
    """A duration, or one of `words`."""
    pattern = durations.PATTERN if not words else f"{durations.PATTERN}|^({'|'.join(words)})$"
    return {"description": description, "type": "string", "pattern": pattern, "x-duration": list(words), **more}


def record(
    description: str, properties: dict[str, Schema], required: tuple[str, ...] = (), one_of: tuple[str, ...] = ()
) -> Schema:
    """A map with fixed keys, exactly one of `one_of` among them."""
    body: Schema = {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    if required:
        body["x-required"] = list(required)
    if one_of:
        body["x-one-of"] = list(one_of)
    return body


def names(description: str, value: Schema, pattern: str = NAME, **more: Any) -> Schema:
    """A map keyed by names."""
    return {
        "description": description,
        "type": "object",
        "propertyNames": {"pattern": pattern},
        "additionalProperties": value,
        **more,
    }


def listing(description: str, items: Schema, **more: Any) -> Schema:
    return {"description": description, "type": "array", "items": items, **more}


def state(what: str) -> Schema:
    return choice(f"Whether the {what} takes new work. Default ENABLED.", [s.value for s in State], default="ENABLED")


def tags(what: str) -> Schema:
    value = text("The tag's value.", maxLength=facts.TAG_VALUE_MAX)
    return names(
        f"Tags of {what}.", value, rf"^(?![aA][wW][sS]:)[\s\S]{{1,{facts.TAG_KEY_MAX}}}$", maxProperties=facts.TAGS_MAX
    )


def capacity(description: str, minimum: int = facts.MAX_CAPACITY_MIN) -> Schema:
    return names(
        description,
        integer("Number of instances of this type.", minimum),
        f"^{facts.INSTANCE_TYPE_PATTERN.pattern}$",
        minProperties=facts.CAPACITY_LIMITS_MIN,
        maxProperties=facts.CAPACITY_LIMITS_MAX,
    )


def header(kind: str) -> dict[str, Schema]:
    return {
        "kind": {"description": "What this file is.", "const": kind},
        "version": {"description": "The version of the format.", "type": "integer", "const": 1},
    }


def fraction(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "number", "minimum": 0, "maximum": 1, **more}


def document(title: str, properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    body = record(title + ".", properties, required)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **body,
        "required": ["kind", "version"],
    }


def optional(schema: Schema) -> Schema:
    """Drop what is required below the top: a fragment may leave out any key."""
    result = {key: value for key, value in schema.items() if key != "x-required"}
    if "properties" in result:
        result["properties"] = {key: optional(value) for key, value in result["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(result.get(key), dict):
            result[key] = optional(result[key])
    return result


def nullable(schema: Schema) -> Schema:
    """Let every property below the top be null: in a file that extends another, null removes."""
    result = dict(schema)
    if "properties" in result:
        result["properties"] = {key: _or_null(nullable(value)) for key, value in result["properties"].items()}
    if isinstance(result.get("additionalProperties"), dict):
        result["additionalProperties"] = _or_null(nullable(result["additionalProperties"]))
    return result


def _or_null(schema: Schema) -> Schema:
    result = dict(schema)
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
    if "enum" in result:
        result["enum"] = [*result["enum"], None]
    return result


def shown(schema: Schema) -> Schema:
    """Turn `x-required` and `x-one-of` into what editors know, where nothing is merged later."""
    result = {key: _inside(key, value, shown) for key, value in schema.items()}
    if "x-required" in result:
        result["required"] = result["x-required"]
    if "x-one-of" in result:
        others = [{"type": one} for one in result["type"] if one != "object"] if result["type"] != "object" else []
        map_only = {"type": "object"} if others else {}
        result["oneOf"] = [*others, *({**map_only, "required": [key]} for key in result["x-one-of"])]
    return result


def _inside(key: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    """Apply a change to the schemas that stand below a keyword."""
    if key == "properties":
        return {name: change(inner) for name, inner in value.items()}
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return change(value)
    return value
