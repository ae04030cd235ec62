"""`quota-engine schema`: the JSON Schema of a kind of file, for editors and other tools."""

from __future__ import annotations

import json

import click

from .options import Output, output_options

KINDS = ("stack", "fragment", "scenario", "fleet", "baseline", "policy")


@click.command("schema", epilog="Example: quota-engine schema stack > stack.schema.json")
@click.argument("kind", type=click.Choice(KINDS))
@output_options("json")
def command(kind: str, output: Output) -> int:
    """Print the JSON Schema (2020-12) of KIND."""
    from ..config.schema import schema

    output.emit(json.dumps(schema(kind), indent=2, ensure_ascii=False))
    return 0
