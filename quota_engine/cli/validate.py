"""`quota-engine validate`: every finding of declarations and scenarios, in one run."""

from __future__ import annotations

from pathlib import Path

import click

from .files import check_all
from .options import Output, output_options

FAIL_ON = {"error": ("error",), "warning": ("error", "warning"), "note": ("error", "warning", "note")}


@click.command(
    "validate",
    epilog="Example: quota-engine validate stacks scenarios --fail-on warning",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    default="error",
    show_default=True,
    help="Least severity that exits 1.",
)
@output_options("text", "json", "sarif", "junit", "github", "markdown")
def command(paths: tuple[Path, ...], fail_on: str, output: Output) -> int:
    """Check declarations and scenarios (files or folders); report every finding with its line and fix.

    Exit 0: nothing at or above --fail-on. Exit 1: findings. Exit 2: a path can't be read.
    """
    checked = check_all(paths)
    for path in checked.skipped:
        output.note(f"skipped {path}: Pulumi's own settings")
    output.emit(checked.render(output))
    return int(any(finding.severity.value in FAIL_ON[fail_on] for finding in checked.diagnostics))
