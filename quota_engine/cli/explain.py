"""`quota-engine explain`: why a job waits, runs or was preempted, and what would change it."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.trouble import Trouble
from .durations import Duration
from .options import Given, NamedPath, Output, output_options, read_switches, scenario_options
from .regions import REGION_VARIABLES, refuse_other_kinds, region_of

if TYPE_CHECKING:
    from ..explain import Explanation
    from ..scheduler import Assumptions
    from ..scheduler.trace import TraceEvent

ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_BATCH", "AWS_ENDPOINT_URL")
Story = tuple[Sequence["TraceEvent"], Mapping[str, str]]


@click.command("explain", epilog="Example: quota-engine explain qs1_job_low --scenario scenarios/lend-and-borrow.yaml")
@click.argument("job", metavar="JOB")
@click.option("--live", is_flag=True, help="Look at a live account (the default).")
@click.option("--emulator", is_flag=True, help="Look at an emulator: its trace tells what happened before, too.")
@click.option(
    "--trace", "trace_file", type=NamedPath(path_type=Path), metavar="FILE", help="Tell it from a saved trace."
)
@click.option("--scenario", type=NamedPath(path_type=Path), metavar="FILE", help="Tell it from a simulated scenario.")
@click.option("--at", "at_ms", type=Duration(), metavar="TIME", help="When, in the scenario [default: its last event].")
@click.option("--queue", metavar="NAME", help="The job's queue, where JOB is a name and not an id or ARN.")
@click.option("--region", envvar=REGION_VARIABLES, metavar="REGION", help="The region to look at.")
@click.option("--assume", "assumed", multiple=True, metavar="NAME=VALUE", help="Change an assumption of the model.")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@scenario_options
@output_options("text", "json", "markdown")
def command(
    job: str,
    live: bool,
    emulator: bool,
    trace_file: Path | None,
    scenario: Path | None,
    at_ms: int | None,
    queue: str | None,
    region: str | None,
    assumed: Sequence[str],
    profile: str | None,
    role_arn: str | None,
    print_iam_policy: bool,
    given: Given,
    output: Output,
) -> int:
    """Tell why JOB (an id, an ARN, or a name) waits, runs or was preempted, and what would change that.

    Whatever "would" happen has been tried in the scheduling model. Exit 2: there is no such job, or it can't be read.
    """
    from .forecast import read_assumptions

    if sum((live, emulator, trace_file is not None, scenario is not None)) > 1:
        raise click.UsageError("choose one of --live, --emulator, --trace and --scenario")
    if at_ms is not None and scenario is None:
        raise click.UsageError("--at goes with --scenario")
    if scenario is None and given != Given():
        raise click.UsageError("--set, --seed and --max-bad go with --scenario")
    refuse_other_kinds([job], "service-job", "JOB")
    refuse_other_kinds([] if queue is None else [queue], "job-queue", "--queue")
    if print_iam_policy:
        output.emit(json.dumps(_policy(job, queue, region), indent=2))
        return 0
    if scenario is not None:
        found = _from_scenario(job, scenario, given, at_ms, assumed)
    elif trace_file is not None:
        found = _from_trace(job, trace_file)
    else:
        assumptions = read_assumptions(assumed)
        found = _from_account(job, queue, region, profile, role_arn, assumptions, output, is_emulator=emulator)
    output.emit(_render(found, output))
    return 0


def _policy(job: str, queue: str | None, region: str | None) -> dict[str, object]:
    """Return the permissions to explain a job: of its queue, or of every queue where only the job's id is given."""
    from ..live import iam_policy
    from ..model.arns import name_of, parse_arn
    from ..model.stack import JobQueue, Stack

    arn = parse_arn(job)
    name = name_of(queue) if queue else "*"
    account, place = (arn.scope.account, arn.scope.region) if arn else (None, region or "*")
    asked = Stack("", place, account=account, job_queues={name: JobQueue(name, (), None)})
    return iam_policy(asked, with_tags=False, with_jobs=True)


def _from_scenario(job: str, path: Path, given: Given, at_ms: int | None, assumed: Sequence[str]) -> Explanation:
    from dataclasses import replace

    from ..explain import explain, moment_of
    from ..report.times import clock
    from ..scheduler.assumptions import AssumptionError
    from ..simulate import ScenarioError
    from .files import good_scenario

    switches = read_switches(assumed)
    scenario = good_scenario(path, given).value
    try:
        moment = moment_of(replace(scenario, assumptions={**scenario.assumptions, **switches}), at_ms)
    except AssumptionError as error:
        raise Trouble(str(error), fix="see quota-engine assumptions") from error
    except ScenarioError as error:
        raise Trouble(f"{path} can't be run: {error}") from error
    record = moment.records.get(job)
    if record is None:
        raise Trouble(
            f"there is no job {job!r} at {clock(moment.situation.now_ms)}",
            fix=f"name one of {', '.join(list(moment.records)[:10]) or 'the jobs submitted later'}, or change --at",
        )
    if record.is_finished:
        return _past(job, job, record.share_name, record.status.value, moment.trace, {}, clock)
    return explain(moment.situation, job, trace=moment.trace, when=clock)


def _from_trace(job: str, path: Path) -> Explanation:
    from ..explain.trace_json import read_trace

    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Trouble(f"{path} is not a trace that can be read", why="it is not UTF-8") from error
    trace, names = read_trace(text, str(path))
    meant = [known for known in _jobs_of(trace) if job in (known, names.get(known))]
    if not meant:
        raise Trouble(f"there is no job {job!r} in {path}")
    return _past(meant[-1], names.get(meant[-1], meant[-1]), _share_of(meant[-1], trace), "", trace, names, _date)


def _share_of(job: str, trace: Sequence[TraceEvent]) -> str:
    """Return the share that a trace first tells of a job."""
    shares = (str(event.share) for event in trace if getattr(event, "job", None) == job and hasattr(event, "share"))
    return next(shares, "")


def _jobs_of(trace: Sequence[TraceEvent]) -> list[str]:
    return list(dict.fromkeys(str(event.job) for event in trace if hasattr(event, "job")))


def _past(
    job: str, name: str, share: str, status: str, trace: Sequence[TraceEvent], names: Mapping[str, str], when: object
) -> Explanation:
    """Tell a job's history alone: it has ended, or only a trace is at hand."""
    from ..explain import Explanation
    from ..explain.history import told

    history = told(trace, job, names, when)  # type: ignore[arg-type]
    last = history[-1].split(": ", 1)[1] if history else "nothing is known of it"
    return Explanation(job, name, share, status or "at the end of the trace", f"— {last}", history=tuple(history))


def _from_account(
    job: str,
    queue: str | None,
    region: str | None,
    profile: str | None,
    role_arn: str | None,
    assumptions: Assumptions,
    output: Output,
    *,
    is_emulator: bool,
) -> Explanation:
    """Read the job's queue and its jobs, and explain from there."""
    from ..explain import explain
    from ..forecast.situation import live_situation
    from ..live import adopt, find_job, observe_jobs, open_session
    from .drift import calls_shown

    session = open_session(profile, role_arn)
    place = region_of(region, session.region_name, filter(None, (job, queue)))
    job_id, name = find_job(job, queue, place, session)
    with calls_shown(output) as progress:
        stack = adopt(name, place, [name], session, with_tags=False, progress=progress).stack
        live = observe_jobs(stack, [name], session, progress=progress)[name]
    if live.unreadable:
        problem = live.unreadable[0]
        why = f"{problem.operation}: {problem.code}: {problem.message}"
        raise Trouble("could not read the queue's jobs", why=why, fix="allow the call or try again")
    names = {one.job_id: one.name for one in live.jobs}
    trace, known = _emulator_story(name, stack.account or "", place) if is_emulator else ((), {})
    names = {**known, **names}
    found = stack.job_queues[name]
    environment = stack.service_environments[found.service_environment or ""]
    situation, doubts = live_situation(found, environment, live, assumptions)
    if job_id not in {one.job.name for one in situation.jobs}:
        if trace and any(getattr(event, "job", None) == job_id for event in trace):
            return _past(job_id, names.get(job_id, job_id), _share_of(job_id, trace), "", trace, names, _date)
        raise Trouble(
            f"job {job} has ended, or can't be placed",
            why="; ".join(doubts) or "only unfinished jobs are explained",
            fix="quota-engine history --describe tells of jobs that have ended",
        )
    about = next(one for one in live.jobs if one.job_id == job_id)
    told = explain(situation, job_id, names=names, trace=trace, when=_date, doubts=doubts)
    return told if trace else _with_own_words(told, about.preempted_count, about.status_reason)


def _with_own_words(found: Explanation, preempted_count: int, status_reason: str) -> Explanation:
    """Add what the service itself says of the past; who preempted whom it does not tell."""
    from dataclasses import replace

    history = [f"preempted {preempted_count} times so far"] if preempted_count > 1 else []
    history += ["preempted once so far"] if preempted_count == 1 else []
    history += [f"the service says: {status_reason}"] if status_reason else []
    return replace(found, history=tuple(history))


def batch_endpoint() -> str | None:
    """Return the address at which the surroundings say that Batch is, None for AWS's own."""
    return next((os.environ[name] for name in ENDPOINT_VARIABLES if os.environ.get(name)), None)


def _emulator_story(queue: str, account: str, region: str) -> Story:
    """Return the emulator's trace of a queue and its jobs' names. Raises Trouble where no emulator answers."""
    from ..explain.trace_json import read_trace

    endpoint = batch_endpoint()
    if endpoint is None or not endpoint.startswith(("http://", "https://")):
        raise Trouble(
            "which emulator?",
            why="AWS_ENDPOINT_URL_BATCH names none",
            fix="set the variables that quota-engine serve prints",
        )
    query = urllib.parse.urlencode({"queue": queue, "account": account, "region": region})
    address = f"{endpoint}/_emulator/trace?{query}"
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310 - http and https only, see above
            text = answer.read().decode("utf-8")
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise Trouble(
            f"{endpoint} is no emulator that answers", why=str(error), fix="use --live for an account"
        ) from error
    return read_trace(text, address)


def _date(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _render(found: Explanation, output: Output) -> str:
    """Return the explanation in the format asked for; only that format's renderer is loaded."""
    match output.format:
        case "json":
            from ..report import explain_json

            return explain_json.render(found)
        case "markdown":
            from ..report import explain_markdown

            return explain_markdown.render(found)
        case _:
            from ..report import explain_text

            return explain_text.render(found, width=output.width, style=output.style)
