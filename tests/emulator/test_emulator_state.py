"""Durable state: an acknowledged change survives a kill at any moment, and a restart goes on where it was."""

from __future__ import annotations

import json
import pickle
import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from quota_engine.emulator import ClockKind, LifecycleDelays, StackRefused, StateUnavailable
from quota_engine.emulator.checkpoint import thaw
from quota_engine.emulator.settings import RepeatedToken
from quota_engine.scheduler import Assumptions
from tests.conftest import StartEmulator
from tests.emulator.killed import Killed
from tests.emulator.resources import FIFO, make_blog_queue, make_policy, make_queue, share_request, status, submit
from tests.emulator.test_emulator_control import declared


def dump(emulator: Any) -> Any:
    return emulator.control("dump")


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state.db")


def sql(path: str | Path, statement: str) -> list[Any]:
    """Run one statement on a database file and let go of it."""
    with closing(sqlite3.connect(path)) as database, database:
        return database.execute(statement).fetchall()


def stop(emulator: Any) -> None:
    """Let go of the state file, as the end of the process would."""
    emulator.world.journal.close()


def test_a_restart_goes_on_where_it_was(start_emulator: StartEmulator, state: str) -> None:
    """Resources, tags, running, waiting, preempted and finished jobs, the clock, and who this emulator is."""
    first = start_emulator(state_file=state)
    batch = first.client("batch")
    make_blog_queue(batch)
    batch.tag_resource(resourceArn="arn:aws:batch:us-west-2:123456789012:job-queue/training", tags={"a": "b"})
    jobs = [submit(batch, f"job-{number}", "QS1", 3 - number, clientToken=f"token-{number}") for number in range(3)]
    first.advance(60_000)
    jobs.append(submit(batch, "qs2_job", "QS2", tags={"quota-engine/duration": "5m"}))
    batch.update_service_job(jobId=jobs[2], schedulingPriority=4)
    batch.terminate_service_job(jobId=jobs[0], reason="enough")
    first.control("faults", {"job": jobs[3], "capacity_error": True})
    first.advance(90_000)
    before, trace = dump(first), first.control("trace?queue=training")
    stop(first)
    second = start_emulator(state_file=state)
    assert dump(second) == before
    assert second.control("trace?queue=training") == trace
    again = second.client("batch")
    with pytest.raises(ClientError, match="token-0"):
        submit(again, "job-0", "QS1", 3, clientToken="token-0")
    second.advance(600_000)
    assert status(again, jobs[3]) == "SUCCEEDED"


def test_cloud_control_requests_in_flight_go_on(start_emulator: StartEmulator, state: str) -> None:
    """A deletion that was waiting for the share to settle ends after the restart."""
    delays = LifecycleDelays(update_ms=1000, delete_ms=1000)
    first = start_emulator(state_file=state, delays=delays)
    make_queue(first.client("batch"))
    share = first.client("batch").create_quota_share(**share_request("QS", "training"))["quotaShareArn"]
    answer = first.client("cloudcontrol").delete_resource(TypeName="AWS::Batch::QuotaShare", Identifier=share)
    token = answer["ProgressEvent"]["RequestToken"]
    first.advance(1500)
    stop(first)
    second = start_emulator(state_file=state, delays=delays)
    control = second.client("cloudcontrol")
    event = control.get_resource_request_status(RequestToken=token)["ProgressEvent"]
    assert event["OperationStatus"] == "IN_PROGRESS"
    second.advance(500)
    event = control.get_resource_request_status(RequestToken=token)["ProgressEvent"]
    assert event["OperationStatus"] == "SUCCESS"


def test_refused_calls_leave_no_trace_in_ids(start_emulator: StartEmulator, state: str) -> None:
    """A refused call is not written down; had it used up an id, the replay would give out others."""
    first = start_emulator(state_file=state)
    batch, control = first.client("batch"), first.client("cloudcontrol")
    make_blog_queue(batch)
    for _ in range(3):
        with pytest.raises(ClientError):
            submit(batch, "job", "no-share")
        with pytest.raises(ClientError):
            control.create_resource(TypeName="AWS::Batch::SchedulingPolicy", DesiredState='{"Colour": 1}')
    jobs = [submit(batch, f"job-{number}", "QS3") for number in range(2)]
    stop(first)
    again = start_emulator(state_file=state).client("batch")
    assert [status(again, job) for job in jobs] == ["RUNNING", "RUNNABLE"]


def test_other_settings_after_a_restart_do_not_rewrite_the_past(start_emulator: StartEmulator, state: str) -> None:
    """The defaults of then made the jobs of then."""
    first = start_emulator(state_file=state, job_duration_ms=60_000)
    make_blog_queue(first.client("batch"))
    old = submit(first.client("batch"), "old", "QS3")
    stop(first)
    second = start_emulator(state_file=state, job_duration_ms=1000, repeated_token=RepeatedToken.SAME_JOB)
    batch = second.client("batch")
    second.advance(59_999)
    assert status(batch, old) == "RUNNING"
    second.advance(1)
    assert status(batch, old) == "SUCCEEDED"
    new = submit(batch, "new", "QS3")
    second.advance(1000)
    assert status(batch, new) == "SUCCEEDED"


def test_a_declaration_is_deployed_into_an_empty_state_only(start_emulator: StartEmulator, state: str) -> None:
    """Whole or not at all; and a restart keeps what was changed since."""
    with pytest.raises(StackRefused):
        start_emulator(state_file=state, stack=declared(priority=2000))
    first = start_emulator(state_file=state, stack=declared())
    keys = {"account": "210987654321", "region": "eu-west-1"}
    first.client("batch", **keys).update_job_queue(jobQueue="training", priority=9)
    stop(first)
    second = start_emulator(state_file=state, stack=declared())
    (queue,) = second.client("batch", **keys).describe_job_queues()["jobQueues"]
    assert queue["priority"] == 9


def test_a_real_clock_never_runs_back(start_emulator: StartEmulator, state: str) -> None:
    """With --speed the emulator's time is ahead of the wall's; what a client has seen stays seen."""
    first = start_emulator(state_file=state, clock=ClockKind.REAL, speed=1_000_000.0)
    make_policy(first.client("batch"))
    seen_ms = first.control("clock")["now_ms"]
    stop(first)
    second = start_emulator(state_file=state, clock=ClockKind.REAL, speed=1.0)
    assert second.control("clock")["now_ms"] > seen_ms


def test_a_state_file_that_can_not_be_used_is_said(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """Text, a directory, a missing folder, another program's database, another format, one in use."""
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but long enough to be looked at as one" * 20)
    other = tmp_path / "other.db"
    sql(other, "CREATE TABLE things (name TEXT)")
    newer = tmp_path / "newer.db"
    stop(start_emulator(state_file=str(newer)))
    sql(newer, "PRAGMA user_version=99")
    used = tmp_path / "used.db"
    start_emulator(state_file=str(used))
    for path in (text, tmp_path, tmp_path / "no" / "state.db", other, newer, used):
        before = path.read_bytes() if path.is_file() else b""
        with pytest.raises(StateUnavailable) as caught:
            start_emulator(state_file=str(path))
        assert str(path) in caught.value.what
        assert caught.value.why
        assert caught.value.fix
        if path != used:
            assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_journal_that_was_edited_is_said(start_emulator: StartEmulator, state: str) -> None:
    """With the change at which it stops making sense."""
    first = start_emulator(state_file=state)
    make_queue(first.client("batch"))
    stop(first)
    sql(state, "DELETE FROM entry WHERE operation = 'CreateSchedulingPolicy'")
    with pytest.raises(StateUnavailable, match="CreateJobQueue"):
        start_emulator(state_file=state)


def test_a_write_that_is_lost_is_not_acknowledged(start_emulator: StartEmulator, state: str) -> None:
    """A full disk: the client hears of it, and nothing more is served from a world the file doesn't hold."""
    emulator = start_emulator(state_file=state)
    batch = emulator.client("batch")
    make_policy(batch, "kept")
    stop(emulator)  # writing fails from here on, as it does on a full disk
    for _ in range(2):
        with pytest.raises(ClientError, match="ServerException"):
            make_policy(batch, "lost")
    with pytest.raises(ClientError, match="ServerException"):
        batch.list_scheduling_policies()
    again = start_emulator(state_file=state).client("batch")
    assert [policy["arn"].rpartition("/")[2] for policy in again.list_scheduling_policies()["schedulingPolicies"]] == [
        "kept"
    ]


def _write_until_killed(batch: Any, worker: int, life: int, acknowledged: dict[str, Any]) -> None:
    """Create policies and submit jobs as fast as they are acknowledged; note each that was."""
    number = 0
    while True:
        name = f"w{worker}-{life}-{number}"
        number += 1
        try:
            if number % 3:
                acknowledged[name] = submit(batch, name, "QS1")
            else:
                acknowledged[name] = batch.create_scheduling_policy(name=name, quotaSharePolicy=FIFO)["arn"]
        except (BotoCoreError, ClientError, KeyError):  # an answer that was cut off has no members
            return


def _kill_at_random(state: str, lives: int, seed: int) -> None:
    """Kill an emulator under load `lives` times; after each restart all that was acknowledged must be there."""
    chance = random.Random(seed)
    acknowledged: dict[str, Any] = {}
    first = Killed(state)
    make_blog_queue(first.client("batch"))
    for life in range(lives):
        emulator = first if life == 0 else Killed(state)
        batch = emulator.client("batch")
        workers = [
            threading.Thread(target=_write_until_killed, args=(batch, worker, life, acknowledged))
            for worker in range(3)
        ]
        for worker in workers:
            worker.start()
        threading.Event().wait(chance.uniform(0.01, 0.3))
        emulator.kill()
        for worker in workers:
            worker.join()
    last = Killed(state)
    batch = last.client("batch")
    try:
        pages = batch.get_paginator("list_scheduling_policies").paginate()
        arns = {policy["arn"] for page in pages for policy in page["schedulingPolicies"]}
        for name, identifier in acknowledged.items():
            if identifier.startswith("arn:"):
                assert identifier in arns, f"{name} was acknowledged and is lost"
            else:
                assert batch.describe_service_job(jobId=identifier)["jobName"] == name
    finally:
        last.kill()
    assert len(acknowledged) > lives


def test_acknowledged_writes_survive_a_few_kills(state: str) -> None:
    """kill -9 under load, a handful of times."""
    _kill_at_random(state, lives=3, seed=1)


@pytest.mark.long
def test_acknowledged_writes_survive_two_hundred_kills(state: str) -> None:
    """kill -9 at random moments under load, 200 times."""
    _kill_at_random(state, lives=200, seed=2)


def _long_life(start_emulator: StartEmulator, state: str, monkey: pytest.MonkeyPatch, **settings: Any) -> Any:
    """Return an emulator that went through all kinds of changes and was killed; few changes make a checkpoint."""
    monkey.setattr("quota_engine.emulator.start.CHECKPOINT_AFTER", 5)
    first = start_emulator(state_file=state, **settings)
    batch = first.client("batch")
    make_blog_queue(batch)
    for number in range(4):
        submit(batch, f"job-{number}", "QS1", number, clientToken=f"token-{number}")
    submit(batch, "qs2_job", "QS2", tags={"quota-engine/duration": "5m"})
    first.advance(60_000)
    stop(first)
    return first


@pytest.mark.parametrize("victim_order", [("priority", "youngest"), ("oldest", "largest")])
def test_a_checkpoint_spares_the_replay(
    start_emulator: StartEmulator, state: str, monkeypatch: pytest.MonkeyPatch, victim_order: tuple[str, ...]
) -> None:
    """With the world kept whole, what lies before it is not read again: here it isn't even there any more."""
    first = _long_life(start_emulator, state, monkeypatch, assumptions=Assumptions(victim_order=victim_order))
    expected = dump(_read_only(first, start_emulator, state))
    assert sql(state, "SELECT count(*) FROM checkpoint") == [(1,)]
    sql(state, "DELETE FROM entry WHERE seq <= (SELECT seq FROM checkpoint)")
    second = start_emulator(state_file=state)
    assert dump(second) == expected
    batch = second.client("batch")
    with pytest.raises(ClientError, match="token-2"):
        submit(batch, "job-2", "QS1", 2, clientToken="token-2")
    second.advance(300_000)
    (done,) = (job for job in dump(second)["regions"][0]["jobs"] if job["jobName"] == "qs2_job")
    assert done["status"] == "SUCCEEDED"
    assert submit(batch, "later", "QS1") not in {job["jobId"] for job in expected["regions"][0]["jobs"]}


def _read_only(_first: Any, start_emulator: StartEmulator, state: str) -> Any:
    """Start once more, by replay, which keeps the world; return that emulator, its file let go of."""
    again = start_emulator(state_file=state)
    stop(again)
    return again


@pytest.mark.parametrize("change", ["fingerprint = 'other'", "world = x'80059500'", "world = x'63706F736978'"])
def test_a_checkpoint_that_can_not_be_used_is_passed_over(
    start_emulator: StartEmulator, state: str, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Of another version, cut off, or forged: the journal is the truth, and is replayed."""
    expected = dump(_read_only(_long_life(start_emulator, state, monkeypatch), start_emulator, state))
    sql(state, f"UPDATE checkpoint SET {change}")
    assert dump(start_emulator(state_file=state)) == expected


def test_a_checkpoint_runs_nothing() -> None:
    """A state file that somebody else wrote is data, whatever it names."""
    for module, name in (
        ("os", "system"),
        ("builtins", "getattr"),
        ("quota_engine.emulator.server", "signal.os.abort"),
    ):
        forged = pickle.PROTO + b"\x04" + _text(module) + _text(name) + pickle.STACK_GLOBAL + pickle.STOP
        assert thaw(forged) is None


def _text(value: str) -> bytes:
    return pickle.SHORT_BINUNICODE + bytes([len(value)]) + value.encode()


def test_the_journal_is_readable_by_people(start_emulator: StartEmulator, state: str) -> None:
    """One row a change, as JSON: what happened can be looked up with any SQLite client."""
    first = start_emulator(state_file=state)
    make_policy(first.client("batch"), "p")
    stop(first)
    rows = sql(state, "SELECT kind, operation, body FROM entry ORDER BY seq")
    assert [row[0] for row in rows] == ["settings", "batch"]
    assert json.loads(rows[1][2]) == {"name": "p", "quotaSharePolicy": FIFO}
