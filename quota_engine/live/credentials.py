"""What is wrong with credentials, and what to do about it: most failures of a first run are of this kind."""

from __future__ import annotations

import boto3
from botocore.exceptions import BotoCoreError

from ..model.observation import Problem
from .trouble import NotAuthenticated

_SIGN_IN = frozenset(
    {
        "SSOError",
        "SSOTokenLoadError",
        "UnauthorizedSSOTokenError",
        "TokenRetrievalError",
        "UnauthorizedException",
        "LoginError",
        "LoginRefreshRequired",
        "LoginTokenLoadError",
    }
)
_EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
_CLOCK_OR_SECRET = frozenset({"SignatureDoesNotMatch", "InvalidSignatureException", "AuthFailure"})
_UNKNOWN_KEY = frozenset({"InvalidAccessKeyId", "InvalidClientTokenId", "UnrecognizedClientException"})


def refuse_without_credentials(session: boto3.Session, profile: str) -> None:
    """Raise NotAuthenticated where the profile or the surroundings lead to no credentials because of a fault in them.

    That there are none at all, the first call says.
    """
    try:
        session.get_credentials()
    except (BotoCoreError, ValueError, OSError) as error:
        says_it = isinstance(error, BotoCoreError | OSError)
        text = str(error) if says_it else f"what they are to be taken from can't be read: {error}"
        where = f"the AWS profile {profile!r}" if profile else "the AWS configuration"
        raise NotAuthenticated(
            f"{where} leads to no credentials",
            why=" ".join(text.split()),
            fix="correct it in ~/.aws/config and ~/.aws/credentials, or choose another with AWS_PROFILE or --profile",
        ) from error


def remedy_of(problem: Problem, profile: str) -> str:
    """Return what to do about a call that was refused, or not even made, because of the credentials."""
    code = problem.code
    if code in _SIGN_IN:
        return f"sign in again: aws sso login{f' --profile {profile}' if profile else ''}"
    if code in _EXPIRED:
        return "the credentials have expired: sign in again or renew AWS_SESSION_TOKEN, and check this machine's clock"
    if code in _CLOCK_OR_SECRET:
        return "check this machine's clock, and the secret key"
    if code in _UNKNOWN_KEY:
        return "check the access key: AWS does not know it (deleted, disabled, or of another partition)"
    if problem.operation.startswith("sts:AssumeRole"):
        return "let the role's trust policy and the caller's own permissions allow it, or name another role or profile"
    return "set AWS_PROFILE or --profile, sign in again, and check this machine's clock"
