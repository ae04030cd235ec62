"""`quota-engine drift`: declarations against the live account, read-only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.trouble import Trouble
from .durations import Duration
from .options import Output, output_options, stack_path, worst

if TYPE_CHECKING:
    from ..model.observation import Observation
    from ..model.stack import Stack
    from ..report.drift_view import Compared

Look = Callable[["Stack"], "Observation"]
"""How a declaration's live side is had: by looking at the account, or from a snapshot."""


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
@click.option("--all", "whole_account", is_flag=True, help="Look for undeclared queues and environments too.")
@click.option("--wait", "wait_ms", type=Duration(), metavar="DURATION", help="Wait for updates going on to settle.")
@click.option(
    "--snapshot",
    "snapshot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with what quota-engine snapshot wrote; makes no calls.",
)
@click.option("--no-tags", is_flag=True, help="Leave out the tags of shares; saves a call per share.")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("text", "json", "markdown", "sarif", "junit", "github")
def command(
    stacks: Sequence[str],
    unmanaged: str,
    whole_account: bool,
    wait_ms: int | None,
    snapshot: Path | None,
    no_tags: bool,
    profile: str | None,
    print_iam_policy: bool,
    output: Output,
) -> int:
    """Compare each STACK (a path, or a name in stacks/) with what lives in its account and region.

    Exit 0: in sync. Exit 1: drift. Exit 2: could not tell.
    """
    from .files import good_stack

    if not stacks:
        raise click.UsageError("name at least one stack")
    paths = [stack_path(name) for name in stacks]
    declared = [good_stack(path) for path in paths]
    if print_iam_policy:
        from ..live import iam_policy

        for one in declared:
            output.emit(json.dumps(iam_policy(one.value, whole_account=whole_account), indent=2))
        return 0
    from ..drift import Unmanaged, compare
    from ..report.drift_view import Compared

    compared: list[Compared] = []
    files: list[str] = []
    troubles: list[Trouble] = []
    with looking(output, profile, snapshot, wait_ms, with_tags=not no_tags, whole_account=whole_account) as look:
        for path, one in zip(paths, declared, strict=True):
            try:
                report = compare(one.value, look(one.value), unmanaged=Unmanaged(unmanaged))
            except Trouble as error:
                troubles.append(error)
            else:
                compared.append(Compared(report, one.positions))
                files.append(path.as_posix())
    if compared:
        output.emit(_render(compared, tuple(files), output))
    for trouble in troubles[:-1]:
        click.echo(f"quota-engine: error: {trouble.what}", err=True)
    if troubles:
        raise troubles[-1]
    return worst([one.report.exit_code for one in compared])


@contextmanager
def looking(
    output: Output,
    profile: str | None,
    snapshot: Path | None,
    wait_ms: int | None,
    *,
    with_tags: bool,
    whole_account: bool,
) -> Iterator[Look]:
    """Give the function that looks at a declaration's live side, with a progress line while it calls."""
    if snapshot is not None:
        yield lambda stack: from_snapshot(snapshot, stack, with_tags=with_tags, whole_account=whole_account)
        return
    from ..live import observe, observe_settled, open_session

    session = open_session(profile)
    with calls_shown(output) as progress:

        def look(stack: Stack) -> Observation:
            def once() -> Observation:
                return observe(stack, session, with_tags=with_tags, whole_account=whole_account, progress=progress)

            return once() if wait_ms is None else observe_settled(once, timeout_seconds=wait_ms / 1000)

        yield look


def from_snapshot(path: Path, stack: Stack, *, with_tags: bool, whole_account: bool) -> Observation:
    """Return as much of a snapshot as was asked for; raises Trouble if it is of another account or region."""
    from ..model.snapshot import read_snapshot, refuse_unfit

    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Trouble(f"{path} is not a snapshot that can be read", why="it is not UTF-8") from error
    observation = read_snapshot(text, str(path))
    refuse_unfit(observation, stack, str(path))
    tags_read = observation.share_tags_read and with_tags
    return replace(observation, share_tags_read=tags_read, whole_account=whole_account)


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


def _render(compared: Sequence[Compared], files: tuple[str, ...], output: Output) -> str:
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
            return Findings(found, {}, files).render(output)
