"""Which account is spoken to: sessions, clients, and the guard that refuses a wrong account or region.

Endpoints, profiles, proxies and credentials come from the usual AWS environment variables and files, which boto3 reads.
The region is the declaration's: the surroundings' default region is not asked, so one run may look at several regions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from ..model.arns import Scope, parse_arn
from ..model.service_facts import ROLE_ARN_PATTERN
from ..model.stack import Stack
from .calls import CallFailed, call
from .credentials import refuse_without_credentials, remedy_of
from .roles import assuming
from .trouble import LiveTrouble, NotAuthenticated

MAX_ATTEMPTS = 5
"""Tries of one call, the first included, unless AWS_MAX_ATTEMPTS says otherwise."""
CONNECT_TIMEOUT_SECONDS = 10
READ_TIMEOUT_SECONDS = 30


class Unreachable(LiveTrouble):
    """The endpoint refuses connections, or answers something that is not AWS."""


class WrongAccount(LiveTrouble):
    """The credentials belong to another account than the declaration names."""


class WrongRegion(LiveTrouble):
    """The endpoint answers for another region than the declaration names."""


@dataclass(frozen=True, slots=True)
class Clients:
    """boto3 clients of one region; safe to share between threads."""

    batch: Any
    sts: Any
    profile: str = ""
    """The profile that was chosen, "" for the surroundings' default."""


def open_session(profile: str | None = None, role_arn: str | None = None) -> boto3.Session:
    """Return a session from the surroundings or from a named profile, which assumes a role if one is named.

    The role is assumed when it is first needed, and again before its credentials expire. Raises NotAuthenticated.
    """
    if role_arn is not None and ROLE_ARN_PATTERN.fullmatch(role_arn) is None:
        raise NotAuthenticated(
            f"{role_arn!r} is not the ARN of a role",
            fix="write arn:aws:iam::123456789012:role/NAME, of the right account",
        )
    try:
        return boto3.Session(profile_name=profile) if role_arn is None else assuming(role_arn, profile)
    except BotoCoreError as error:
        raise NotAuthenticated(
            f"can't use the AWS profile {profile!r}" if profile else "can't read the AWS configuration",
            why=str(error),
            fix="check --profile, AWS_PROFILE and ~/.aws/config",
        ) from error


def make_clients(
    session: boto3.Session,
    region: str,
    *,
    connections: int,
    max_attempts: int | None,
    read_timeout_seconds: float = READ_TIMEOUT_SECONDS,
) -> Clients:
    """Return clients that retry by the standard mode within a bound; raises LiveTrouble for unusable settings."""
    profile = _profile_of(session)
    refuse_without_credentials(session, profile)
    try:
        config = Config(
            connect_timeout=CONNECT_TIMEOUT_SECONDS,
            read_timeout=read_timeout_seconds,
            max_pool_connections=connections,
            retries=_retries(max_attempts),
        )
        return Clients(
            batch=session.client("batch", region_name=region, config=config),
            sts=session.client("sts", region_name=region, config=config),
            profile=profile,
        )
    except (BotoCoreError, ValueError) as error:
        raise LiveTrouble(
            f"can't set up AWS clients for region {region}",
            why=str(error),
            fix="check region in the declaration, and AWS_ENDPOINT_URL* and ~/.aws/config in the surroundings",
        ) from error


def _profile_of(session: boto3.Session) -> str:
    return "" if session.profile_name == "default" else session.profile_name


def _retries(max_attempts: int | None) -> Any:
    """Return botocore's retry settings: the argument, else the environment's, else standard mode within our bound."""
    settings: dict[str, Any] = {"mode": "standard", "total_max_attempts": max_attempts or MAX_ATTEMPTS}
    if max_attempts is None and os.environ.get("AWS_MAX_ATTEMPTS"):
        del settings["total_max_attempts"]
    if os.environ.get("AWS_RETRY_MODE"):
        del settings["mode"]
    return settings


def identify(clients: Clients, stack: Stack) -> Scope:
    """Ask STS whose account this is; raises WrongAccount if the declaration names another, or why it can't be told."""
    try:
        account = str(call(clients.sts, "get_caller_identity").get("Account", ""))
    except CallFailed as failure:
        raise _cannot_identify(clients, failure) from failure
    if not account:
        raise Unreachable(
            "can't tell which AWS account this is",
            why=f"the answer to sts:GetCallerIdentity from {clients.sts.meta.endpoint_url} names no account",
            fix=_endpoint_hint(clients),
        )
    if stack.account is not None and account != stack.account:
        raise _wrong_account(stack, account)
    return Scope(account, stack.region)


def _wrong_account(stack: Stack, account: str) -> WrongAccount:
    """Return why the credentials' account won't do; a stack without a name stands for ARNs that were given."""
    whose = f"refusing to compare: {stack.name} is declared for" if stack.name else "what is asked for is of"
    otherwise = "`account` in the declaration" if stack.name else "the ARN"
    return WrongAccount(
        f"{whose} account {stack.account}, but these credentials belong to {account}",
        why="the same names in another account are other resources",
        fix=f"choose the right credentials (AWS_PROFILE or --profile), or correct {otherwise}",
    )


def refuse_foreign(scope: Scope, arns: Iterable[str]) -> None:
    """Raise WrongRegion or WrongAccount if what the endpoint returned lives elsewhere than in `scope`."""
    for arn in arns:
        parsed = parse_arn(arn)
        if parsed is None:
            continue
        if parsed.scope.region != scope.region:
            raise WrongRegion(
                f"refusing to compare: the declaration is for region {scope.region}, "
                f"but the endpoint answers for {parsed.scope.region}",
                why=f"it returned {arn}",
                fix="check AWS_ENDPOINT_URL_BATCH and `region` in the declaration",
            )
        if parsed.scope.account != scope.account:
            raise WrongAccount(
                f"refusing to compare: sts:GetCallerIdentity says account {scope.account}, "
                f"but AWS Batch answers for {parsed.scope.account}",
                why=f"it returned {arn}",
                fix="let AWS_ENDPOINT_URL_BATCH and AWS_ENDPOINT_URL_STS name the same place",
            )


def _cannot_identify(clients: Clients, failure: CallFailed) -> LiveTrouble:
    problem = failure.problem
    why = f"{problem.operation} at {clients.sts.meta.endpoint_url}: {problem.code}: {problem.message}"
    if failure.is_refused:
        return NotAuthenticated(
            "AWS credentials are missing or not accepted",
            why=why,
            fix=_endpoint_hint(clients, remedy_of(problem, clients.profile)),
            problem=problem,
        )
    return Unreachable(
        "can't tell which AWS account this is",
        why=why,
        fix=_endpoint_hint(clients),
        problem=problem,
    )


def _endpoint_hint(clients: Clients, otherwise: str = "check the network, proxies and AWS_ENDPOINT_URL*") -> str:
    """Name the likeliest slip: a local endpoint for Batch while STS still goes to AWS."""
    batch, sts = clients.batch.meta.endpoint_url, clients.sts.meta.endpoint_url
    if ".amazonaws.com" in sts and ".amazonaws.com" not in batch:
        return f"Batch is asked at {batch} but STS at {sts}: set AWS_ENDPOINT_URL_STS={batch} too"
    return otherwise
