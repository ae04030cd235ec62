"""`quota-engine simulate`: what a workload would borrow and preempt, and whether the expectations hold."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ..model.trouble import Trouble
from .options import Given, Output, check_room, output_options, read_switches, scenario_options, worst, write_all

if TYPE_CHECKING:
    from ..model.work import Scenario
    from ..scheduler.trace import Sink
    from ..simulate import Measures, Run, Tried, Verdict
    from ..simulate.loads import Loads
    from .files import Good
    from .spool import Spool

_OF_ONE: Final = ("html", "jsonl", "perfetto")
"""Formats of which a file holds one scenario."""
_OF_TRACE: Final = ("html", "perfetto")
"""Formats that are made of the whole trace at once."""
_PAGE_BYTES: Final = 2_000_000
"""What a page, or the pictures of a run, need at the least."""


@click.command(
    "simulate",
    epilog="Example: quota-engine simulate scenarios/lend-and-borrow.yaml --assume victim_order=priority,oldest",
)
@click.argument("scenarios", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SCENARIO...")
@click.option(
    "--assume",
    "assumed",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change an assumption of the model (see quota-engine assumptions); wins over the scenario's.",
)
@click.option(
    "--sensitivity",
    "sensitive",
    is_flag=True,
    help="Run again under each other value of each assumption and tell which would change this run, and what first.",
)
@click.option(
    "--charts",
    "charts_path",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Draw timeline, use, waits and (of many) jobs into DIRECTORY too, each as SVG and PNG.",
)
@scenario_options
@output_options("text", "json", "markdown", "html", "jsonl", "perfetto")
def command(
    scenarios: Sequence[Path],
    assumed: Sequence[str],
    sensitive: bool,
    charts_path: Path | None,
    given: Given,
    output: Output,
) -> int:
    """Run each SCENARIO to its end and tell what happened: a story, a timeline, and a verdict per expectation.

    Exit 0: all expectations hold. Exit 1: some don't. Exit 2: a file has errors.
    """
    from .files import good_scenario

    _check_pictures(scenarios, charts_path, output)
    switches = read_switches(assumed)
    loaded = [good_scenario(path, given) for path in scenarios]
    for one in loaded:
        _say_replayed(one, output)
    is_told_whole = output.format in _OF_TRACE or (output.verbose and output.format != "jsonl")
    is_traced = sensitive or charts_path is not None or is_told_whole
    with _events_of(output) as events:
        told = []
        for path, one in zip(scenarios, loaded, strict=True):
            scenario = replace(one.value, assumptions={**one.value.assumptions, **switches})
            told.append(_tell(path, scenario, sensitive, is_traced, output, events))
        if events is None:
            output.emit(_render(told, output))
        else:
            _emit_lines(told[0].run, events, output)
    if charts_path is not None:
        _draw(told[0], charts_path)
    return worst([int(not all(verdict.holds for verdict in one.verdicts)) for one in told])


def _check_pictures(scenarios: Sequence[Path], charts_path: Path | None, output: Output) -> None:
    """Find out before the work that what was asked for can be made, and written."""
    if charts_path is not None or output.format == "html":
        import altair  # noqa: F401 - found missing before the work, not after
        import vl_convert  # noqa: F401
    if len(scenarios) > 1 and (charts_path is not None or output.format in _OF_ONE):
        what = "--charts" if charts_path is not None else f"--format {output.format}"
        raise Trouble(f"{what} takes one scenario, not {len(scenarios)}", fix="run quota-engine once for each")
    if output.format == "html":
        output.check(_PAGE_BYTES)
    if charts_path is not None:
        nearest = next(path for path in (charts_path, *charts_path.absolute().parents) if path.exists())
        check_room(nearest / "timeline.svg", _PAGE_BYTES)


def _events_of(output: Output) -> AbstractContextManager[Spool | None]:
    """Return where the lines of events wait for the run's end; nowhere where the format has none."""
    if output.format != "jsonl":
        return nullcontext()
    from .spool import Spool

    return Spool(output.path)


def _emit_lines(run: Run, events: Spool, output: Output) -> None:
    """Write JSON Lines: the first line tells of the run's end, so the events come from where they waited for it."""
    from ..report import simulation_jsonl

    head = simulation_jsonl.head(run, events.count)
    output.emit_parts(events.after(head))


def _draw(told: Told, directory: Path) -> None:
    from ..report.charts.drawing import KINDS, render
    from ..report.charts.lives import lives
    from ..report.simulation_charts import pictures

    drawn = pictures(told.run, told.measures, lives(told.run))
    write_all(directory, {f"{name}.{kind}": render(spec, kind) for name, spec in drawn.items() for kind in KINDS})


@dataclass(frozen=True, slots=True)
class Told:
    """One scenario's run, its verdicts, its measures, and what it rests on where that was asked for."""

    run: Run
    verdicts: Sequence[Verdict]
    measures: Measures
    tried: Sequence[Tried] | None = None
    loads: Loads | None = None


def _say_replayed(good: Good[Scenario], output: Output) -> None:
    """Tell on stderr what became of a history's lines, and which of them could not be used."""
    if good.account:
        output.note(good.account)
        for one in good.found.diagnostics:
            if one.rule == "QE532":
                output.note(f"  {one.message}")


def _tell(
    path: Path, scenario: Scenario, sensitive: bool, is_traced: bool, output: Output, events: Spool | None
) -> Told:
    """Run and judge one scenario. The trace of many jobs is not kept unless something is made of it."""
    from ..scheduler.assumptions import AssumptionError
    from ..simulate import TRACED_MAX, ScenarioError, run_measured, sensitivity
    from ..simulate.loads import Loads
    from .progress import ended_jobs, progress_bar

    jobs = len(scenario.jobs)
    try:
        with progress_bar("simulating", jobs, quiet=output.quiet) as progress:
            loads = Loads(scenario) if output.format == "text" else None
            also: list[Sink] = [] if loads is None else [loads]
            also += [] if progress is None else [ended_jobs(progress)]
            also += [] if events is None else [_lines_into(events)]
            measured = run_measured(scenario, *also, is_traced=is_traced or jobs <= TRACED_MAX)
    except AssumptionError as error:
        raise Trouble(str(error), fix="see quota-engine assumptions") from error
    except ScenarioError as error:
        raise Trouble(f"{path} can't be run: {error}") from error
    outcome = measured.run
    return Told(outcome, measured.verdicts, measured.measures, sensitivity(outcome) if sensitive else None, loads)


def _lines_into(events: Spool) -> Sink:
    """Return the sink that has an event's line put aside as it happens."""
    from ..report.simulation_jsonl import line

    return lambda event: events.add(line(event))


def _render(told: Sequence[Told], output: Output) -> str:
    """Return the runs in the format asked for; only that format's renderer is loaded."""
    match output.format:
        case "json":
            import json

            from ..report.simulation_json import as_json

            runs = [as_json(one.run, one.verdicts, one.measures, one.tried) for one in told]
            return json.dumps({"scenarios": runs}, indent=2, ensure_ascii=False)
        case "html":
            from ..report import simulation_html

            one = told[0]
            return simulation_html.render(one.run, one.verdicts, one.measures, one.tried)
        case "perfetto":
            from ..report import simulation_perfetto

            return simulation_perfetto.render(told[0].run)
        case "markdown":
            from ..report import simulation_markdown

            return "\n".join(
                simulation_markdown.render(one.run, one.verdicts, one.measures, tried=one.tried) for one in told
            )
        case _:
            return "\n".join(_as_text(one, output) for one in told)


def _as_text(one: Told, output: Output) -> str:
    from ..report import simulation_text

    return simulation_text.render(
        one.run,
        one.verdicts,
        one.measures,
        width=output.width,
        ascii_only=output.ascii_only,
        max_lines=None if output.verbose else simulation_text.MAX_LINES,
        style=output.style,
        tried=one.tried,
        loads=one.loads,
    )
