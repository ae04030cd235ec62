"""`quota-engine local`: this project's Pulumi program on the emulator, through the real engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..model.trouble import Trouble
from .options import Output, output_options, stack_path

if TYPE_CHECKING:
    from ..local.workspace import Result, Target

ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_CLOUDCONTROL", "AWS_ENDPOINT_URL")


@click.group("local", epilog="Example: quota-engine local up --stack dev")
def command() -> None:
    """Deploy this project's program to a running emulator, with the real Pulumi engine.

    The checkout and your Pulumi login are never touched; the state lives as long as the emulator.
    """


def target_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what every subcommand needs to know: which stack, which emulator."""
    function = click.option(
        "--endpoint",
        metavar="URL",
        help="Where the emulator listens [default: AWS_ENDPOINT_URL_CLOUDCONTROL, AWS_ENDPOINT_URL].",
    )(function)
    return click.option(
        "--stack", default="dev", show_default=True, metavar="STACK", help="A path, or a name in stacks/."
    )(function)


def _target(stack: str, endpoint: str | None) -> Target:
    """Name the target; raises Trouble where no endpoint is named, Invalid where the declaration has errors."""
    from ..local.emulator_info import account_of_key
    from ..local.workspace import Target
    from .files import good_stack

    path = stack_path(stack)
    declaration = good_stack(path).value
    address = endpoint or next((os.environ[name] for name in ENDPOINT_VARIABLES if os.environ.get(name)), None)
    if address is None:
        raise Trouble(
            "which emulator?",
            why="neither --endpoint nor AWS_ENDPOINT_URL_CLOUDCONTROL names one",
            fix="start one with quota-engine serve, and set the variables it prints",
        )
    settings = path.parent / f"Pulumi.{path.stem}.yaml"
    return Target(declaration, path.stem, address, settings, account_of_key(), path)


def _other_account(target: Target) -> list[str]:
    """Say where the declaration leads when the keys of the environment lead elsewhere: a client would see nothing."""
    declared, keys = target.declaration.account, target.account
    if not declared or not keys or declared == keys:
        return []
    fix = f"export AWS_ACCESS_KEY_ID={declared} to look at it"
    return [f"this is account {declared}, which the declaration names; your environment's keys are of {keys}: {fix}"]


def _run(operation: str, stack: str, endpoint: str | None, output: Output, **arguments: Any) -> int:
    """Run one operation with the engine's output shown as it comes, then say what was done."""
    from ..local import workspace

    target = _target(stack, endpoint)
    show = None if output.quiet or output.format == "json" else click.echo
    result: Result = getattr(workspace, operation)(target, on_output=show, color=output.colour, **arguments)
    for note in (*_other_account(target), *result.notes):
        output.note(note)
    if output.format == "json":
        import json

        document = {
            "changes": result.changes,
            "outputs": dict(result.outputs),
            "engine": result.engine.version,
            "provider": result.provider,
        }
        output.emit(json.dumps(document, indent=2, ensure_ascii=False, default=str))
    else:
        output.note(f"engine: {result.engine}; provider: {result.provider}")
    return 0


@command.command("up", epilog="Example: quota-engine local up --stack dev --refresh")
@target_options
@click.option("--refresh", is_flag=True, help="Look at what is really there first, so that outside edits are repaired.")
@output_options("text", "json")
def up(stack: str, endpoint: str | None, refresh: bool, output: Output) -> int:
    """Create or update everything that the stack declares."""
    return _run("up", stack, endpoint, output, refresh=refresh)


@command.command("preview", epilog="Example: quota-engine local preview --stack dev")
@target_options
@click.option("--refresh", is_flag=True, help="Look at what is really there first.")
@output_options("text", "json")
def preview(stack: str, endpoint: str | None, refresh: bool, output: Output) -> int:
    """Say what `up` would do; change nothing."""
    return _run("preview", stack, endpoint, output, refresh=refresh)


@command.command("refresh", epilog="Example: quota-engine local refresh --stack dev")
@target_options
@output_options("text", "json")
def refresh(stack: str, endpoint: str | None, output: Output) -> int:
    """Take what is really there into Pulumi's state; change nothing in the emulator."""
    return _run("refresh", stack, endpoint, output)


@command.command("import", epilog="Example: quota-engine local import dev.import.json --stack dev")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@target_options
@output_options("text", "json")
def import_(file: Path, stack: str, endpoint: str | None, output: Output) -> int:
    """Take over what lives in the emulator into Pulumi's state; change nothing in the emulator.

    FILE is what quota-engine import --import-file wrote, under the name of the declaration (--name).
    """
    return _run("take_over", stack, endpoint, output, file=file)


@command.command("destroy", epilog="Example: quota-engine local destroy --stack dev")
@target_options
@output_options("text", "json")
def destroy(stack: str, endpoint: str | None, output: Output) -> int:
    """Delete everything that was deployed. Jobs in the shares are terminated."""
    return _run("destroy", stack, endpoint, output)
