"""How long the Pulumi program takes: 20 queues with 20 shares each, on the emulator, by the real engine.

    python benchmarks/program.py [--queues 20] [--shares 20]

Measures load, validate and build of the declaration; then preview, up, an up that changes nothing, and refresh, of this
project's program and of a plain program that declares the same resources, in the same run. Checkpoints are written at
the end only, so that the programs are compared and not the backend. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import pulumi  # noqa: E402
import pulumi_aws_native  # noqa: E402
from pulumi_aws_native import batch  # noqa: E402

from quota_engine.emulator.server import running  # noqa: E402
from quota_engine.emulator.settings import ClockKind, Settings  # noqa: E402
from quota_engine.local import workspace  # noqa: E402
from quota_engine.local.workspace import Target  # noqa: E402
from quota_engine.model.stack import Stack  # noqa: E402
from quota_engine.program import declare  # noqa: E402
from quota_engine.program.settings import provider_arguments  # noqa: E402

OPERATIONS = ("preview", "up", "up, no change", "refresh")


def declaration(queues: int, shares: int) -> str:
    """Return the text of a declaration of that size."""
    lines = ["kind: stack", "version: 1", "name: large", "region: us-west-2", "scheduling_policies: {fifo: {}}"]
    lines.append("service_environments:")
    lines += [f"  gpu-{queue:02}: {{capacity_limits: {{ml.g5.xlarge: {shares}}}}}" for queue in range(queues)]
    lines.append("job_queues:")
    for queue in range(queues):
        lines += [f"  queue-{queue:02}:", f"    service_environment: gpu-{queue:02}", "    scheduling_policy: fifo"]
        lines.append("    quota_shares:")
        for share in range(shares):
            sharing = "{strategy: LEND_AND_BORROW, borrow_limit: 50}"
            lines.append(f"      share-{share:02}:")
            lines.append(f"        {{capacity_limits: {{ml.g5.xlarge: 1}}, resource_sharing: {sharing}}}")
    return "\n".join(lines) + "\n"


def plain(stack: Stack) -> None:
    """Declare the same resources as somebody would who has no components, gates or outputs."""
    provider = pulumi_aws_native.Provider("aws-native", **provider_arguments(stack, pulumi.Config("aws-native")))
    opts = pulumi.ResourceOptions(provider=provider)
    policy = batch.SchedulingPolicy(
        "fifo", name="fifo", quota_share_policy={"idle_resource_assignment_strategy": "FIFO"}, opts=opts
    )
    for queue in stack.job_queues.values():
        environment = stack.service_environments[queue.service_environments[0]]
        pool = batch.ServiceEnvironment(
            environment.name,
            service_environment_name=environment.name,
            service_environment_type="SAGEMAKER_TRAINING",
            capacity_limits=limits(environment.capacity_limits),
            state="ENABLED",
            opts=opts,
        )
        made = batch.JobQueue(
            queue.name,
            job_queue_name=queue.name,
            job_queue_type="SAGEMAKER_TRAINING",
            priority=1,
            state="ENABLED",
            service_environment_order=[{"order": 1, "service_environment": pool.service_environment_arn}],
            scheduling_policy_arn=policy.arn,
            opts=opts,
        )
        for share in queue.quota_shares.values():
            batch.QuotaShare(
                f"{queue.name}.{share.name}",
                quota_share_name=share.name,
                job_queue=made.job_queue_arn,
                capacity_limits=limits(share.capacity_limits),
                resource_sharing_configuration={"strategy": share.strategy.value, "borrow_limit": 50},
                preemption_configuration={"in_share_preemption": "DISABLED"},
                state="ENABLED",
                opts=opts,
            )


def limits(capacity: Any) -> list[Any]:
    return [{"capacity_unit": unit, "max_capacity": count} for unit, count in capacity.items()]


def seconds(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def measure(stack: Stack, file: Path | None) -> list[float]:
    """Return how long each operation takes on an emulator of its own."""
    with running(Settings(port=0, region=stack.region, clock=ClockKind.MANUAL)) as emulator:
        target = Target(stack, "large", emulator.url, file=file)
        steps = (workspace.preview, workspace.up, workspace.up, workspace.refresh)
        return [seconds(functools.partial(step, target)) for step in steps]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--queues", type=int, default=20)
    parser.add_argument("--shares", type=int, default=20)
    size = parser.parse_args()
    program = workspace._program
    variables = workspace._variables
    fast = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}
    workspace._variables = lambda *given: {**variables(*given), **fast}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        file = Path(folder) / "large.yaml"
        file.write_text(declaration(size.queues, size.shares))
        built = min(seconds(lambda: declare(file)) for _ in range(3))
        stack, _ = declare(file)
        measure(Stack("warm-up", "us-west-2"), None)
        workspace._program = lambda target: plain(target.declaration)
        bare = measure(stack, None)
        workspace._program = program
        ours = measure(stack, file)
    print(f"{size.queues} queues with {size.shares} shares each; load, validate and build: {built:.2f} s\n")
    print("| operation | this program | plain program | ratio |\n|---|---|---|---|")
    for name, mine, theirs in zip(OPERATIONS, ours, bare, strict=True):
        print(f"| {name} | {mine:.1f} s | {theirs:.1f} s | {mine / theirs:.2f} |")


if __name__ == "__main__":
    main()
