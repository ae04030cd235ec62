"""How long validation takes as a whole process, beside other tools in the same run.

    python benchmarks/validate.py [RUNS]

Every command runs RUNS times (default 9) in turn; shown are the least wall-clock time, the least processor time and the
most memory. The large stack has 50 queues with 20 shares each, about 12,000 lines; half of it shows how cost grows.
check-jsonschema judges stacks/dev.yaml by its JSON Schema alone, cfn-lint the equivalent CloudFormation template; both
come with the extra `bench`, and are left out where they are not installed, which is said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from quota_engine.config import load_stack  # noqa: E402
from quota_engine.model import shapes  # noqa: E402
from quota_engine.model.arns import Scope  # noqa: E402
from quota_engine.model.stack import Stack  # noqa: E402

BIN = Path(sys.executable).parent
SCOPE = Scope("123456789012", "us-west-2")
KIBIBYTES = 1 if sys.platform != "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took."""

    wall_seconds: float
    cpu_seconds: float
    mebibytes: float


def large_stack(queues: int, shares: int) -> str:
    """Return a valid declaration without findings, written as a person would write it."""
    lines = ["kind: stack", "version: 1", "name: large", "region: us-west-2", "service_environments:"]
    for queue in range(queues):
        lines += [f"  gpu-{queue}:", "    capacity_limits:", f"      ml.g5.xlarge: {shares * 2}"]
        lines += [f"      ml.p5.48xlarge: {shares}"]
    lines += ["scheduling_policies:", "  quota-fifo: {}", "job_queues:"]
    for queue in range(queues):
        lines += [
            f"  queue-{queue}:",
            f"    service_environment: gpu-{queue}",
            "    scheduling_policy: quota-fifo",
            "    job_state_time_limit_actions:",
            '      - {reason: "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", max_time: 1h}',
            '      - {reason: "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE", max_time: 1h}',
            "    quota_shares:",
        ]
        for share in range(shares):
            lines += [
                f"      share-{share}:",
                "        capacity_limits:",
                "          ml.g5.xlarge: 2",
                "          ml.p5.48xlarge: 1",
                "        resource_sharing:",
                "          strategy: LEND_AND_BORROW",
                "          borrow_limit: 100",
                "        preemption:",
                "          in_share: ENABLED",
                "        tags:",
                f"          team: team-{share}",
            ]
    return "\n".join(lines) + "\n"


def template(stack: Stack) -> str:
    """Return the stack as a CloudFormation template, which names resources by their logical ids."""
    resources: dict[str, object] = {}

    def add(kind: str, name: str, detail: dict[str, object]) -> None:
        logical = "".join(letter for letter in f"{kind}{name}" if letter.isalnum())
        properties = shapes.to_cloudformation(kind, detail)
        resources[logical] = {"Type": f"AWS::Batch::{kind}", "Properties": properties}

    for environment in stack.service_environments.values():
        add("ServiceEnvironment", environment.name, shapes.environment_to_api(environment))
    for policy in stack.scheduling_policies.values():
        add("SchedulingPolicy", policy.name, shapes.policy_to_api(policy))
    for queue, share in stack.shares():
        add("QuotaShare", f"{queue.name}{share.name}", shapes.share_to_api(share, SCOPE.job_queue(queue.name)))
    for queue in stack.job_queues.values():
        add("JobQueue", queue.name, shapes.queue_to_api(queue, SCOPE))
    return json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}, indent=2)


def run_once(command: list[str]) -> Cost:
    """Run a command to its end in a process of its own; what it says goes nowhere."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * KIBIBYTES / 1024)


def measure(commands: dict[str, list[str]], runs: int) -> dict[str, Cost]:
    """Run all commands in turn, `runs` times, so that what else the machine does meets each of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            costs[name].append(run_once(command))
    return {
        name: Cost(
            min(one.wall_seconds for one in all_),
            min(one.cpu_seconds for one in all_),
            max(one.mebibytes for one in all_),
        )
        for name, all_ in costs.items()
    }


def commands(folder: Path) -> dict[str, list[str]]:
    """Write the inputs into a folder; return the commands to compare, those that are installed."""
    ours = str(BIN / "quota-engine")
    dev = "stacks/dev.yaml"
    for name, queues in (("large", 50), ("half", 25)):
        (folder / f"{name}.yaml").write_text(large_stack(queues, 20), encoding="utf-8")
    stack = load_stack(ROOT / dev).value
    assert stack is not None
    (folder / "template.json").write_text(template(stack), encoding="utf-8")
    schema = "quota_engine/config/schemas/stack.schema.json"
    wanted = {
        "python -c 'import click'": [sys.executable, "-c", "import click"],
        "quota-engine --help": [ours, "--help"],
        f"quota-engine validate {dev}": [ours, "validate", dev],
        f"check-jsonschema, {dev}": [str(BIN / "check-jsonschema"), "--schemafile", schema, dev],
        "cfn-lint, the same as a template": [str(BIN / "cfn-lint"), str(folder / "template.json")],
        "quota-engine validate, 500 shares": [ours, "validate", str(folder / "half.yaml")],
        "quota-engine validate, 1,000 shares": [ours, "validate", str(folder / "large.yaml")],
    }
    for name in [name for name, command in wanted.items() if not Path(command[0]).exists()]:
        print(f"left out, not installed: {name}", file=sys.stderr)
        del wanted[name]
    return wanted


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        costs = measure(commands(Path(folder)), runs)
    print("| whole process | wall s | CPU s | MiB |\n|---|---:|---:|---:|")
    for name, cost in costs.items():
        print(f"| {name} | {cost.wall_seconds:.3f} | {cost.cpu_seconds:.3f} | {cost.mebibytes:.0f} |")


if __name__ == "__main__":
    main()
