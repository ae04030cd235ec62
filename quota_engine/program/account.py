"""Who the deployment is: a boto3 session with the `aws-native:` settings of the stack, for gates that look at Batch.

The region is the caller's, everything else is the provider's own: profile, keys, role, endpoints. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import boto3
import pulumi
from botocore.session import Session
from pulumi.runtime.config import get_config

_SESSION_NAME = "quota-engine"


class _Directed(Session):
    """A session whose clients speak to the endpoints given by service, and to AWS's own for every other service."""

    def __init__(self, endpoints: Mapping[str, str], profile: str | None = None) -> None:
        super().__init__(profile=profile)
        self._endpoints = endpoints

    def create_client(self, service_name: str, *arguments: Any, **options: Any) -> Any:
        options["endpoint_url"] = options.get("endpoint_url") or self._endpoints.get(service_name)
        return super().create_client(service_name, *arguments, **options)


def deployment_session(region: str, account: str | None) -> boto3.Session:
    """Return a session as the deployment's provider would have it.

    Where Cloud Control is led to an address that is not AWS's own, so are Batch and STS: a stand-in for the one stands
    in for all, and takes `account` for a key. Raises BotoCoreError, ClientError where profile or role can't be had.
    """
    native = pulumi.Config("aws-native")
    endpoints = native.get_object("endpoints") or {}
    stand_in = None if _is_of_aws(endpoints.get("cloudcontrol")) else endpoints.get("cloudcontrol")
    batch, sts = endpoints.get("batch") or stand_in, endpoints.get("sts") or stand_in
    directed = {name: url for name, url in (("batch", batch), ("sts", sts)) if url}
    key, secret = get_config("aws-native:accessKey"), get_config("aws-native:secretKey")
    if batch and not key and account:
        key, secret = account, account
    own = _Directed(directed, native.get("profile") or None)
    if native.get("sharedCredentialsFile"):
        own.set_config_variable("credentials_file", native.get("sharedCredentialsFile"))
    session = boto3.Session(
        botocore_session=own,
        region_name=region,
        aws_access_key_id=key or None,
        aws_secret_access_key=secret or None,
        aws_session_token=get_config("aws-native:token") or None,
    )
    role = native.get_object("assumeRole") or {"roleArn": native.get("roleArn")}
    return _assumed(session, directed, role) if role.get("roleArn") and not stand_in else session


def _is_of_aws(endpoint: str | None) -> bool:
    """Whether an endpoint is of AWS itself, such as that of a VPC: it serves one service only."""
    host = urlsplit(endpoint or "").hostname or ""
    return host.endswith((".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".api.amazonwebservices.com.cn"))


def _assumed(session: boto3.Session, endpoints: Mapping[str, str], role: Mapping[str, Any]) -> boto3.Session:
    """Return a session in the role that the deployment assumes, named as the provider's settings name it."""
    asked: dict[str, Any] = {
        "RoleArn": role["roleArn"],
        "RoleSessionName": role.get("sessionName") or _SESSION_NAME,
        "ExternalId": role.get("externalId"),
        "DurationSeconds": role.get("durationSeconds"),
        "Policy": role.get("policy"),
        "PolicyArns": [{"arn": arn} for arn in role.get("policyArns") or ()],
        "Tags": [{"Key": key, "Value": value} for key, value in (role.get("tags") or {}).items()],
        "TransitiveTagKeys": role.get("transitiveTagKeys"),
    }
    sts: Any = session.client("sts")
    taken = sts.assume_role(**{name: value for name, value in asked.items() if value})["Credentials"]
    return boto3.Session(
        botocore_session=_Directed(endpoints),
        aws_access_key_id=taken["AccessKeyId"],
        aws_secret_access_key=taken["SecretAccessKey"],
        aws_session_token=taken["SessionToken"],
        region_name=session.region_name,
    )
