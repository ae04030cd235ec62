"""The AWS CLI, unmodified, against the emulator: as a user types it, and every operation there is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from quota_engine.emulator import LifecycleDelays
from quota_engine.emulator.cloudcontrol.operations import CLOUD_CONTROL
from quota_engine.emulator.operations import BATCH
from tests.conftest import ACCOUNT, REGION, Emulator, StartEmulator
from tests.emulator.resources import make_blog_queue, payload

ARNS = f"arn:aws:batch:{REGION}:{ACCOUNT}"
POLICY = f"{ARNS}:scheduling-policy/fifo"
QUEUE = f"{ARNS}:job-queue/training"
SHARE = f"{QUEUE}/quota-share/QS1"
FIFO = "idleResourceAssignmentStrategy=FIFO"
ORDER = "order=1,serviceEnvironment=gpu"
GPU = {"serviceEnvironmentName": "gpu"}

BATCH_SESSION = [
    ("create-scheduling-policy", {"name": "fifo", "quota-share-policy": FIFO}, {"arn": POLICY}),
    ("list-scheduling-policies", {}, {"schedulingPolicies": [{"arn": POLICY}]}),
    ("describe-scheduling-policies", {"arns": POLICY}, {"schedulingPolicies": [{"name": "fifo"}]}),
    ("update-scheduling-policy", {"arn": POLICY, "quota-share-policy": FIFO}, {}),
    (
        "create-service-environment",
        {
            "service-environment-name": "gpu",
            "service-environment-type": "SAGEMAKER_TRAINING",
            "capacity-limits": "maxCapacity=1,capacityUnit=ml.g5.xlarge",
        },
        GPU,
    ),
    (
        "update-service-environment",
        {"service-environment": "gpu", "capacity-limits": "maxCapacity=2,capacityUnit=ml.g5.xlarge"},
        GPU,
    ),
    (
        "describe-service-environments",
        {"service-environments": "gpu"},
        {"serviceEnvironments": [{"capacityLimits": [{"maxCapacity": 2}], "state": "ENABLED"}]},
    ),
    (
        "create-job-queue",
        {
            "job-queue-name": "training",
            "priority": "1",
            "job-queue-type": "SAGEMAKER_TRAINING",
            "scheduling-policy-arn": POLICY,
            "service-environment-order": ORDER,
        },
        {"jobQueueArn": QUEUE},
    ),
    ("update-job-queue", {"job-queue": "training", "priority": "7"}, {"jobQueueName": "training"}),
    ("describe-job-queues", {"job-queues": "training"}, {"jobQueues": [{"priority": 7, "status": "VALID"}]}),
    (
        "create-quota-share",
        {
            "quota-share-name": "QS1",
            "job-queue": "training",
            "capacity-limits": "maxCapacity=1,capacityUnit=ml.g5.xlarge",
            "resource-sharing-configuration": "strategy=LEND_AND_BORROW,borrowLimit=100",
            "preemption-configuration": "inSharePreemption=DISABLED",
        },
        {"quotaShareArn": SHARE},
    ),
    (
        "update-quota-share",
        {"quota-share-arn": SHARE, "preemption-configuration": "inSharePreemption=ENABLED"},
        {"quotaShareName": "QS1"},
    ),
    (
        "describe-quota-share",
        {"quota-share-arn": SHARE},
        {"resourceSharingConfiguration": {"borrowLimit": 100}, "state": "ENABLED"},
    ),
    ("list-quota-shares", {"job-queue": "training"}, {"quotaShares": [{"quotaShareName": "QS1"}]}),
    ("tag-resource", {"resource-arn": SHARE, "tags": "team=research,stage=dev"}, {}),
    ("untag-resource", {"resource-arn": SHARE, "tag-keys": "stage"}, {}),
    ("list-tags-for-resource", {"resource-arn": SHARE}, {"tags": {"team": "research"}}),
    (
        "submit-service-job",
        {
            "job-name": "job",
            "job-queue": "training",
            "quota-share-name": "QS1",
            "service-job-type": "SAGEMAKER_TRAINING",
            "service-request-payload": payload(),
            "scheduling-priority": "3",
        },
        {"jobName": "job"},
    ),
    ("update-service-job", {"job-id": "{job}", "scheduling-priority": "9"}, {"jobName": "job"}),
    (
        "describe-service-job",
        {"job-id": "{job}"},
        {"status": "RUNNING", "schedulingPriority": 9, "quotaShareName": "QS1"},
    ),
    (
        "list-service-jobs",
        {"job-queue": "training", "job-status": "RUNNING"},
        {"jobSummaryList": [{"jobName": "job", "capacityUsage": [{"quantity": 1.0}]}]},
    ),
    ("get-job-queue-snapshot", {"job-queue": "training"}, {"frontOfQuotaShares": {"quotaShares": {"QS1": []}}}),
    ("terminate-service-job", {"job-id": "{job}", "reason": "enough"}, {}),
    ("update-quota-share", {"quota-share-arn": SHARE, "state": "DISABLED"}, {"quotaShareArn": SHARE}),
    ("delete-quota-share", {"quota-share-arn": SHARE}, {}),
    ("update-job-queue", {"job-queue": QUEUE, "state": "DISABLED"}, {"jobQueueArn": QUEUE}),
    ("delete-job-queue", {"job-queue": "training"}, {}),
    ("describe-job-queues", {"job-queues": "training"}, {"jobQueues": [{"status": "DELETING"}]}),
    ("describe-job-queues", {"job-queues": "training"}, {"jobQueues": []}),
    ("update-service-environment", {"service-environment": "gpu", "state": "DISABLED"}, GPU),
    ("delete-service-environment", {"service-environment": "gpu"}, {}),
    ("describe-service-environments", {}, {"serviceEnvironments": []}),
    ("delete-scheduling-policy", {"arn": POLICY}, {}),
    ("list-scheduling-policies", {}, {"schedulingPolicies": []}),
]
"""From nothing to a job and back to nothing: command, options, and what the answer has to hold."""

Cli = Callable[..., Any]


def holds(answer: Any, wanted: Any) -> bool:
    """Tell whether an answer holds what is wanted: maps may hold more, lists not."""
    if isinstance(wanted, dict) and wanted:
        return isinstance(answer, dict) and all(holds(answer.get(key), inner) for key, inner in wanted.items())
    if isinstance(wanted, list):
        return isinstance(answer, list) and len(answer) == len(wanted) and all(map(holds, answer, wanted))
    return bool(answer == wanted)


def operation_of(command: str) -> str:
    return "".join(map(str.capitalize, command.split("-")))


def environment(emulator: Emulator, home: Path) -> dict[str, str]:
    """Return the variables of a user who has only this emulator."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, **emulator.environment(), "HOME": str(home), "AWS_PAGER": ""}


@pytest.fixture
def typed(emulator: Emulator, tmp_path: Path) -> Cli:
    """Run `aws …` in a process of its own; return its parsed output, or its error text where it has to fail."""

    def run(*arguments: str, fails: bool = False) -> Any:
        command = [sys.executable, "-m", "awscli", *arguments]
        variables = environment(emulator, tmp_path)
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode in ((254, 255) if fails else (0,)), done.stderr  # by version
        if fails:
            return done.stderr.strip()
        return json.loads(done.stdout) if done.stdout.strip() else None

    return run


WORKER = """
import contextlib, io, json, sys
from awscli.clidriver import create_clidriver

driver = create_clidriver()
print(json.dumps(driver.session.get_service_model("batch").operation_names), flush=True)
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = driver.main(json.loads(line))
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""
"""The same program for one command a line, which spares its second to start. It is a process of its own, as what it
changes of botocore would last for the tests that follow."""


@pytest.fixture
def known() -> set[str]:
    """Return the operations of Batch that the CLI knows, which has a botocore of its own; filled when it starts."""
    return set()


@pytest.fixture
def aws_of(tmp_path: Path, known: set[str]) -> Iterator[Callable[[Emulator], Cli]]:
    """Return a CLI that runs (service, command, options) and returns its parsed output."""
    with ExitStack() as stack:

        def make(emulator: Emulator) -> Cli:
            command = [sys.executable, "-c", WORKER]
            variables = environment(emulator, tmp_path)
            worker = subprocess.Popen(command, env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            stack.enter_context(worker)
            assert worker.stdout
            known.update(json.loads(worker.stdout.readline()))

            def run(service: str, command: str, options: dict[str, str]) -> Any:
                assert worker.stdin
                assert worker.stdout
                words = [service, command, *(f"--{name}={value}" for name, value in options.items())]
                print(json.dumps(words), file=worker.stdin, flush=True)
                code, out, err = json.loads(worker.stdout.readline())
                assert code == 0, err
                return json.loads(out) if out.strip() else {}

            return run

        yield make


def test_the_aws_cli_submits_lists_and_explains(emulator: Emulator, typed: Cli) -> None:
    """It finds the emulator by the usual variables, follows nextToken by itself, and prints our words."""
    make_blog_queue(emulator.client("batch"))
    for number in range(3):
        submitted = typed(
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
    listed = typed(
        "batch", "list-service-jobs", "--job-queue=training", "--page-size=1", "--filters=name=JOB_NAME,values=job*"
    )
    assert [item["jobName"] for item in listed["jobSummaryList"]] == ["job-0", "job-1", "job-2"]
    snapshot = typed("batch", "get-job-queue-snapshot", "--job-queue=training")
    (front,) = snapshot["frontOfQuotaShares"]["quotaShares"]["QS1"]
    assert front["jobArn"].endswith(job)
    assert snapshot["queueUtilization"]["totalCapacityUsage"][0]["quantity"] == 2.0
    assert typed("batch", "terminate-service-job", f"--job-id={job}", "--reason=enough") in (None, {})
    assert typed("batch", "describe-service-job", f"--job-id={job}")["statusReason"] == "enough"
    error = typed("batch", "create-scheduling-policy", "--name=training-policy", fails=True)
    assert error.endswith(
        "An error occurred (ClientException) when calling the CreateSchedulingPolicy operation: Object already exists"
    )


def test_the_aws_cli_gets_an_answer_for_every_operation_that_it_knows(
    aws_of: Callable[[Emulator], Cli], emulator: Emulator, known: set[str]
) -> None:
    """One session from nothing to a job and back to nothing, with an answer to judge for each command."""
    aws = aws_of(emulator)
    job = ""
    for command, options, wanted in BATCH_SESSION:
        answer = aws("batch", command, {name: value.replace("{job}", job) for name, value in options.items()})
        assert holds(answer, wanted), f"{command}: {answer}"
        job = answer.get("jobId", job)
    assert {operation_of(command) for command, _, _ in BATCH_SESSION} == set(BATCH) & known
    assert set(BATCH) - known <= {"TerminateServiceJobs"}, "what older versions of the CLI don't know"
    assert emulator.control("dump")["resources"] == 0


def test_the_aws_cli_knows_every_operation_of_cloud_control(
    aws_of: Callable[[Emulator], Cli], start_emulator: StartEmulator
) -> None:
    """Requests take their time, are followed by their token, and can be cancelled before they begin."""
    emulator = start_emulator(delays=LifecycleDelays(pending_ms=1_000))
    aws = aws_of(emulator)
    kind = {"type-name": "AWS::Batch::SchedulingPolicy"}
    used = set()

    def call(command: str, **options: str) -> Any:
        used.add(operation_of(command))
        return aws("cloudcontrol", command, {name.replace("_", "-"): value for name, value in options.items()})

    def create(name: str) -> str:
        wish = {"Name": name, "QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}}
        return str(call("create-resource", **kind, desired_state=json.dumps(wish))["ProgressEvent"]["RequestToken"])

    def settled(token: str) -> Any:
        emulator.advance(2_000)
        progress = call("get-resource-request-status", request_token=token)["ProgressEvent"]
        assert progress["OperationStatus"] == "SUCCESS"
        return progress

    cancelled = create("never")
    assert call("cancel-resource-request", request_token=cancelled)["ProgressEvent"]["OperationStatus"].startswith(
        "CANC"
    )
    named = {**kind, "identifier": settled(create("p"))["Identifier"]}
    found = call("list-resources", **kind)["ResourceDescriptions"]
    assert [json.loads(item["Properties"])["Name"] for item in found] == ["p"]
    patch = json.dumps([{"op": "add", "path": "/Tags", "value": {"team": "research"}}])
    settled(call("update-resource", **named, patch_document=patch)["ProgressEvent"]["RequestToken"])
    assert json.loads(call("get-resource", **named)["ResourceDescription"]["Properties"])["Tags"]["team"] == "research"
    deleted = call("delete-resource", **named)["ProgressEvent"]["RequestToken"]
    settled(deleted)
    listed = call("list-resource-requests")["ResourceRequestStatusSummaries"]
    assert {cancelled, deleted} <= {item["RequestToken"] for item in listed}
    assert used == set(CLOUD_CONTROL)


def test_the_aws_cli_waits_and_knows_sts(typed: Cli) -> None:
    """The same port for all three services; the CLI's own waiter sees a request end."""
    assert typed("sts", "get-caller-identity")["Account"] == ACCOUNT
    wish = json.dumps({"Name": "p", "QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}})
    kind = "--type-name=AWS::Batch::SchedulingPolicy"
    made = typed("cloudcontrol", "create-resource", kind, f"--desired-state={wish}")
    token = made["ProgressEvent"]["RequestToken"]
    typed("cloudcontrol", "wait", "resource-request-success", f"--request-token={token}")
    found = typed("cloudcontrol", "list-resources", kind)
    assert json.loads(found["ResourceDescriptions"][0]["Properties"])["Name"] == "p"
