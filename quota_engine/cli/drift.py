"""`quota-engine drift`: declarations against the live account, read-only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .options import Output, output_options, stack_path, worst

if TYPE_CHECKING:
    from ..report.drift_view import Compared


@click.command(
    "drift",
    epilog="Example: quota-engine drift stacks/prod.yaml --format markdown --output drift.md",
)
@click.argument("stacks", nargs=-1, metavar="STACK...")
@click.option(
    "--unmanaged",
    type=click.Choice(["fail", "report", "ignore"]),
    default="fail",
    show_default=True,
    help="What a quota share that nobody declared is: drift, a note, or nothing.",
)
@click.option("--no-tags", is_flag=True, help="Leave out the tags of shares; saves a call per share.")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("text", "json", "markdown", "sarif", "junit", "github")
def command(
    stacks: Sequence[str], unmanaged: str, no_tags: bool, profile: str | None, print_iam_policy: bool, output: Output
) -> int:
    """Compare each STACK (a path, or a name in stacks/) with what lives in its account and region.

    Exit 0: in sync. Exit 1: drift. Exit 2: could not tell.
    """
    from .files import good_stack

    if not stacks:
        raise click.UsageError("name at least one stack")
    declared = [good_stack(stack_path(name)) for name in stacks]
    if print_iam_policy:
        from ..live import iam_policy

        for one in declared:
            output.emit(json.dumps(iam_policy(one.value), indent=2))
        return 0
    from ..drift import Unmanaged, compare
    from ..live import observe, open_session
    from ..report.drift_view import Compared

    session = open_session(profile)
    compared: list[Compared] = []
    with calls_shown(output) as progress:
        for one in declared:
            observation = observe(one.value, session, with_tags=not no_tags, progress=progress)
            report = compare(one.value, observation, unmanaged=Unmanaged(unmanaged))
            compared.append(Compared(report, one.positions))
    output.emit(_render(compared, output))
    return worst([one.report.exit_code for one in compared])


@contextmanager
def calls_shown(output: Output) -> Iterator[Callable[[int, int], None] | None]:
    """Show on a terminal how many calls are done, on a line of stderr that is cleared in the end; nothing in a pipe."""
    if output.quiet or not sys.stderr.isatty():
        yield None
        return

    def show(answered: int, needed: int) -> None:
        sys.stderr.write(f"\r\033[Kreading the account: {answered} of {needed} calls")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _render(compared: Sequence[Compared], output: Output) -> str:
    """Return the reports in the format asked for; only that format's renderer is loaded."""
    match output.format:
        case "json":
            from ..report import drift_json

            return drift_json.render(compared)
        case "markdown":
            from ..report import drift_markdown

            return drift_markdown.render(compared)
        case "text":
            from ..report import drift_text

            return drift_text.render(compared, width=output.width, style=output.style)
        case _:
            from ..report.drift_view import findings
            from .files import Findings

            found = tuple(finding for one in compared for finding in findings(one))
            return Findings(found, {}).render(output)
