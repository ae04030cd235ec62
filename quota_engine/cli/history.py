"""`quota-engine history`: the jobs of live queues as JSON Lines."""

from __future__ import annotations

import json

import click

from .options import Output, output_options
from .regions import REGION_VARIABLES, account_of, refuse_other_kinds, region_of


@click.command("history", epilog="Example: quota-engine history training --region us-west-2 --output history.jsonl")
@click.argument("queues", metavar="QUEUE...", nargs=-1, required=True)
@click.option("--region", envvar=REGION_VARIABLES, metavar="REGION", help="The region to read.")
@click.option("--describe", is_flag=True, help="Describe each job too: its priority, preemptions and attempts.")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("jsonl")
def command(
    queues: tuple[str, ...],
    region: str | None,
    describe: bool,
    profile: str | None,
    role_arn: str | None,
    print_iam_policy: bool,
    output: Output,
) -> int:
    """Write the jobs of QUEUE (names or ARNs), finished and unfinished, one a line, oldest first.

    Exit 2: something could not be read; then nothing is written.
    """
    from ..live import history_policy, open_session, read_history
    from ..model.job_history import to_line
    from .drift import calls_shown

    refuse_other_kinds(queues, "job-queue", "QUEUE")
    if print_iam_policy:
        output.emit(json.dumps(history_policy(with_details=describe), indent=2))
        return 0
    session = open_session(profile, role_arn)
    place = region_of(region, session.region_name, queues)
    with calls_shown(output) as progress:
        jobs = read_history(
            queues, place, session, account=account_of(queues), with_details=describe, progress=progress
        )
    output.emit("".join(map(to_line, jobs)))
    return 0
