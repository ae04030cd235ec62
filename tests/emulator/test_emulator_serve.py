"""The server as a process: start, signals, ports; and the AWS CLI, unmodified, against it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from quota_engine.emulator import PortUnavailable, Settings, running, serve
from tests.conftest import Emulator
from tests.emulator.resources import make_blog_queue, payload

ROOT = Path(__file__).resolve().parent.parent.parent

SERVE = """
import sys
from quota_engine.emulator import Settings, serve
serve(Settings(port=int(sys.argv[1])), lambda url: print(url, flush=True))
print("gone", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_cleanly(number: signal.Signals) -> None:
    """Exit code 0, nothing on stderr, the port free; clients that are connected don't hold it up."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    url = process.stdout.readline().strip()
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        process.send_signal(number)
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (0, "gone\n", "")
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_a_port_in_use_is_said_with_its_number() -> None:
    """The command shows what, why and fix; a traceback would help nobody."""
    with running(Settings(port=0)) as first:
        with pytest.raises(PortUnavailable) as caught:
            serve(Settings(port=first.port))
        assert str(first.port) in caught.value.what
        assert "in use" in caught.value.why.lower()
        assert "--port" in caught.value.fix


@pytest.mark.parametrize("host", ["no.such.host.invalid", "999.1.1.1", "203.0.113.7"])
def test_a_host_that_is_not_ours_is_said(host: str) -> None:
    """Unknown names and addresses of other machines alike."""
    with pytest.raises(PortUnavailable) as caught, running(Settings(host=host, port=0)):
        pass
    assert host in caught.value.what
    assert caught.value.why


def test_port_zero_takes_any_free_one() -> None:
    """Two at once, each with its own world."""
    with running(Settings(port=0)) as first, running(Settings(port=0)) as second:
        assert first.port != second.port
        assert first.world.instance != second.world.instance


@pytest.mark.parametrize("settings", [{"speed": 0}, {"speed": -1}, {"scheduled_ms": -1}, {"stopping_ms": -5}])
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    """Before anything listens."""
    with pytest.raises(ValueError, match="emulator's"):
        Settings(**settings)


class Cli:
    """The AWS CLI in a process of its own, as a user types it."""

    def __init__(self, emulator: Emulator, home: Path) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        self.environment = {**kept, **emulator.environment(), "HOME": str(home), "AWS_PAGER": ""}

    def __call__(self, *arguments: str, fails: bool = False) -> Any:
        """Run `aws …`; return its parsed output, or its error text where it has to fail (254 or 255, by version)."""
        command = [sys.executable, "-m", "awscli", *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode in ((254, 255) if fails else (0,)), done.stderr
        if fails:
            return done.stderr.strip()
        return json.loads(done.stdout) if done.stdout.strip() else None


@pytest.fixture
def aws(emulator: Emulator, tmp_path: Path) -> Cli:
    return Cli(emulator, tmp_path)


def test_the_aws_cli_submits_lists_and_explains(emulator: Emulator, aws: Cli) -> None:
    """It finds the emulator by the usual variables, follows nextToken by itself, and prints our words."""
    make_blog_queue(emulator.client("batch"))
    for number in range(3):
        submitted = aws(
            "batch",
            "submit-service-job",
            f"--job-name=job-{number}",
            "--job-queue=training",
            "--quota-share-name=QS1",
            "--service-job-type=SAGEMAKER_TRAINING",
            f"--service-request-payload={payload()}",
            "--timeout-config=attemptDurationSeconds=3600",
        )
    job = submitted["jobId"]
    listed = aws(
        "batch", "list-service-jobs", "--job-queue=training", "--page-size=1", "--filters=name=JOB_NAME,values=job*"
    )
    assert [item["jobName"] for item in listed["jobSummaryList"]] == ["job-0", "job-1", "job-2"]
    snapshot = aws("batch", "get-job-queue-snapshot", "--job-queue=training")
    (front,) = snapshot["frontOfQuotaShares"]["quotaShares"]["QS1"]
    assert front["jobArn"].endswith(job)
    assert snapshot["queueUtilization"]["totalCapacityUsage"][0]["quantity"] == 2.0
    assert aws("batch", "terminate-service-job", f"--job-id={job}", "--reason=enough") in (None, {})
    assert aws("batch", "describe-service-job", f"--job-id={job}")["statusReason"] == "enough"
    error = aws("batch", "create-scheduling-policy", "--name=training-policy", fails=True)
    assert error.endswith(
        "An error occurred (ClientException) when calling the CreateSchedulingPolicy operation: Object already exists"
    )


def test_the_aws_cli_uses_cloud_control_and_sts(aws: Cli) -> None:
    """The same port for all three services."""
    assert aws("sts", "get-caller-identity")["Account"] == "123456789012"
    desired = json.dumps({"Name": "p", "QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}})
    made = aws(
        "cloudcontrol", "create-resource", "--type-name=AWS::Batch::SchedulingPolicy", f"--desired-state={desired}"
    )
    aws("cloudcontrol", "wait", "resource-request-success", f"--request-token={made['ProgressEvent']['RequestToken']}")
    found = aws("cloudcontrol", "list-resources", "--type-name=AWS::Batch::SchedulingPolicy")
    assert json.loads(found["ResourceDescriptions"][0]["Properties"])["Name"] == "p"


def test_the_command_plays_a_scenario_and_publishes(tmp_path: Path) -> None:
    """The options together, as in the documentation: a scenario in a hurry, its events on standard output."""
    scenario = ROOT / "scenarios" / "lend-and-borrow.yaml"
    command = [
        str(Path(sys.executable).with_name("quota-engine")),
        "serve",
        "--port",
        "0",
        "--speed",
        "100000",
        "--quiet",
    ]
    process = subprocess.Popen(
        [*command, "--seed", str(scenario), "--events", "-"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        events = (json.loads(line) for line in process.stdout if line.startswith("{"))
        preemptions = (event for event in events if event["detail-type"].endswith("Preemption Started"))
        reasons = [event["detail"]["statusReason"] for event in islice(preemptions, 2)]
    finally:
        process.terminate()
        process.wait()
    assert ["ross-share" in reason for reason in reasons] == [True, False]


def test_a_seed_brings_its_own_declaration() -> None:
    """Two declarations at once can't be meant."""
    command = [str(Path(sys.executable).with_name("quota-engine")), "serve", "--stack", "dev", "--seed"]
    done = subprocess.run([*command, str(ROOT / "scenarios" / "lend-and-borrow.yaml")], capture_output=True, text=True)
    assert done.returncode == 2
    assert "leave out --stack" in done.stderr
