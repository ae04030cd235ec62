"""What lets a value of a scenario be a text that uses a parameter."""

from __future__ import annotations

from tools.schema_parts.keywords import Schema, _inside

USE = r"\$\{"
"""A use of a parameter in a text."""


_UNCHANGED = ("kind", "version", "parameters", "include")


def parametrised(schema: Schema) -> Schema:
    """Let values of a scenario be texts that use a parameter, for editors: config judges what the parameters gave.

    `x-plain` holds what a schema says of that: the keywords as they were, null for one that was not there.
    """
    properties = {
        name: inner if name in _UNCHANGED else _with_uses(inner) for name, inner in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _with_uses(schema: Schema) -> Schema:
    result = {key: _inside(key, value, _with_uses) for key, value in schema.items()}
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    changes: Schema = {}
    if "enum" in schema:
        changes = {"enum": None, "anyOf": [{"enum": schema["enum"]}, {"pattern": USE}]}
    elif "string" in types and "pattern" in schema:
        changes = {"pattern": f"{schema['pattern']}|{USE}"}
    elif "string" not in types and {"integer", "number", "boolean"}.intersection(types):
        changes = {"type": [*types, "string"], "pattern": USE}
        if "oneOf" in schema:
            changes["oneOf"] = [{"type": "string"}, *schema["oneOf"]]
    if not changes:
        return result
    kept = {key: value for key, value in {**result, **changes}.items() if value is not None}
    return {**kept, "x-plain": {key: schema.get(key) for key in changes}}
