"""The whole Pulumi program: provider, resources, outputs. `__main__.py` and `local` both end here."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pulumi_aws_native

from quota_engine.model.diagnostic import Severity
from quota_engine.model.stack import Stack

from .components import QuotaManagedStack
from .declaration import as_text, declare
from .settings import provider_arguments


def run(path: Path) -> QuotaManagedStack:
    """Deploy the declaration at `path`, showing its warnings. Raises pulumi.RunError when it can't be deployed."""
    stack, findings = declare(path)
    warnings = [finding for finding in findings if finding.severity is Severity.WARNING]
    if warnings:
        pulumi.log.warn(as_text(warnings))
    return deploy(stack)


def deploy(stack: Stack) -> QuotaManagedStack:
    """Register every resource of `stack` with the running engine and export its outputs."""
    if stack.around.sections():
        names = ", ".join(stack.around.sections())
        pulumi.log.warn(f"only quota management is deployed, not what is declared around it: {names}")
    provider = pulumi_aws_native.Provider("aws-native", **provider_arguments(stack, pulumi.Config("aws-native")))
    deployed = QuotaManagedStack(stack.name, stack, pulumi.ResourceOptions(providers=[provider]))
    for name, value in deployed.outputs.items():
        pulumi.export(name, value)
    return deployed
