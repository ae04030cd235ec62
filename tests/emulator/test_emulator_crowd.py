"""64 clients at once: one consistent order, every amount within its limit, nothing half done."""

from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from quota_engine.emulator import ClockKind
from tests.conftest import Emulator, StartEmulator
from tests.emulator.resources import limits, make_blog_queue, share_request, submit

CLIENTS = 64
SHARES = ("QS1", "QS2", "QS3")


class Crowd:
    """Clients that do at random what clients do, and note what they were told."""

    def __init__(self, emulator: Emulator, calls: int) -> None:
        self.emulator = emulator
        self.calls = calls
        self.submitted: list[str] = []
        self.created: Counter[str] = Counter()
        self.problems: list[str] = []
        self.stop = threading.Event()

    def client(self, number: int) -> None:
        chance, batch = random.Random(number), self.emulator.client("batch", max_pool_connections=1)
        mine: list[str] = []
        for call in range(self.calls):
            self.act(chance, batch, mine, f"{number}-{call}")

    def act(self, chance: random.Random, batch: Any, mine: list[str], name: str) -> None:
        kind = chance.randrange(10)
        if kind < 5 or not mine:
            mine.append(submit(batch, name, chance.choice(SHARES), chance.randrange(10)))
            self.submitted.append(mine[-1])
        elif kind == 5:
            self.tolerant(batch.update_service_job, jobId=chance.choice(mine), schedulingPriority=chance.randrange(10))
        elif kind == 6:
            batch.terminate_service_job(jobId=chance.choice(mine), reason="enough")
        elif kind == 7:
            arn = "arn:aws:batch:us-west-2:123456789012:job-queue/training/quota-share/QS1"
            self.tolerant(batch.update_quota_share, quotaShareArn=arn, capacityLimits=limits(chance.randrange(1, 3)))
        elif kind == 8:
            share = f"race-{chance.randrange(4)}"
            if self.tolerant(batch.create_quota_share, **share_request(share, "training")):
                self.created[share] += 1
        else:
            self.check(batch)

    def tolerant(self, call: Any, **request: Any) -> bool:
        """Make a call that may be refused as things stand; tell whether it was carried out."""
        try:
            call(**request)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ClientException":
                self.problems.append(str(error))
            return False
        return True

    def check(self, batch: Any) -> None:
        """Look at one instant: what is used is what dispatched jobs need, within the environment."""
        snapshot = batch.get_job_queue_snapshot(jobQueue="training")
        used = sum(usage["quantity"] for usage in snapshot["queueUtilization"]["totalCapacityUsage"])
        by_share = sum(
            usage["quantity"]
            for share in snapshot["queueUtilization"]["quotaShareUtilization"]["topCapacityUtilization"]
            for usage in share["capacityUsage"]
        )
        if used != by_share or used > 3:
            self.problems.append(f"{used} in use of 3, {by_share} by share")


@pytest.mark.parametrize("with_state", [False, True], ids=["in memory", "with a state file"])
def test_sixty_four_clients_break_nothing(start_emulator: StartEmulator, tmp_path: Any, with_state: bool) -> None:
    """No call fails for a reason of ours, no name is given twice, every acknowledged job is there once."""
    settings: dict[str, Any] = {"state_file": str(tmp_path / "state.db")} if with_state else {}
    emulator = start_emulator(clock=ClockKind.REAL, speed=50.0, job_duration_ms=2_000, **settings)
    make_blog_queue(emulator.client("batch"))
    crowd = Crowd(emulator, calls=15)
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(crowd.client, range(CLIENTS)))
    assert not crowd.problems
    assert all(count == 1 for count in crowd.created.values()), "one of several creators of a name wins"
    assert len(set(crowd.submitted)) == len(crowd.submitted)
    _check_every_job(emulator, crowd)
    if with_state:
        emulator.world.journal.close()
        _check_every_job(start_emulator(clock=ClockKind.MANUAL, **settings), crowd)


def _check_every_job(emulator: Emulator, crowd: Crowd) -> None:
    """Every job that was acknowledged is there, in one status, and the lists together show each once."""
    batch = emulator.client("batch")
    dump = emulator.control("dump")
    (region,) = dump["regions"]
    held = {job["jobId"]: job["status"] for job in region["jobs"]}
    assert held.keys() == set(crowd.submitted)
    listed: Counter[str] = Counter()
    for share in SHARES:
        filters = [{"name": "QUOTA_SHARE_NAME", "values": [share]}]
        for page in batch.get_paginator("list_service_jobs").paginate(jobQueue="training", filters=filters):
            listed.update(job["jobId"] for job in page["jobSummaryList"])
    assert listed == Counter(crowd.submitted)
