"""How long a drift report takes for a large account: queues with shares on the emulator, with and without tags.

    python benchmarks/drift.py [QUEUES] [SHARES A QUEUE]

Prints the calls made and the seconds they took; the emulator runs in a process of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
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


def main() -> None:
    queues, shares = (int(text) for text in [*sys.argv[1:], "50", "20"][:2])
    stack = large_stack(queues, shares)
    ours, theirs = multiprocessing.Pipe()
    emulator = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
    emulator.start()
    url = ours.recv()
    for service in ("BATCH", "STS"):
        os.environ[f"AWS_ENDPOINT_URL_{service}"] = url
    session = boto3.Session(aws_access_key_id=SCOPE.account, aws_secret_access_key="any", region_name=SCOPE.region)
    try:
        create(stack, session)
        for with_tags in (True, False):
            made = 0

            def count(answered: int, needed: int) -> None:
                nonlocal made
                made = answered

            started = time.perf_counter()
            report = compare(stack, observe(stack, session, with_tags=with_tags, progress=count))
            seconds = time.perf_counter() - started
            tags = "with tags" if with_tags else "without tags"
            compared = sum((report.compared or {}).values())
            print(f"{compared} resources, {tags}: {made + 1} calls, {seconds:.2f} s, {report.outcome.value}")
    finally:
        ours.send(None)
        emulator.join(10)


if __name__ == "__main__":
    main()
