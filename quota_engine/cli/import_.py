"""`quota-engine import`: what lives, as a declaration and as Pulumi's import file, so that it is adopted as it is."""

from __future__ import annotations

import json
import os
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from ..model.trouble import Trouble
from .options import Output, output_options, write_whole
from .regions import REGION_VARIABLES, account_of, refuse_other_kinds, region_of

if TYPE_CHECKING:
    from ..live import Adopted

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@click.command(
    "import",
    epilog="Example: quota-engine import --all --region us-west-2 --name ml-training --output stacks/prod.yaml "
    "--import-file prod.import.json",
)
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="A job queue to import; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Import everything of quota management that lives there.")
@click.option(
    "--region",
    envvar=REGION_VARIABLES,
    metavar="REGION",
    help="The region to read [default: AWS_REGION, AWS_DEFAULT_REGION, the profile's].",
)
@click.option("--name", default="imported", show_default=True, metavar="NAME", help="The declaration's name.")
@click.option(
    "--import-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the file for pulumi import --file too.",
)
@click.option("--profile", metavar="NAME", help="AWS profile to read with.")
@click.option("--role-arn", metavar="ARN", help="IAM role to assume for reading.")
@click.option("--print-iam-policy", is_flag=True, help="Print the permissions this command needs, and do nothing else.")
@output_options("yaml")
def command(
    queues: tuple[str, ...],
    everything: bool,
    region: str | None,
    name: str,
    import_file: Path | None,
    profile: str | None,
    role_arn: str | None,
    print_iam_policy: bool,
    output: Output,
) -> int:
    """Write a declaration equal to what lives in an account and region: whole queues with their shares, service
    environments and policies.

    With --import-file also the file with which Pulumi adopts all of it under the names this project's program uses:
    pulumi import --file FILE --protect=false --generate-code=false.
    """
    from ..live import adopt, open_session
    from ..model.arns import name_of
    from ..model.service_facts import NAME_PATTERN
    from .drift import calls_shown

    if everything == bool(queues):
        raise click.UsageError("say what to import: --queue NAME (may be repeated), or --all")
    refuse_other_kinds(queues, "job-queue", "--queue")
    if not NAME_PATTERN.fullmatch(name):
        raise click.BadParameter("it is 1 to 128 letters, digits, hyphens and underscores", param_hint="--name")
    if (
        import_file is not None
        and output.path is not None
        and os.path.realpath(import_file) == os.path.realpath(output.path)
    ):
        raise click.UsageError(f"--output and --import-file are both {import_file}: one would replace the other")
    if print_iam_policy:
        output.emit(json.dumps(_policy(queues, region), indent=2))
        return 0
    session = open_session(profile, role_arn)
    place = region_of(region, session.region_name, queues)
    names = None if everything else list(map(name_of, queues))
    with calls_shown(output) as progress:
        adopted = adopt(name, place, names, session, account=account_of(queues), progress=progress)
    for reason in adopted.left_out:
        output.note(f"left out: {reason}")
    text = _declaration(adopted, output)
    if import_file is not None:
        from ..report import pulumi_import

        write_whole(import_file, pulumi_import.render(adopted.stack, provider_version=_provider_version()))
    output.emit(text)
    if import_file is not None:
        output.note(f"next: {_next_step(import_file, output)}")
    return 0


def _next_step(import_file: Path, output: Output) -> str:
    """Return what adopts it: into the state of `quota-engine local` where it was read from this machine's emulator."""
    from .explain import batch_endpoint

    if urlsplit(batch_endpoint() or "").hostname in _LOOPBACK:
        return f"quota-engine local import {import_file} --stack {output.path or 'the declaration'}"
    return f"pulumi import --file {import_file} --protect=false --generate-code=false"


def _policy(queues: tuple[str, ...], region: str | None) -> dict[str, object]:
    from ..live import iam_policy
    from ..model.arns import name_of
    from ..model.stack import JobQueue, Stack

    names = list(map(name_of, queues))
    asked = Stack("", region or "*", job_queues={queue: JobQueue(queue, (), None) for queue in names})
    return iam_policy(asked, whole_account=not queues)


def _declaration(adopted: Adopted, output: Output) -> str:
    """Return the declaration's text once it has been read back, judged, and found to differ in nothing."""
    from ..drift import Unmanaged, compare
    from ..report import declaration_yaml
    from .files import good_stack

    stack = adopted.stack
    heading = (
        f"What lived in account {stack.account}, {stack.region}, as quota-engine import found it.",
        "A value marked as the service's default may be left out.",
    )
    text = declaration_yaml.render(stack, heading)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "imported.yaml"
        path.write_text(text, encoding="utf-8")
        good = good_stack(path)
    report = compare(good.value, adopted.observation, unmanaged=Unmanaged.IGNORE)
    if report.changes:
        raise Trouble(
            "what was written would not be equal to what lives",
            why=f"the first difference is at {'/'.join(str(part) for part in report.changes[0].path)}",
            fix="report it, with the output of quota-engine snapshot",
        )
    for note in report.notes:
        output.note(note.sentence)
    for finding in good.found.diagnostics:
        output.note(f"{finding.severity.value} {finding.rule}: {finding.message}")
    return text


def _provider_version() -> str | None:
    """Return the version of the provider's SDK that is installed here: the program's provider will ask for it."""
    try:
        return metadata.version("pulumi-aws-native")
    except metadata.PackageNotFoundError:
        return None
