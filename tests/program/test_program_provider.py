"""The provider the program deploys with: the declaration's region and account, and the stack's settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pulumi import RunError

from quota_engine.model.stack import Stack
from quota_engine.program.settings import SettingsContradict

RunProgram = Callable[..., Any]
STACK = Stack("ml-training-dev", "us-west-2")
ENDPOINT = "http://127.0.0.1:4577"


def provider(run: RunProgram, stack: Stack, settings: dict[str, str] | None = None) -> dict[str, Any]:
    seen: dict[str, Any] = run(stack, settings).inputs("aws-native", "aws-native")
    return seen


def test_the_declarations_region_is_the_providers(run: RunProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    """The declaration is the truth; an AWS_REGION that happens to be set must not redirect a deployment."""
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert provider(run, STACK)["region"] == "us-west-2"


def test_another_region_in_the_settings_stops_the_program(run: RunProgram) -> None:
    """Deploying a declaration into another region would create everything anew there."""
    with pytest.raises(SettingsContradict, match=r"us-west-2.*eu-west-1") as caught:
        run(STACK, {"aws-native:region": "eu-west-1"})
    assert isinstance(caught.value, RunError), "Pulumi shows a RunError without a traceback"
    assert provider(run, STACK, {"aws-native:region": "us-west-2"})["region"] == "us-west-2"


def test_a_declared_account_is_the_only_one_allowed(run: RunProgram) -> None:
    """The SDK skips validation by default, and without validation the official provider doesn't look at the account."""
    seen = provider(run, replace(STACK, account="123456789012"))
    assert json.loads(seen["allowedAccountIds"]) == ["123456789012"]
    assert seen["skipCredentialsValidation"] == "false"


def test_no_declared_account_allows_any(run: RunProgram) -> None:
    """`account` is optional."""
    assert "allowedAccountIds" not in provider(run, STACK)


def test_settings_that_forbid_the_declared_account_stop_the_program(run: RunProgram) -> None:
    """Two statements about the account that exclude each other: one of them is a mistake."""
    with pytest.raises(SettingsContradict, match="123456789012"):
        run(replace(STACK, account="123456789012"), {"aws-native:allowedAccountIds": '["210987654321"]'})


def test_the_account_is_not_looked_up_where_sts_is_not_redirected_with_cloud_control(run: RunProgram) -> None:
    """Asking AWS who one is says nothing about an emulator, and would fail with made-up keys."""
    stack = replace(STACK, account="123456789012")
    alone = {"aws-native:endpoints": json.dumps({"cloudcontrol": ENDPOINT})}
    both = {"aws-native:endpoints": json.dumps({"cloudcontrol": ENDPOINT, "sts": ENDPOINT})}
    assert provider(run, stack, alone)["skipCredentialsValidation"] == "true"
    assert provider(run, stack, both)["skipCredentialsValidation"] == "false"


def test_the_stacks_settings_reach_the_provider(run: RunProgram) -> None:
    """Pulumi gives a stack's settings to its default provider only; ours must be given them all the same."""
    seen = provider(
        run,
        STACK,
        {
            "aws-native:endpoints": json.dumps({"cloudcontrol": ENDPOINT}),
            "aws-native:skipCredentialsValidation": "true",
            "aws-native:skipMetadataApiCheck": "true",
            "aws-native:accessKey": "123456789012",
            "aws-native:secretKey": "x",
            "aws-native:profile": "ml",
            "aws-native:maxRetries": "3",
            "aws-native:assumeRole": json.dumps({"roleArn": "arn:aws:iam::123456789012:role/deploy"}),
        },
    )
    assert json.loads(seen["endpoints"]) == {"cloudcontrol": ENDPOINT}
    assert json.loads(seen["assumeRole"]) == {"roleArn": "arn:aws:iam::123456789012:role/deploy"}
    assert (seen["profile"], seen["maxRetries"]) == ("ml", "3")
    assert seen["skipCredentialsValidation"] == seen["skipMetadataApiCheck"] == "true"
    assert "accessKey" in seen
    assert "secretKey" in seen


def test_default_tags_in_the_settings_stop_the_program(run: RunProgram) -> None:
    """No tag is added that the declaration doesn't state: drift would report each one."""
    with pytest.raises(SettingsContradict, match="tags:"):
        run(STACK, {"aws-native:defaultTags": '{"tags": {"a": "b"}}'})
