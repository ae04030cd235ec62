"""`quota-engine snapshot`: what lives in a declaration's account, as a file that drift can be judged from later."""

from __future__ import annotations

import click

from .options import Output, output_options, stack_path


@click.command("snapshot", epilog="Example: quota-engine snapshot prod --output prod.snapshot.json")
@click.argument("stack", metavar="STACK")
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading.")
@output_options("json")
def command(stack: str, profile: str | None, role_arn: str | None, output: Output) -> int:
    """Write everything of quota management that lives in the account and region of STACK, as JSON.

    `quota-engine drift STACK --snapshot FILE` compares with it and makes no calls. Exit 2: could not tell whose account
    it is; what could not be read is in the file as such.
    """
    from ..model.snapshot import write_snapshot
    from .drift import Target, looking
    from .files import good_stack

    path = stack_path(stack)
    target = Target(path.as_posix(), good_stack(path), profile, role_arn)
    with looking(output, None, None, with_tags=True, whole_account=True) as look:
        output.emit(write_snapshot(look(target)))
    return 0
