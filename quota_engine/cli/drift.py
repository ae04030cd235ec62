"""`quota-engine drift`: declarations against the live account, read-only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.trouble import Trouble
from .durations import Duration
from .options import NamedPath, Output, output_options, stack_path, worst

if TYPE_CHECKING:
    from ..model.observation import Observation
    from ..model.stack import Stack
    from ..model.supplements import Baseline
    from ..report.drift_view import Compared
    from .files import Good

Look = Callable[["Target"], "Observation"]
"""How a declaration's live side is had: by looking at the account, or from a snapshot."""


@dataclass(frozen=True, slots=True)
class Target:
    """One declaration to compare, and as whom to look at its account."""

    file: str
    declared: Good[Stack]
    profile: str | None = None
    role_arn: str | None = None

    @property
    def stack(self) -> Stack:
        return self.declared.value


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
    type=NamedPath(path_type=Path),
    metavar="FILE",
    help="Compare with what quota-engine snapshot wrote; makes no calls.",
)
@click.option("--no-tags", is_flag=True, help="Leave out the tags of shares; saves a call per share.")
@click.option(
    "--baseline",
    type=NamedPath(path_type=Path),
    metavar="FILE",
    help="Tolerate the differences that FILE accepts (kind: baseline), until the day each states.",
)
@click.option("--profile", metavar="NAME", help="AWS profile to read with, where a fleet names none.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading, where a fleet names none.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("text", "json", "markdown", "sarif", "junit", "github")
def command(
    stacks: Sequence[str],
    unmanaged: str,
    whole_account: bool,
    wait_ms: int | None,
    snapshot: Path | None,
    no_tags: bool,
    baseline: Path | None,
    profile: str | None,
    role_arn: str | None,
    print_iam_policy: bool,
    output: Output,
) -> int:
    """Compare each STACK (a path, a name in stacks/, or a fleet's file) with what lives in its account and region.

    Exit 0: in sync. Exit 1: drift. Exit 2: could not tell.
    """
    from .files import good_baseline

    if not stacks:
        raise click.UsageError("name at least one stack")
    if snapshot is not None and wait_ms is not None:
        raise click.UsageError("--wait looks again at the account, which --snapshot does not look at")
    targets = [target for name in stacks for target in targets_of(stack_path(name), profile, role_arn)]
    if not targets:
        raise Trouble(f"{', '.join(stacks)} names no declaration, so nothing was compared", fix="add one to `stacks`")
    if print_iam_policy:
        from ..live import iam_policy

        for target in targets:
            output.emit(
                json.dumps(iam_policy(target.stack, whole_account=whole_account, with_tags=not no_tags), indent=2)
            )
        return 0
    from ..drift import Unmanaged, compare
    from ..report.drift_view import Compared

    accepted = None if baseline is None else good_baseline(baseline)
    compared: list[Compared] = []
    files: list[str] = []
    troubles: list[Trouble] = []
    with looking(output, snapshot, wait_ms, with_tags=not no_tags, whole_account=whole_account) as look:
        for target in targets:
            try:
                report = compare(target.stack, look(target), unmanaged=Unmanaged(unmanaged))
            except Trouble as error:
                troubles.append(error)
            else:
                compared.append(Compared(report, target.declared.positions))
                files.append(target.file)
    if accepted is not None:
        compared = _tolerating(compared, accepted, output)
    if compared:
        output.emit(_render(compared, tuple(files), output))
    for trouble in troubles[:-1]:
        click.echo(f"quota-engine: error: {trouble.what}", err=True)
    if troubles:
        raise troubles[-1]
    return worst([one.report.exit_code for one in compared])


def targets_of(path: Path, profile: str | None = None, role_arn: str | None = None) -> list[Target]:
    """Return the declaration at `path`, or those of the fleet at `path`; raises Invalid for the first with errors."""
    from ..config import kind_of
    from .files import good_fleet, good_stack
    from .folders import refuse_folder

    refuse_folder(path, "stack")
    if kind_of(path) != "fleet":
        return [Target(path.as_posix(), good_stack(path), profile, role_arn)]
    files = [(path.parent / one.file, one) for one in good_fleet(path).stacks]
    return [
        Target(file.as_posix(), good_stack(file), one.profile or profile, one.role_arn or role_arn)
        for file, one in files
    ]


def _tolerating(compared: Sequence[Compared], accepted: Baseline, output: Output) -> list[Compared]:
    """Return the comparisons with what is accepted today tolerated; entries of no use are told on stderr."""
    from ..drift import weigh

    weighed = weigh([one.report for one in compared], accepted, datetime.now(UTC).date().isoformat())
    for entry in weighed.expired:
        output.note(f"no longer accepted since {entry.until}: {entry.text} ({entry.reason})")
    for entry in weighed.unused:
        output.note(f"accepted, but no such difference: {entry.text} ({entry.reason})")
    return [replace(one, report=report) for one, report in zip(compared, weighed.reports, strict=True)]


@contextmanager
def looking(
    output: Output,
    snapshot: Path | None,
    wait_ms: int | None,
    *,
    with_tags: bool,
    whole_account: bool,
) -> Iterator[Look]:
    """Give the function that looks at a declaration's live side, with a progress line while it calls."""
    if snapshot is not None:
        yield lambda target: from_snapshot(snapshot, target.stack, with_tags=with_tags, whole_account=whole_account)
        return
    from ..live import observe, observe_settled, open_session

    open_once = cache(open_session)
    with calls_shown(output) as progress:

        def look(target: Target) -> Observation:
            session = open_once(target.profile, target.role_arn)

            def once() -> Observation:
                stack = target.stack
                return observe(stack, session, with_tags=with_tags, whole_account=whole_account, progress=progress)

            return once() if wait_ms is None else observe_settled(once, timeout_seconds=wait_ms / 1000)

        yield look


def from_snapshot(path: Path, stack: Stack, *, with_tags: bool, whole_account: bool) -> Observation:
    """Return as much of a snapshot as was asked for; raises Trouble if it is of another account or region."""
    from ..model.snapshot import read_snapshot, refuse_unfit

    if path.exists() and not path.is_file():
        raise Trouble(f"can't read {path}", why="it is not a regular file")
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
