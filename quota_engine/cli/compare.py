"""`quota-engine compare`: the same work under two declarations, and whether the difference is within thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.trouble import Trouble
from .options import Given, Output, check_room, output_options, read_switches, scenario_options, stack_path

if TYPE_CHECKING:
    from ..drift import Change
    from ..model.stack import Stack
    from ..model.work import Scenario
    from ..report.compare_view import CompareReport
    from ..simulate.compare import Comparison
    from ..simulate.sides import Side
    from .files import Good

_REPORT_BYTES = 64 * 1024
"""Room that a scenario's part of a report needs, at the most, unless very many jobs are told."""


@click.command(
    "compare",
    epilog="Example: quota-engine compare origin/main:stacks/prod.yaml stacks/prod.yaml "
    "--scenario scenarios/reclaim-in-prod.yaml --max-wait-increase 10%",
)
@click.argument("declarations", nargs=-1, metavar="OLD NEW")
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="FILE...",
    help="The work to run under both; may be repeated, or followed by several files at the end of the line.",
)
@click.option(
    "--max-wait-increase",
    "waits",
    multiple=True,
    metavar="[SHARE=]AMOUNT",
    help="How much a share's mean and p95 wait may grow: 10%, or a duration. May be repeated.",
)
@click.option(
    "--max-lost-work-increase",
    "lost",
    multiple=True,
    metavar="[SHARE=]AMOUNT",
    help="How much more of a share's work may be lost to preemption: 10%, or instance time as a duration.",
)
@click.option(
    "--no-new-preemptions",
    "unpreempted",
    multiple=True,
    metavar="SHARE|all|none",
    help="Whose jobs may not be preempted more often than before.  [default: shares that can't borrow]",
)
@click.option(
    "--move-share",
    "moves",
    multiple=True,
    metavar="SHARE=SHARE",
    help="Submit the first share's work to the second where a declaration lacks the first. renamed_from is followed.",
)
@click.option("--jobs", "jobs_max", type=click.IntRange(min=0), help="Jobs told one by one.  [default: 10; json: all]")
@click.option(
    "--assume",
    "assumed",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change an assumption of the model, on both sides (see quota-engine assumptions).",
)
@scenario_options
@output_options("text", "json", "markdown", "github")
def command(
    declarations: Sequence[str],
    scenarios: Sequence[str],
    waits: Sequence[str],
    lost: Sequence[str],
    unpreempted: Sequence[str],
    moves: Sequence[str],
    jobs_max: int | None,
    assumed: Sequence[str],
    given: Given,
    output: Output,
) -> int:
    """Run the work of each scenario under OLD and under NEW, and tell who waits longer and who is preempted more.

    OLD and NEW are each a path, a name in stacks/, or a git revision and a path such as HEAD:stacks/prod.yaml.
    The scenario's own stack plays no part but to be checked against.

    Exit 0: within the thresholds. Exit 1: some are crossed. Exit 2: trouble.
    """
    from .thresholds import read_limits, refuse_idle_moves, refuse_unknown

    old, new, files = _asked(declarations, scenarios)
    if output.path is not None:
        check_room(output.path, _REPORT_BYTES * len(files))
    limits, moved, switches = read_limits(waits, lost, unpreempted), _moves(moves), read_switches(assumed)
    before, after = good_side(old), good_side(new)
    works = [_work(file, given, switches) for file in files]
    declared = {share.name for side in (before, after) for _, share in side.value.shares()}
    refuse_unknown(limits, moved, declared, {job.share for work in works for job in work.jobs})
    from ..report.compare_view import JOBS_MAX, ComparedScenario, CompareReport
    from ..simulate.thresholds import judge_thresholds

    placed = [_placed(file, work, before.value, after.value, moved) for file, work in zip(files, works, strict=True)]
    refuse_idle_moves(moved, {move for one in placed for side in one[:2] for move in side.moved.items()})
    compared = []
    for file, one in zip(files, placed, strict=True):
        found = _compare(file, one)
        compared.append(ComparedScenario(file.as_posix(), found, judge_thresholds(found, limits)))
    shown = jobs_max if jobs_max is not None or output.format == "json" else JOBS_MAX
    edits = edits_between(before.value, after.value)
    report = CompareReport(old, new, edits, compared, after.positions, shown)
    output.emit(_render(report, output))
    return report.exit_code


def _asked(declarations: Sequence[str], scenarios: Sequence[str]) -> tuple[str, str, list[Path]]:
    """Return OLD, NEW and the scenarios' files; those behind the first are where a shell's pattern puts them."""
    if len(declarations) < 2:
        raise click.UsageError("name two declarations, OLD and NEW")
    if not scenarios:
        raise click.UsageError("name the work to compare with --scenario FILE")
    old, new, *more = declarations
    return old, new, [Path(file) for file in (*scenarios, *more)]


def good_side(argument: str) -> Good[Stack]:
    """Return the declaration that OLD or NEW names; raises Trouble, with all findings where it has errors."""
    from .files import good_stack
    from .revisions import at_revision

    found = at_revision(argument)
    if found is None:
        return good_stack(stack_path(argument))
    with found.reading():
        return good_stack(found.path)


def edits_between(old: Stack, new: Stack) -> tuple[Change, ...]:
    """Return how the new declaration differs from the old one: `live` is before, `declared` is after."""
    from ..drift import compare
    from ..model.observation import Observation

    return compare(new, Observation(old, whole_account=True)).changes


def _moves(values: Sequence[str]) -> dict[str, str]:
    moves: dict[str, str] = {}
    for value in values:
        share, equals, target = (part.strip() for part in value.partition("="))
        if not (share and equals and target):
            raise click.BadParameter(f"{value!r} is not SHARE=SHARE", param_hint="--move-share")
        if moves.setdefault(share, target) != target:
            raise click.BadParameter(
                f"{share!r} is moved to {moves[share]!r} and to {target!r}; name one", param_hint="--move-share"
            )
    return moves


def _work(file: Path, given: Given, switches: Mapping[str, object]) -> Scenario:
    from .files import good_scenario

    _refuse_revision(file)
    scenario = good_scenario(file, given).value
    return replace(scenario, assumptions={**scenario.assumptions, **switches})


def _refuse_revision(file: Path) -> None:
    """Raise Trouble where the work is looked for in a revision: the work is one, whichever the declarations are of."""
    from .revisions import at_revision

    found = at_revision(str(file))
    if found is not None:
        raise Trouble(
            f"can't read {file}: the work of both sides is read from the disk, with the history that it replays",
            fix=f"git show {file} > FILE, and name FILE",
        )


_Placed = tuple["Side", "Side", Mapping[str, str]]
"""A scenario's work under OLD and under NEW, and {job: its share in the scenario}."""


def _placed(file: Path, work: Scenario, old: Stack, new: Stack, moves: Mapping[str, str]) -> _Placed:
    from ..simulate import ScenarioError
    from ..simulate.sides import sides

    try:
        return sides(work, old, new, moves)
    except ScenarioError as error:
        raise Trouble(f"{file} can't be compared: {error}") from error


def _compare(file: Path, placed: _Placed) -> Comparison:
    from ..scheduler.assumptions import AssumptionError
    from ..simulate import ScenarioError
    from ..simulate.compare import compare, play

    before, after, shares = placed
    try:
        return compare(play(before), play(after), shares)
    except AssumptionError as error:
        raise Trouble(str(error), fix="see quota-engine assumptions") from error
    except ScenarioError as error:
        raise Trouble(f"{file} can't be compared: {error}") from error


def _render(report: CompareReport, output: Output) -> str:
    """Return the report in the format asked for; only that format's renderer is loaded."""
    match output.format:
        case "json":
            from ..report import compare_json

            return compare_json.render(report)
        case "markdown":
            from ..report import compare_markdown

            return compare_markdown.render(report)
        case "github":
            from ..report import diagnostics_github
            from ..report.compare_view import findings

            return diagnostics_github.render(findings(report))
        case _:
            from ..report import compare_text

            return compare_text.render(report, width=output.width, ascii_only=output.ascii_only, style=output.style)
