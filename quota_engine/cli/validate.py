"""`quota-engine validate`: every finding of declarations and scenarios, in one run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from ..model.diagnostic import Diagnostic
from .options import NamedPath, Output, output_options

FAIL_ON = {"error": ("error",), "warning": ("error", "warning"), "note": ("error", "warning", "note")}
_PATH = NamedPath(path_type=Path)


@click.command(
    "validate",
    epilog="Example: quota-engine validate stacks scenarios --fail-on warning",
)
@click.argument("paths", nargs=-1, required=True, type=_PATH, metavar="PATH...")
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    default="error",
    show_default=True,
    help="Least severity that exits 1.",
)
@click.option(
    "--select", multiple=True, metavar="IDS", help="Report only these rules: ids or beginnings, e.g. QE3,QE422."
)
@click.option("--ignore", multiple=True, metavar="IDS", help="Leave these rules out; errors of text and shape stay.")
@click.option(
    "--policies",
    multiple=True,
    type=_PATH,
    metavar="PATH",
    help="Your own policies, files or folders. Default: the folder policies, if there is one.",
)
@click.option("--no-policies", is_flag=True, help="Judge by no policies.")
@click.option(
    "--instance-types-file",
    type=_PATH,
    metavar="FILE",
    help="Instance types to take for known, one a line: hardware newer than this version.",
)
@click.option("--fix", is_flag=True, help="Make the mechanical fixes: only the values concerned are rewritten.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, as a diff; without --fix, write nothing.")
@output_options("text", "json", "sarif", "junit", "github", "markdown")
def command(
    paths: tuple[Path, ...],
    fail_on: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    policies: tuple[Path, ...],
    no_policies: bool,
    instance_types_file: Path | None,
    fix: bool,
    diff: bool,
    output: Output,
) -> int:
    """Check declarations and scenarios (files or folders); report every finding with its line and fix.

    Several stacks of one account are also judged together. Exit 0: nothing at or above --fail-on. Exit 1: findings.
    Exit 2: a path can't be read. With --diff alone, exit 1 says that --fix would change something.
    """
    from ..config import policies_in, read_policies
    from .selection import Selection, parse_ids, read_types
    from .validation import ALWAYS, check_all

    own = read_policies(() if no_policies else policies or policies_in(Path()))
    selection = Selection(known_types=read_types(instance_types_file))
    if select or ignore:
        from .rule_pages import all_rules

        known = [*all_rules(), *(one.id for one in own.policies)]
        chosen = parse_ids("--select", select, known)
        selection = Selection(chosen, parse_ids("--ignore", ignore, known, never=ALWAYS), selection.known_types)
    if fix or diff:
        from . import fixing

        def check() -> Iterable[Diagnostic]:
            return check_all(paths, selection, own).diagnostics

        changes = fixing.fixes(check)
        if diff:
            (output.note if fix else output.emit)(fixing.as_diff(changes))
        if not fix:
            return int(bool(changes))
        for file, (_, text) in changes.items():
            fixing.write(file, text)
        output.note(f"fixed: {', '.join(changes) or 'nothing'}")
    checked = check_all(paths, selection, own)
    for passed_over in checked.skipped:
        output.note(f"skipped {passed_over}")
    shown = checked.without_notes() if output.quiet and fail_on != "note" else checked
    output.emit(shown.render(output))
    return int(any(finding.severity.value in FAIL_ON[fail_on] for finding in checked.diagnostics))
