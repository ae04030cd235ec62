"""`quota-engine sweep`: many runs of a scenario, over seeds and values, and what comes of them on average."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.trouble import Trouble
from .options import Given, Output, check_room, max_bad_option, output_options, write_whole
from .progress import progress_bar

if TYPE_CHECKING:
    from ..model.replay import MaxBad
    from ..sweep import Axis, Engine, Journal, Plan, Seeds, Summary, Swept

_ROW_BYTES = 1024
"""Room that is made sure of for each row of the results: more than one takes, in the journal or in the file."""
_CHART_BYTES = 1024 * 1024
"""Room that is made sure of for a chart: HTML with its library takes most of it."""
RUNS_MAX = 1000


@click.command(
    "sweep",
    epilog="Example: quota-engine sweep scenarios/research-day.yaml --seeds 20 --vary QS2/ml.g5.xlarge=1,2,3",
)
@click.argument("scenario", type=click.Path(path_type=Path), metavar="SCENARIO")
@click.option(
    "--seeds", "seeds_text", metavar="SEEDS", help="20 (for 1 to 20), 1..20 or 1,5,9; else the scenario's own."
)
@click.option("--set", "parameters", multiple=True, metavar="NAME=V1,V2", help="Try values of a scenario's parameter.")
@click.option(
    "--vary",
    "varied",
    multiple=True,
    metavar="PATH=V1,V2",
    help="Try values of the declaration: QS1/borrow_limit=0,100, gpu/ml.g5.xlarge=2..8, QS2/strategy=LEND,RESERVE.",
)
@click.option("--assume", "assumed", multiple=True, metavar="NAME=V1|V2", help="Try values of an assumption.")
@click.option("--list", "zipped", is_flag=True, help="Take the values side by side, not every one with every other.")
@max_bad_option
@click.option("--max-runs", type=click.IntRange(min=1), default=RUNS_MAX, show_default=True, help="Refuse more runs.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes; 1 for none but this. Default: one a processor.")
@click.option("--cluster", metavar="ADDRESS", help="Run on the Dask cluster whose scheduler is at ADDRESS.")
@click.option(
    "--chart",
    "chart_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the means with their intervals to FILE: .svg, .png or .html.",
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Draw this measure; repeatable.")
@output_options("text", "markdown", "json", "csv")
def command(
    scenario: Path,
    seeds_text: str | None,
    parameters: Sequence[str],
    varied: Sequence[str],
    assumed: Sequence[str],
    zipped: bool,
    max_bad: MaxBad | None,
    max_runs: int,
    workers: int | None,
    cluster: str | None,
    chart_path: Path | None,
    metrics: Sequence[str],
    output: Output,
) -> int:
    """Run SCENARIO with many seeds, and with every combination of the values given, and tell the means.

    The summary goes to stdout. --output FILE gets one row for each run and share; its ending says how: .parquet, .csv
    or .json. Finished runs are kept beside it until all are done: the same command goes on where it was stopped.
    Exit 0: done. Exit 2: an option or a combination can't be, or the runs could not be done.
    """
    from ..report.sweep_view import sizes
    from ..sweep import AxisKind, read_axis

    if workers is not None and cluster is not None:
        raise click.UsageError("--workers and --cluster exclude each other: a cluster has workers of its own")
    if metrics and chart_path is None:
        raise click.UsageError("--metric says what to draw, and there is no --chart")
    axes = [
        *(read_axis(AxisKind.SET, text) for text in parameters),
        *(read_axis(AxisKind.VARY, text) for text in varied),
        *(read_axis(AxisKind.ASSUME, text) for text in assumed),
    ]
    seeds, runs = _counted(axes, seeds_text, zipped, max_runs)
    engine, how = _engine(runs, workers, cluster)
    output.note(f"{sizes(runs // len(seeds), len(seeds))}, {how}")
    draw = _chart(chart_path, metrics)
    given = Given(max_bad=max_bad, is_quiet=output.quiet)
    plan = _planned(scenario, axes, seeds, zipped, given)
    _check_files(plan, output)
    swept = _swept(plan, engine, output)
    draw(swept)
    _give(swept, output)
    return 0


def _counted(axes: Sequence[Axis], seeds_text: str | None, zipped: bool, max_runs: int) -> tuple[Seeds, int]:
    """Return the seeds and the number of runs, before anything is loaded. Raises Trouble where that is too many."""
    from ..sweep import check_axes, count_combinations, read_seeds

    check_axes(axes, zipped)
    seeds: Seeds = (None,) if seeds_text is None else read_seeds(seeds_text)
    runs = count_combinations(axes, zipped) * len(seeds)
    if runs > max_runs:
        raise Trouble(
            f"these options ask for {runs:,} runs, and at most {max_runs:,} are allowed",
            fix=f"give fewer values or seeds, or --max-runs {runs}",
        )
    return seeds, runs


def _planned(path: Path, axes: Sequence[Axis], seeds: Seeds, zipped: bool, given: Given) -> Plan:
    """Return the plan, every combination of it checked."""
    from ..sweep import Plan, combinations
    from .combinations import declared_scenarios

    wanted = combinations(axes, zipped)
    return Plan(tuple(axes), seeds, tuple(wanted), tuple(declared_scenarios(path, axes, wanted, given)))


def _check_files(plan: Plan, output: Output) -> None:
    """Find out before the work that the result can be written."""
    from ..sweep import check_ending

    if output.path is not None:
        check_ending(output.path)
        shares = len(plan.scenarios[0].stack.job_queues[plan.scenarios[0].queue].quota_shares)
        check_room(output.path, 2 * _ROW_BYTES * plan.runs * (shares + 1))


def _chart(path: Path | None, metrics: Sequence[str]) -> Callable[[Swept], None]:
    """Return what draws the chart that was asked for; finds out before the work that it can be drawn and written."""
    from ..sweep import METRICS, summarised

    unknown = next((name for name in metrics if name not in METRICS), None)
    if unknown is not None:
        near = get_close_matches(unknown, METRICS, n=1)
        meant = f"did you mean {near[0]}?" if near else f"the measures are {', '.join(METRICS)}"
        raise Trouble(f"there is no measure {unknown}", fix=meant)
    if path is None:
        return lambda swept: None
    import altair  # noqa: F401 - found missing before the work, not after
    import vl_convert  # noqa: F401

    from ..report.charts import sweep as chart

    ending = path.suffix.lower()
    if ending not in chart.ENDINGS:
        raise Trouble(
            f"{path} does not say what to draw", why="its ending does", fix=f"end it in {', '.join(chart.ENDINGS)}"
        )
    check_room(path, _CHART_BYTES)
    wanted = metrics or chart.DEFAULT_METRICS
    return lambda swept: write_whole(path, chart.render(summarised(swept), ending, wanted))


def _engine(runs: int, workers: int | None, cluster: str | None) -> tuple[Engine, str]:
    """Return what does the runs, and how that is called."""
    from ..sweep import loop, process_pool, processors

    if cluster is not None:
        from ..sweep.cluster import dask_cluster

        return dask_cluster(cluster), f"on the Dask cluster at {cluster}"
    count = min(workers or processors(), runs)
    return (loop, "one after another") if count == 1 else (process_pool(count), f"on {count} processes")


def _swept(plan: Plan, engine: Engine, output: Output) -> Swept:
    """Do the runs, with what has finished kept beside the result until it is written."""
    from ..simulate import ScenarioError
    from ..sweep import journal_path, open_journal, sweep, table_of, written
    from ..workloads import TooManyJobs

    path = None if output.path is None else journal_path(output.path)
    with open_journal(path) as journal, _resumable(journal, path):
        if journal.cut:
            output.note("the last run in the journal was cut off; it is done again")
        with progress_bar("runs", plan.runs, quiet=output.quiet) as advanced:
            try:
                swept = sweep(plan, engine, journal, advanced or (lambda done: None))
            except (ScenarioError, TooManyJobs) as error:
                raise Trouble(f"a run can't be done: {error}") from error
        if output.path is not None and path is not None:
            write_whole(output.path, written(table_of(swept), output.path.suffix))
            path.unlink()
    return swept


@contextmanager
def _resumable(journal: Journal, path: Path | None) -> Iterator[None]:
    """Say, where a sweep is stopped, how it can go on."""

    from ..sweep import told_when_stopped

    try:
        yield
    except Trouble as error:
        kept = told_when_stopped(path, len(journal.finished))
        error.fix = f"{error.fix}; {kept}" if error.fix else kept
        raise
    except KeyboardInterrupt:
        click.echo(told_when_stopped(path, len(journal.finished)), err=True)
        raise


def _give(swept: Swept, output: Output) -> None:
    from ..sweep import summarised, table_of

    to_stdout = replace(output, path=None)
    if output.format == "csv":
        from ..sweep.table import as_csv

        to_stdout.emit(as_csv(table_of(swept)))
    else:
        to_stdout.emit(_render(summarised(swept), to_stdout))


def _render(summary: Summary, output: Output) -> str:
    match output.format:
        case "json":
            import json

            from ..report.sweep_json import as_json

            return json.dumps(as_json(summary), indent=2, ensure_ascii=False)
        case "markdown":
            from ..report import sweep_markdown

            return sweep_markdown.render(summary)
        case _:
            from ..report import sweep_text

            return sweep_text.render(summary, width=output.width, style=output.style, ascii_only=output.ascii_only)
