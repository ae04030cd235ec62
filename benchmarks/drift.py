"""How long a drift report takes for a large account, beside `pulumi refresh` of the same stack in the same run.

    python benchmarks/drift.py [QUEUES] [SHARES A QUEUE] [--no-pulumi]

The real engine deploys the queues to the emulator, which runs in a process of its own; then the report is timed with
and without tags, and the refresh. With --no-pulumi, or where no engine can be had, boto3 makes the queues and the
refresh is left out, which is said. Prints the calls made, the seconds they took, and the CPU seconds of the report's
own process: on a busy machine the latter tell more.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import boto3

from quota_engine.drift import compare
from quota_engine.emulator import ClockKind, Settings, running
from quota_engine.live import observe
from quota_engine.model import shapes
from quota_engine.model.arns import Scope
from quota_engine.model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack, Strategy

SCOPE = Scope("123456789012", "us-west-2")


def large_stack(queues: int, shares: int) -> Stack:
    """Return a declaration of `queues` queues, an environment each, with `shares` shares each."""
    declared = {f"s{number}": share(f"s{number}") for number in range(shares)}
    return Stack(
        "large",
        SCOPE.region,
        SCOPE.account,
        {f"e{number}": ServiceEnvironment(f"e{number}", {"ml.g5.xlarge": 100}) for number in range(queues)},
        {"fifo": SchedulingPolicy("fifo")},
        {
            f"q{number}": JobQueue(f"q{number}", (f"e{number}",), "fifo", quota_shares=declared)
            for number in range(queues)
        },
    )


def share(name: str) -> QuotaShare:
    return QuotaShare(name, {"ml.g5.xlarge": 5}, Strategy.LEND, tags={"team": name})


def serve(connection: Connection) -> None:
    with running(Settings(port=0, clock=ClockKind.MANUAL)) as emulator:
        connection.send(emulator.url)
        connection.recv()


def create(stack: Stack, session: boto3.Session) -> None:
    batch = session.client("batch")
    for policy in stack.scheduling_policies.values():
        batch.create_scheduling_policy(**shapes.policy_to_api(policy))
    for environment in stack.service_environments.values():
        batch.create_service_environment(**shapes.environment_to_api(environment))
    for queue in stack.job_queues.values():
        batch.create_job_queue(**shapes.queue_to_api(queue, SCOPE))
        for one in queue.quota_shares.values():
            batch.create_quota_share(**shapes.share_to_api(one, SCOPE.job_queue(queue.name)))


def deploy(stack: Stack, url: str) -> Callable[[], object] | None:
    """Deploy with the real engine; return what refreshes the stack, None where no engine can be had."""
    from quota_engine.local import workspace
    from quota_engine.local.errors import EngineUnavailable

    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="benchmark-drift-")
    target = workspace.Target(stack, "large", url)
    started = time.perf_counter()
    try:
        workspace.up(target)
    except EngineUnavailable as error:
        print(error.what)
        return None
    print(f"pulumi up: {time.perf_counter() - started:.2f} s")
    return lambda: workspace.refresh(target)


def main() -> None:
    arguments = [text for text in sys.argv[1:] if text != "--no-pulumi"]
    queues, shares = (int(text) for text in [*arguments, *["50", "20"][len(arguments) :]])
    stack = large_stack(queues, shares)
    ours, theirs = multiprocessing.Pipe()
    emulator = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
    emulator.start()
    url = ours.recv()
    for service in ("BATCH", "STS"):
        os.environ[f"AWS_ENDPOINT_URL_{service}"] = url
    session = boto3.Session(aws_access_key_id=SCOPE.account, aws_secret_access_key="any", region_name=SCOPE.region)
    try:
        refreshed = None if "--no-pulumi" in sys.argv else deploy(stack, url)
        if refreshed is None:
            print("without pulumi refresh")
            create(stack, session)
        for with_tags in (True, False):
            made = 0

            def count(answered: int, needed: int) -> None:
                nonlocal made
                made = answered

            started, used = time.perf_counter(), time.process_time()
            report = compare(stack, observe(stack, session, with_tags=with_tags, progress=count))
            seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - used
            tags = "with tags" if with_tags else "without tags"
            compared = sum((report.compared or {}).values())
            print(
                f"{compared} resources, {tags}: {made + 1} calls, {seconds:.2f} s (own CPU {cpu_seconds:.2f} s), "
                f"{report.outcome.value}"
            )
        if refreshed is not None:
            started = time.perf_counter()
            refreshed()
            print(f"pulumi refresh: {time.perf_counter() - started:.2f} s")
    finally:
        ours.send(None)
        emulator.join(10)


if __name__ == "__main__":
    main()
