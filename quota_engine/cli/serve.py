"""`quota-engine serve`: the local emulator of AWS Batch quota management and Cloud Control."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..model.service_facts import ACCOUNT_PATTERN, REGION_PATTERN
from .durations import Duration
from .options import stack_path

if TYPE_CHECKING:
    from ..model.stack import Stack
    from ..model.work import Scenario, Timing

ENDPOINT_SERVICES = ("BATCH", "CLOUDCONTROL", "STS")


def _account(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not ACCOUNT_PATTERN.fullmatch(value):
        raise click.BadParameter(f"{value!r} is not an account: 12 digits")
    return value


def _region(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not REGION_PATTERN.fullmatch(value):
        raise click.BadParameter(f"{value!r} is not a region such as us-west-2")
    return value


def _number(_: click.Context, __: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a number")
    return value


@click.command("serve", epilog="Example: quota-engine serve --stack dev --speed 60")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; others only knowingly.")
@click.option("--port", type=click.IntRange(0, 65535), default=4577, show_default=True, help="0 takes a free one.")
@click.option(
    "--clock",
    type=click.Choice(["real", "manual"]),
    default="real",
    show_default=True,
    help="manual: time moves only by POST /_emulator/clock.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0.001, max=1_000_000),
    callback=_number,
    default=1.0,
    show_default=True,
    help="60: an hour in a minute.",
)
@click.option("--stack", metavar="STACK", help="Start with this declaration deployed, in its account and region.")
@click.option(
    "--account", callback=_account, metavar="ID", help="Account of requests that name none [default: 000000000000]."
)
@click.option(
    "--region", callback=_region, metavar="REGION", help="Region where requests name none [default: us-east-1]."
)
@click.option(
    "--job-duration",
    type=Duration(forever_allowed=True),
    default="30s",
    show_default=True,
    help="Of jobs that don't say; or forever.",
)
@click.option("--scheduled", type=Duration(), default="1s", show_default=True, help="Time a job spends in SCHEDULED.")
@click.option("--starting", type=Duration(), default="1s", show_default=True, help="Time a job spends in STARTING.")
@click.option(
    "--stopping", type=Duration(), default="0s", show_default=True, help="Time a preempted job takes to stop."
)
@click.option("--create-delay", type=Duration(), default="0s", show_default=True, help="Time spent in CREATING.")
@click.option("--update-delay", type=Duration(), default="0s", show_default=True, help="Time spent in UPDATING.")
@click.option("--delete-delay", type=Duration(), default="0s", show_default=True, help="Time spent in DELETING.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Keep everything in FILE; a restart goes on from it.",
)
@click.option(
    "--seed",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="SCENARIO",
    help="Play this scenario's jobs and events, on its own declaration; its timing and assumptions hold.",
)
@click.option(
    "--events",
    metavar="TARGET",
    help="Publish EventBridge-shaped events: to a file, to - (stdout) or to http://localhost:PORT/…",
)
@click.option("--power-safe", is_flag=True, help="With --state: survive a power loss, not just kill -9 (slower).")
@click.option("--allow-host", multiple=True, metavar="NAME", help="Accept requests for this Host too.")
@click.option("-q", "--quiet", is_flag=True, help="Print the export lines only.")
@click.option("-v", "--verbose", is_flag=True, help="Tracebacks of internal errors.")
def command(
    host: str,
    port: int,
    clock: str,
    speed: float,
    stack: str | None,
    account: str | None,
    region: str | None,
    job_duration: int | None,
    scheduled: int,
    starting: int,
    stopping: int,
    create_delay: int,
    update_delay: int,
    delete_delay: int,
    state: str | None,
    seed: Path | None,
    events: str | None,
    power_safe: bool,
    allow_host: tuple[str, ...],
    quiet: bool,
    verbose: bool,
) -> int:
    """Run a local AWS Batch with quota management, until Ctrl-C.

    Prints the variables that make AWS clients and Pulumi use it. Signatures are not checked: an access key id of 12
    digits is taken for the account.
    """
    if power_safe and state is None:
        raise click.UsageError("--power-safe needs --state FILE")
    from ..emulator.settings import DEFAULT_ACCOUNT, DEFAULT_REGION, ClockKind, LifecycleDelays, Settings
    from ..scheduler.assumptions import Assumptions

    if stack is not None and seed is not None:
        raise click.UsageError("--seed starts with the scenario's own declaration; leave out --stack")
    scenario = _scenario(seed)
    declared = scenario.stack if scenario else _declared(stack)
    timing = _timing(scenario, scheduled, starting, stopping)
    settings = Settings(
        host=host,
        port=port,
        clock=ClockKind(clock),
        speed=speed,
        account=account or (declared and declared.account) or DEFAULT_ACCOUNT,
        region=region or (declared and declared.region) or DEFAULT_REGION,
        job_duration_ms=job_duration,
        scheduled_ms=timing.scheduled_ms,
        starting_ms=timing.starting_ms,
        stopping_ms=timing.stopping_ms,
        assumptions=Assumptions.of(scenario.assumptions if scenario else {}),
        delays=LifecycleDelays(create_ms=create_delay, update_ms=update_delay, delete_ms=delete_delay),
        state_file=state,
        survives_power_loss=power_safe,
        allowed_hosts=allow_host,
        stack=declared,
        scenario=scenario,
        events=events,
    )
    from ..emulator import serve

    def ready(url: str) -> None:
        for service in ENDPOINT_SERVICES:
            click.echo(f"export AWS_ENDPOINT_URL_{service}={url}")
        click.echo(f"export AWS_ACCESS_KEY_ID={settings.account}")
        click.echo("export AWS_SECRET_ACCESS_KEY=local")
        click.echo(f"export AWS_DEFAULT_REGION={settings.region}")
        click.echo("")
        if not quiet:
            click.echo(
                f"AWS Batch emulator at {url}, account {settings.account}, {clock} clock; Ctrl-C ends it", err=True
            )

    if not settings.is_loopback:
        click.echo(f"warning: {host} can be reached from other machines, and nobody has to log in", err=True)
    serve(settings, ready=ready)
    return 0


def _declared(stack: str | None) -> Stack | None:
    if stack is None:
        return None
    from .files import good_stack

    return good_stack(stack_path(stack)).value


def _scenario(path: Path | None) -> Scenario | None:
    if path is None:
        return None
    from .files import good_scenario

    return good_scenario(path).value


def _timing(scenario: Scenario | None, scheduled_ms: int, starting_ms: int, stopping_ms: int) -> Timing:
    """Return the time in the phases: what the command line says, else what the scenario says, else the defaults."""
    from ..model.work import Timing

    given = {"scheduled": scheduled_ms, "starting": starting_ms, "stopping": stopping_ms}
    source = click.get_current_context().get_parameter_source
    for name in given:
        if scenario is not None and source(name) is not ParameterSource.COMMANDLINE:
            given[name] = getattr(scenario.timing, f"{name}_ms")
    return Timing(*given.values())
