"""The stack's `aws-native:` and `aws:` settings → arguments of the explicit providers this program deploys with.

Pulumi hands a stack's settings to its default providers only; explicit ones, which the declaration's region and account
call for, have to be given them. A setting that would contradict the declaration stops the program.
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
    _check(stack, config)
    arguments: dict[str, Any] = {"region": stack.region}
    for setting, argument in _TEXT.items():
        arguments[argument] = config.get(setting)
    for setting, argument in _SECRET.items():
        arguments[argument] = config.get_secret(setting)
    for setting, argument in _STRUCTURED.items():
        arguments[argument] = config.get_object(setting)
    arguments.update(_account_guard(stack, arguments))
    return {argument: value for argument, value in arguments.items() if value is not None}


def aws_arguments(stack: Stack, native: pulumi.Config, config: pulumi.Config) -> dict[str, Any]:
    """Return the keyword arguments for `aws.Provider`, which deploys what stands around the queues.

    Who to be is taken from `aws:` settings, else from those of `aws-native:`, so that it needs saying once. Raises
    SettingsContradict.
    """
    _check(stack, config)
    arguments: dict[str, Any] = {
        "region": stack.region,
        "profile": config.get("profile") or native.get("profile"),
        "assume_roles": config.get_object("assumeRoles") or _assumed_roles(native),
        "max_retries": config.get_int("maxRetries"),
        "endpoints": config.get_object("endpoints"),
        "allowed_account_ids": [stack.account] if stack.account else config.get_object("allowedAccountIds"),
        "skip_credentials_validation": config.get_bool("skipCredentialsValidation"),
        "skip_metadata_api_check": config.get_bool("skipMetadataApiCheck"),
    }
    for setting, argument in _SECRET.items():
        arguments[argument] = config.get_secret(setting) or native.get_secret(setting)
    return {argument: value for argument, value in arguments.items() if value is not None}


def is_redirected(config: pulumi.Config) -> bool:
    """Say whether the `aws-native:` settings lead Cloud Control to another address than AWS's."""
    endpoints = config.get_object("endpoints")
    return isinstance(endpoints, dict) and "cloudcontrol" in endpoints


def _assumed_roles(native: pulumi.Config) -> list[dict[str, Any]] | None:
    """Return the role of aws-native's `assumeRole` or `roleArn` as the list that pulumi-aws takes."""
    role = native.get_object("assumeRole")
    if isinstance(role, dict):
        return [role]
    arn = native.get("roleArn")
    return [{"roleArn": arn}] if arn else None


def _check(stack: Stack, config: pulumi.Config) -> None:
    """Refuse another region than the declared one, and tags that the declaration doesn't state."""
    region = config.get("region")
    if region is not None and region != stack.region:
        setting = f"{config.name}:region"
        raise SettingsContradict(
            f"the declaration says region {stack.region}, Pulumi's settings say {setting} {region}\n"
            "  why: a deployment into the wrong region would create everything anew there\n"
            f"  fix: pulumi config set {setting} {stack.region}, or change `region:` in the declaration"
        )
    if config.get("defaultTags") is not None:
        setting = f"{config.name}:defaultTags"
        raise SettingsContradict(
            f"{setting} would add tags that the declaration doesn't state, and drift would report them\n"
            "  fix: move them to `tags:` at the top of the declaration"
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
