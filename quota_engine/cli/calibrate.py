"""`quota-engine calibrate`: how well the model explains what a queue did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from ..model.trouble import Trouble
from .durations import Duration
from .options import Output, output_options, read_switches, stack_path
from .progress import progress_bar

if TYPE_CHECKING:
    from ..calibrate import Calibration, Record
    from ..model.job_history import RecordedJob
    from ..model.stack import Stack


class Percent(click.ParamType[float]):
    """An option's value as a ratio: `95%` or `95 %`."""

    name = "percent"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]+)?) ?%", str(value))
        ratio = float(match[1]) / 100 if match else -1
        if not 0 <= ratio <= 1:
            self.fail(f"{value!r} is not a percentage from 0% to 100%, such as 95%", param, ctx)
        return ratio


@click.command("calibrate", epilog="Example: quota-engine calibrate events.jsonl --stack prod --format markdown")
@click.argument("record", metavar="RECORD")
@click.option("--stack", required=True, metavar="STACK", help="The declaration that held meanwhile: a path or a name.")
@click.option("--queue", metavar="NAME", help="The job queue, where RECORD is a file about several.")
@click.option(
    "--tolerance",
    "tolerance_ms",
    type=Duration(),
    default="60s",
    show_default=True,
    help="How far apart the recorded and the predicted time of a decision may lie.",
)
@click.option(
    "--within", type=Percent(), default="95%", show_default=True, help="The part of the decisions to predict."
)
@click.option("--assume", "assumed", multiple=True, metavar="NAME=VALUE", help="Change an assumption of the model.")
@click.option("--profile", metavar="NAME", help="AWS profile to read a queue with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading a queue.")
@output_options("text", "json", "markdown")
def command(
    record: str,
    stack: str,
    queue: str | None,
    tolerance_ms: int,
    within: float,
    assumed: Sequence[str],
    profile: str | None,
    role_arn: str | None,
    output: Output,
) -> int:
    """Compare what a queue did with what the model says of the same jobs, and find what explains the difference.

    RECORD is a file of EventBridge events or of `quota-engine history`, or the name of a live queue.
    Exit 0: at least --within of the decisions are predicted. Exit 1: fewer. Exit 2: could not tell.
    """
    from ..calibrate import calibrate
    from .files import good_stack
    from .forecast import read_assumptions

    declared = good_stack(stack_path(stack)).value
    read_assumptions(assumed)
    path = Path(record)
    read = _from_file(path, queue) if path.exists() else _from_queue(record, declared, profile, role_arn, output)
    with progress_bar("trying assumptions", None, quiet=output.quiet) as progress:
        try:
            found = calibrate(read, declared, tolerance_ms, read_switches(assumed), progress)
        except ValueError as error:
            raise Trouble(f"{record} can't be compared: {error}", fix="name the declaration that held then") from error
    output.emit(_render(found, output))
    return 0 if found.score.ratio >= within else 1


_RECORDS: Final = "give events of EventBridge, or what quota-engine history wrote"


def _from_file(path: Path, queue: str | None) -> Record:
    """Read a file of events or of history; which of them its lines tell. Raises Trouble where it holds no job."""
    from ..calibrate import record_of_events, record_of_history

    lines = _lines(path)
    try:
        if any('"detail-type"' in line for line in lines):
            read = record_of_events(lines, queue)
        else:
            read = record_of_history(_recorded(path, lines), queue)
    except ValueError as error:
        raise Trouble(f"{path}: {error}", fix="name one of them with --queue") from error
    if not read.courses:
        _refuse_empty(path, read, queue)
    return read


def _lines(path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        at = f"byte 0x{error.object[error.start]:02x} at byte position {error.start}"
        raise Trouble(f"can't read {path}: it is not UTF-8: {at}", fix=_RECORDS) from error
    except OSError as error:
        raise Trouble(f"can't read {path}", why=error.strerror or str(error)) from error


def _recorded(path: Path, lines: Sequence[str]) -> Iterator[RecordedJob]:
    """Yield the job of each line of history; raises Trouble at the first that holds none."""
    from ..model.job_history import LineError, from_line

    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield from_line(line)
            except LineError as error:
                raise Trouble(f"{path} is no record of jobs: line {number}: {error}", fix=_RECORDS) from error


def _refuse_empty(path: Path, read: Record, queue: str | None) -> NoReturn:
    unusable = f"{len(read.bad)} lines could not be used" if len(read.bad) > 1 else "one line could not be used"
    raise Trouble(
        f"{path} can't be compared: the record holds no job{f' of job queue {queue}' if queue else ''}",
        why=f"{unusable}; the first: line {read.bad[0].line}: {read.bad[0].reason}" if read.bad else "",
        fix="name another queue with --queue" if queue else _RECORDS,
    )


def _from_queue(name: str, declared: Stack, profile: str | None, role_arn: str | None, output: Output) -> Record:
    from ..calibrate import record_of_history
    from ..live import open_session, read_history
    from ..model.arns import name_of
    from .drift import calls_shown

    if name_of(name) not in declared.job_queues:
        raise Trouble(
            f"there is no file {name!r}, and {declared.name} declares no job queue of that name",
            fix=f"name a file, or one of {', '.join(declared.job_queues)}",
        )
    session = open_session(profile, role_arn)
    with calls_shown(output) as progress:
        jobs = read_history([name], declared.region, session, with_details=True, progress=progress)
    return record_of_history(jobs, name_of(name))


def _render(found: Calibration, output: Output) -> str:
    """Return the calibration in the format asked for; only that format's renderer is loaded."""
    match output.format:
        case "json":
            from ..report import calibration_json

            return calibration_json.render(found)
        case "markdown":
            from ..report import calibration_markdown

            return calibration_markdown.render(found)
        case _:
            from ..report import calibration_text

            return calibration_text.render(found, width=output.width, style=output.style)
