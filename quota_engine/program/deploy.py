"""The whole Pulumi program: provider, resources, outputs. `__main__.py` and `local` both end here."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pulumi_aws
import pulumi_aws_native

from quota_engine.model.diagnostic import Severity
from quota_engine.model.stack import Stack

from .around import AroundQueues
from .components import QuotaManagedStack
from .declaration import as_text, declare
from .gates import open_gates
from .settings import aws_arguments, is_redirected, provider_arguments


def run(path: Path) -> QuotaManagedStack:
    """Deploy the declaration at `path`, showing its warnings. Raises RunError when it can't be, or a gate is closed."""
    stack, findings = declare(path)
    warnings = [finding for finding in findings if finding.severity is Severity.WARNING]
    if warnings:
        pulumi.log.warn(as_text(warnings))
    open_gates(stack, path)
    return deploy(stack)


def deploy(stack: Stack, *, with_around: bool = True) -> QuotaManagedStack:
    """Register every resource of `stack` with the running engine and export its outputs.

    What is declared around the queues is left out, with a warning, where Cloud Control is redirected and nothing else
    is: it would be created on AWS for queues that exist on an emulator. `with_around` False leaves it out silently.
    """
    config = pulumi.Config("aws-native")
    provider = pulumi_aws_native.Provider("aws-native", **provider_arguments(stack, config))
    deployed = QuotaManagedStack(stack.name, stack, pulumi.ResourceOptions(providers=[provider]))
    outputs = dict(deployed.outputs)
    if with_around and stack.around.sections():
        if is_redirected(config):
            pulumi.log.warn(f"left out, as the endpoint is no account: {', '.join(stack.around.sections())}")
        else:
            outputs |= _around(stack, deployed, config).outputs
    for name, value in outputs.items():
        pulumi.export(name, value)
    return deployed


def _around(stack: Stack, deployed: QuotaManagedStack, native: pulumi.Config) -> AroundQueues:
    """Deploy what stands around the queues, with the same account, region and credentials."""
    provider = pulumi_aws.Provider("aws", **aws_arguments(stack, native, pulumi.Config("aws")))
    return AroundQueues(stack, deployed, pulumi.ResourceOptions(providers=[provider]))
