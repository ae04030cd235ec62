"""Sessions that assume an IAM role, as a profile with `role_arn` does, for a role named by the caller."""

from __future__ import annotations

from functools import partial
from typing import Any

import boto3
from botocore.credentials import AssumeRoleCredentialFetcher, CredentialProvider, DeferredRefreshableCredentials
from botocore.exceptions import NoCredentialsError
from botocore.session import Session

SESSION_NAME = "quota-engine"
"""Shown in CloudTrail beside the role."""
_STS_REGION = "us-east-1"
"""Where STS is asked when the surroundings name no region; a role's credentials are good in every region."""


class _AssumedRole(CredentialProvider):
    """Gives a botocore session the credentials of one role, fetched when they are first needed."""

    METHOD = "quota-engine-assume-role"
    CANONICAL_NAME = None

    def __init__(self, fetcher: Any) -> None:
        super().__init__()
        self._fetcher = fetcher

    def load(self) -> Any:
        return DeferredRefreshableCredentials(self._fetcher.fetch_credentials, self.METHOD)


def assuming(role_arn: str, profile: str | None) -> boto3.Session:
    """Return a session with the role's credentials, assumed with those of the surroundings or the profile.

    Raises BotoCoreError where there are none to begin with.
    """
    own = Session(profile=profile)
    credentials = own.get_credentials()
    if credentials is None:
        raise NoCredentialsError
    region = own.get_config_variable("region") or _STS_REGION
    fetcher = AssumeRoleCredentialFetcher(
        client_creator=partial(own.create_client, region_name=region),
        source_credentials=credentials,
        role_arn=role_arn,
        extra_args={"RoleSessionName": SESSION_NAME},
    )
    session = Session(profile=profile)
    session.get_component("credential_provider").providers.insert(0, _AssumedRole(fetcher))
    return boto3.Session(botocore_session=session)
