"""Which region a command looks at, where no declaration says."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.core import ParameterSource

from ..model.arns import parse_arn
from ..model.service_facts import REGION_PATTERN
from ..model.trouble import Trouble

REGION_VARIABLES = ["AWS_REGION", "AWS_DEFAULT_REGION"]


def region_of(option: str | None, profile_region: str | None, names: Iterable[str] = ()) -> str:
    """Return the region of the ARNs among `names`, else that of --region or its variables, else the profile's.

    Raises UsageError for ARNs of several regions, and for a --region that contradicts them: a variable of the
    surroundings is only a default, and gives way.
    """
    regions = sorted({arn.scope.region for arn in map(parse_arn, names) if arn is not None})
    if len(regions) > 1:
        raise click.UsageError(f"the ARNs are of several regions, {' and '.join(regions)}; run it once for each")
    if regions and option not in (None, regions[0]) and _was_said():
        raise click.UsageError(f"--region says {option}, but the ARN is of {regions[0]}; leave --region out")
    place = regions[0] if regions else option or profile_region
    if not place:
        raise Trouble("which region?", why="neither --region, AWS_REGION nor the profile says", fix="give --region")
    if not REGION_PATTERN.fullmatch(place):
        raise Trouble(f"{place!r} is not the code of a region", why="a code is like us-west-2 or eu-central-1")
    return place


def account_of(names: Iterable[str]) -> str | None:
    """Return the account of the ARNs among `names`, None without any; raises UsageError for several."""
    accounts = sorted({arn.scope.account for arn in map(parse_arn, names) if arn is not None})
    if len(accounts) > 1:
        raise click.UsageError(f"the ARNs are of several accounts, {' and '.join(accounts)}; run it once for each")
    return accounts[0] if accounts else None


def refuse_other_kinds(names: Iterable[str], kind: str, option: str) -> None:
    """Raise BadParameter for nothing, or for an ARN of something else, which would be taken for a name of `kind`."""
    for name in names:
        arn = parse_arn(name)
        if not name:
            raise click.BadParameter("an empty name names nothing", param_hint=option)
        if arn is None and name.startswith("arn:"):
            raise click.BadParameter(f"{name} is no ARN of AWS Batch", param_hint=option)
        if arn is not None and arn.kind != kind:
            raise click.BadParameter(f"{name} is the ARN of a {arn.kind}, not of a {kind}", param_hint=option)


def _was_said() -> bool:
    """Whether --region stands on the command line, and not in a variable."""
    return click.get_current_context().get_parameter_source("region") is ParameterSource.COMMANDLINE
