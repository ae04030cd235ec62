"""Published events: the shapes of EventBridge, each once and in order, to a file, standard output or HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from quota_engine.emulator import ClockKind, EventsUnavailable, Settings, serve
from quota_engine.emulator.targets import open_target
from tests.conftest import StartEmulator
from tests.emulator.resources import make_blog_queue, payload, submit

STATE_CHANGE = "Batch Service Job State Change"


def published(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def told(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return what each event is about: its type's last words and the status."""
    return [(event["detail-type"].removeprefix("Batch Service Job "), event["detail"]["status"]) for event in events]


def test_a_life_with_a_preemption_is_published_in_order(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """What a notifier builds on: every change once, none for the submission, both preemption events."""
    path = tmp_path / "events.jsonl"
    emulator = start_emulator(events=str(path))
    batch = emulator.client("batch")
    make_blog_queue(batch)
    jobs = [submit(batch, f"job-{number}", "QS1") for number in range(3)]
    emulator.advance(1000)
    path.write_text("")
    taker = submit(batch, "taker", "QS2", tags={"secret": "not to be published"})
    events = published(path)
    assert told(events) == [
        ("State Change", "RUNNABLE"),
        ("Preemption Started", "RUNNING"),
        ("Preemption Completed", "RUNNABLE"),
        ("State Change", "RUNNABLE"),
        ("State Change", "SCHEDULED"),
        ("State Change", "STARTING"),
        ("State Change", "RUNNING"),
    ]
    started, completed, requeued, running = events[1], events[2], events[3], events[-1]
    arn = started["resources"][0]
    assert arn.rpartition("/")[2] in jobs
    assert started["detail"]["preemptedJobArn"] == completed["detail"]["preemptedJobArn"] == arn
    assert started["detail"]["statusReason"].startswith("PREEMPTION_IN_PROGRESS: ")
    assert completed["detail"]["preemptionSummary"]["preemptedAttemptCount"] == 1
    described = batch.describe_service_job(jobId=arn)
    assert requeued["detail"]["preemptionSummary"] == described["preemptionSummary"]
    assert running["resources"] == [f"arn:aws:batch:us-west-2:123456789012:service-job/{taker}"]
    assert {name: running[name] for name in ("version", "source", "account", "region", "time")} == {
        "version": "0",
        "source": "aws.batch",
        "account": "123456789012",
        "region": "us-west-2",
        "time": "2026-01-01T00:00:01Z",
    }
    assert not {"tags", "serviceRequestPayload"} & running["detail"].keys()
    assert len({event["id"] for event in events}) == len(events)


def test_a_blocked_head_is_published(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """The event to wake somebody up: its reason is the one DescribeServiceJob shows."""
    path = tmp_path / "events.jsonl"
    emulator = start_emulator(events=str(path))
    batch = emulator.client("batch")
    make_blog_queue(batch)
    job = submit(batch, "big", "QS3", serviceRequestPayload=payload(InstanceType="ml.g5.xlarge", InstanceCount=2))
    (event,) = (event for event in published(path) if event["detail-type"] == "Batch Service Job Queue Blocked")
    shown = batch.describe_service_job(jobId=job)
    assert event["detail"]["statusReason"] == shown["statusReason"]
    assert event["detail"]["status"] == "RUNNABLE"
    assert event["detail"]["jobQueue"] == shown["jobQueue"]


def test_a_last_preemption_says_failed(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """With its retries used up the victim does not come back."""
    path = tmp_path / "events.jsonl"
    emulator = start_emulator(events=str(path))
    batch = emulator.client("batch")
    make_blog_queue(batch)
    for number in range(3):
        submit(batch, f"job-{number}", "QS1", preemptionConfiguration={"preemptionRetriesBeforeTermination": 0})
    submit(batch, "taker", "QS2")
    (event,) = (event for event in published(path) if event["detail-type"].endswith("Preemption Completed"))
    assert event["detail"]["status"] == "FAILED"


def test_a_restart_publishes_nothing_again(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """What the state file replays was published in its time; what comes after is."""
    path, state = tmp_path / "events.jsonl", str(tmp_path / "state.db")
    first = start_emulator(events=str(path), state_file=state)
    make_blog_queue(first.client("batch"))
    submit(first.client("batch"), "job", "QS1", tags={"quota-engine/duration": "1m"})
    before = published(path)
    first.world.journal.close()
    second = start_emulator(events=str(path), state_file=state)
    assert published(path) == before
    second.advance(60_000)
    second.control("dump")
    assert told(published(path)[len(before) :]) == [("State Change", "SUCCEEDED")]


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in 20 seconds"
        threading.Event().wait(0.01)


def test_by_the_real_clock_nobody_has_to_look(start_emulator: StartEmulator, tmp_path: Path) -> None:
    """A job's end is published when it ends, not with the next call."""
    path = tmp_path / "events.jsonl"
    emulator = start_emulator(events=str(path), clock=ClockKind.REAL, speed=1000.0, job_duration_ms=1000)
    make_blog_queue(emulator.client("batch"))
    submit(emulator.client("batch"), "job", "QS1")
    _wait_for(lambda: told(published(path))[-1:] == [("State Change", "SUCCEEDED")])


@contextmanager
def receiver(statuses: list[int]) -> Iterator[tuple[str, list[Any]]]:
    """Run an HTTP server that notes what it is sent, answering with the statuses, then with 200."""
    received: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = statuses.pop(0) if statuses else 200
            if status == 200:
                received.append((self.path, json.loads(body)))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook?key=1", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_events_go_to_a_local_http_server_in_order(start_emulator: StartEmulator) -> None:
    """Each as one POST; one that fails is sent again before the next."""
    with receiver([503]) as (url, received):
        emulator = start_emulator(events=url)
        make_blog_queue(emulator.client("batch"))
        submit(emulator.client("batch"), "job", "QS1")
        _wait_for(lambda: len(received) == 4)
    assert [path for path, _ in received] == ["/hook?key=1"] * 4
    assert [event["detail"]["status"] for _, event in received] == ["RUNNABLE", "SCHEDULED", "STARTING", "RUNNING"]


def test_a_target_that_is_gone_does_not_hurt(start_emulator: StartEmulator) -> None:
    """The receiver is the user's affair: calls are answered all the same."""
    with receiver([]) as (url, _):
        pass
    emulator = start_emulator(events=url)
    make_blog_queue(emulator.client("batch"))
    assert submit(emulator.client("batch"), "job", "QS1")


@pytest.mark.parametrize(
    "where", ["http://example.com/", "https://localhost/", "http://localhost:99999/", "http://[", "no/such/folder/x"]
)
def test_a_target_that_can_not_be_is_said(where: str) -> None:
    """At the start, with what to do instead; and nothing leaves the machine by mistake."""
    with pytest.raises(EventsUnavailable) as caught:
        open_target(where)
    assert where in caught.value.what
    assert caught.value.why
    assert caught.value.fix
    with pytest.raises(EventsUnavailable):
        serve(Settings(port=0, events=where))


def test_standard_output_is_a_target(start_emulator: StartEmulator, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """For a pipe into jq; it is not closed with the emulator."""
    target = open_target("-")
    target.publish({"a": 1})
    target.close()
    target.publish({"b": 2})
    assert capfdbinary.readouterr().out.splitlines() == [b'{"a":1}', b'{"b":2}']
