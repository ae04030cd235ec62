"""`quota-engine forecast`: what deploying a declaration now would do to the jobs that are live."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.trouble import Trouble
from .durations import Duration
from .options import NamedPath, Output, output_options, read_switches, stack_path

if TYPE_CHECKING:
    from ..forecast import Forecast
    from ..model.job_history import RecordedJob
    from ..scheduler import Assumptions


@click.command("forecast", epilog="Example: quota-engine forecast prod --assume-duration 8h --format markdown")
@click.argument("stack", metavar="STACK")
@click.option(
    "--assume-duration",
    "duration_ms",
    type=Duration(),
    metavar="DURATION",
    help="How long every job runs from its start, where no --history tells; without either only the instant of "
    "deploying is certain.",
)
@click.option(
    "--history",
    "histories",
    multiple=True,
    type=NamedPath(path_type=Path),
    metavar="FILE",
    help="Take durations from recorded jobs of the same share (quota-engine history); may be repeated.",
)
@click.option(
    "--within", "within_ms", type=Duration(), default="24h", show_default=True, help="How far to look ahead then."
)
@click.option(
    "--undeclared",
    type=click.Choice(["delete", "keep"]),
    default="delete",
    show_default=True,
    help="What becomes of shares that live and are not declared; Pulumi deletes those it has made.",
)
@click.option("--assume", "assumed", multiple=True, metavar="NAME=VALUE", help="Change an assumption of the model.")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("text", "json", "markdown")
def command(
    stack: str,
    duration_ms: int | None,
    histories: Sequence[Path],
    within_ms: int,
    undeclared: str,
    assumed: Sequence[str],
    profile: str | None,
    role_arn: str | None,
    print_iam_policy: bool,
    output: Output,
) -> int:
    """Tell what deploying STACK (a path, or a name in stacks/) now would do to the jobs that are live.

    Exit 0: no running job is hit. Exit 1: some are. Exit 2: could not tell.
    """
    from .files import good_stack

    declared = good_stack(stack_path(stack)).value
    if print_iam_policy:
        from ..live import iam_policy

        output.emit(json.dumps(iam_policy(declared, with_tags=False, with_jobs=True), indent=2))
        return 0
    from ..forecast import forecast
    from ..live import observe, observe_jobs, open_session
    from ..model.stack import former_queues
    from .drift import calls_shown

    assumptions = read_assumptions(assumed)
    history = read_histories(histories)
    session = open_session(profile, role_arn)
    with calls_shown(output) as progress:
        observed = observe(declared, session, with_tags=False, progress=progress)
        asked = (*declared.job_queues, *former_queues(declared))
        living = [name for name in asked if name in observed.stack.job_queues]
        jobs = observe_jobs(declared, living, session, progress=progress)
    found = forecast(
        declared,
        observed,
        jobs,
        duration_ms,
        within_ms=within_ms,
        assumptions=assumptions,
        keep_undeclared=undeclared == "keep",
        history=history,
    )
    output.emit(_render(found, output))
    return found.exit_code


def read_histories(paths: Sequence[Path]) -> list[RecordedJob] | None:
    """Return the recorded jobs of all the files, None without any; raises Trouble for a line that is no job."""
    from ..history import read_recorded

    return [job for path in paths for job in read_recorded(path.as_posix())] if paths else None


def read_assumptions(assumed: Sequence[str]) -> Assumptions:
    """Return the model's assumptions with those changed that --assume names; raises Trouble for a wrong one."""
    from ..scheduler import AssumptionError, Assumptions

    try:
        return Assumptions.of(read_switches(assumed))
    except AssumptionError as error:
        raise Trouble(str(error), fix="see quota-engine assumptions") from error


def _render(found: Forecast, output: Output) -> str:
    """Return the forecast in the format asked for; only that format's renderer is loaded."""
    match output.format:
        case "json":
            from ..report import forecast_json

            return forecast_json.render(found)
        case "markdown":
            from ..report import forecast_markdown

            return forecast_markdown.render(found)
        case _:
            from ..report import forecast_text

            return forecast_text.render(found, width=output.width, style=output.style)
