"""`quota-engine snapshot`: what lives in a declaration's account, as a file that drift can be judged from later."""

from __future__ import annotations

import json

import click

from .options import Output, output_options, stack_path


@click.command("snapshot", epilog="Example: quota-engine snapshot prod --output prod.snapshot.json")
@click.argument("stack", metavar="STACK")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("json")
def command(stack: str, profile: str | None, role_arn: str | None, print_iam_policy: bool, output: Output) -> int:
    """Write everything of quota management that lives in the account and region of STACK, as JSON.

    `quota-engine drift STACK --snapshot FILE` compares with it and makes no calls. Exit 2: something could not be read,
    which is in the file as such; or nothing could, and there is none.
    """
    from ..model.snapshot import write_snapshot
    from .drift import Target, looking
    from .files import good_stack

    path = stack_path(stack)
    target = Target(path.as_posix(), good_stack(path), profile, role_arn)
    if print_iam_policy:
        from ..live import iam_policy

        output.emit(json.dumps(iam_policy(target.stack, whole_account=True), indent=2))
        return 0
    with looking(output, None, None, with_tags=True, whole_account=True) as look:
        found = look(target)
    output.emit(write_snapshot(found))
    problems = dict.fromkeys(f"{one.operation}: {one.code}: {one.message}" for one in found.unreadable.values())
    for problem in problems:
        click.echo(f"quota-engine: error: not all could be read: {problem}", err=True)
    return 2 if problems else 0
