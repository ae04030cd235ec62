"""The stack's `aws-native:` settings → arguments of the explicit provider this program deploys with.

Pulumi hands a stack's settings to its default provider only; an explicit one, which the declaration's region and
account call for, has to be given them. A setting that would contradict the declaration stops the program.
"""

from __future__ import annotations

from typing import Any

import pulumi

from quota_engine.model.stack import Stack

_TEXT = {"profile": "profile", "roleArn": "role_arn", "sharedCredentialsFile": "shared_credentials_file"}
_SECRET = {"accessKey": "access_key", "secretKey": "secret_key", "token": "token"}
_STRUCTURED = {
    "allowedAccountIds": "allowed_account_ids",
    "assumeRole": "assume_role",
    "endpoints": "endpoints",
    "forbiddenAccountIds": "forbidden_account_ids",
    "ignoreTags": "ignore_tags",
    "insecure": "insecure",
    "maxRetries": "max_retries",
    "skipCredentialsValidation": "skip_credentials_validation",
    "skipGetEc2Platforms": "skip_get_ec2_platforms",
    "skipMetadataApiCheck": "skip_metadata_api_check",
    "skipRegionValidation": "skip_region_validation",
    "skipRequestingAccountId": "skip_requesting_account_id",
}


class SettingsContradict(pulumi.RunError):
    """Pulumi's settings for this stack and its declaration don't go together."""


def provider_arguments(stack: Stack, config: pulumi.Config) -> dict[str, Any]:
    """Return the keyword arguments for `aws_native.Provider`. Raises SettingsContradict."""
    _check_region(stack, config)
    if config.get("defaultTags") is not None:
        raise SettingsContradict(
            "aws-native:defaultTags would add tags that the declaration doesn't state, and drift would report them\n"
            "  fix: move them to `tags:` at the top of the declaration"
        )
    arguments: dict[str, Any] = {"region": stack.region}
    for setting, argument in _TEXT.items():
        arguments[argument] = config.get(setting)
    for setting, argument in _SECRET.items():
        arguments[argument] = config.get_secret(setting)
    for setting, argument in _STRUCTURED.items():
        arguments[argument] = config.get_object(setting)
    arguments.update(_account_guard(stack, arguments))
    return {argument: value for argument, value in arguments.items() if value is not None}


def _check_region(stack: Stack, config: pulumi.Config) -> None:
    region = config.get("region")
    if region is not None and region != stack.region:
        raise SettingsContradict(
            f"the declaration says region {stack.region}, Pulumi's settings say aws-native:region {region}\n"
            "  why: a deployment into the wrong region would create everything anew there\n"
            f"  fix: pulumi config set aws-native:region {stack.region}, or change `region:` in the declaration"
        )


def _account_guard(stack: Stack, arguments: dict[str, Any]) -> dict[str, Any]:
    """Let the provider refuse every account but the declared one.

    It looks at the account only where credentials are validated, which this SDK skips by default. With Cloud Control
    redirected but STS not, the account that AWS would name is not the one that is deployed to, so nothing is checked.
    """
    if stack.account is None:
        return {}
    allowed = arguments.get("allowed_account_ids")
    if allowed is not None and stack.account not in allowed:
        raise SettingsContradict(
            f"the declaration says account {stack.account}, aws-native:allowedAccountIds doesn't list it\n"
            "  fix: add it there, or change `account:` in the declaration"
        )
    endpoints = arguments.get("endpoints") or {}
    is_redirected = "cloudcontrol" in endpoints and "sts" not in endpoints
    if is_redirected:
        return {"allowed_account_ids": [stack.account]}
    return {"allowed_account_ids": [stack.account], "skip_credentials_validation": False}
