"""Forecasts against the emulator: what is foretold is what then happens when the declaration is deployed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.forecast import Forecast, HitKind, RoomChange, forecast
from quota_engine.live import observe, observe_jobs
from quota_engine.model import shapes
from quota_engine.model.arns import Scope
from quota_engine.model.live_jobs import LiveQueue
from quota_engine.model.stack import QuotaShare, Stack, State, Strategy
from tests.conftest import ACCOUNT, Emulator
from tests.emulator.resources import UNIT, status, submit
from tests.live.test_against_emulator import create

Capture = pytest.CaptureFixture[str]
HOUR_MS = 3_600_000


class Live:
    """The declaration stacks/dev.yaml, deployed in an emulator, with jobs submitted by name."""

    def __init__(self, emulator: Emulator, stack: Stack) -> None:
        self.emulator = emulator
        self.stack = stack
        self.scope = Scope(ACCOUNT, stack.region)
        self.batch: Any = emulator.client("batch", region=stack.region)
        self.session: boto3.Session = emulator.session(region=stack.region)
        self.ids: dict[str, str] = {}
        create(self.batch, stack, self.scope)

    def submit(self, name: str, share: str, priority: int = 0, **given: Any) -> None:
        self.emulator.advance(1_000)
        self.ids[name] = submit(self.batch, name, share, priority, **given)

    def forecast(self, stack: Stack, **settings: Any) -> Forecast:
        observed = observe(stack, self.session)
        return forecast(stack, observed, observe_jobs(stack, ["training"], self.session), **settings)

    def deploy(self, stack: Stack) -> None:
        """Do what Pulumi would do for shares and the environment."""
        for environment in stack.service_environments.values():
            self.batch.update_service_environment(
                serviceEnvironment=environment.name,
                capacityLimits=shapes.capacity_to_api(environment.capacity_limits),
            )
        queue_arn = self.scope.job_queue("training")
        for share in stack.job_queues["training"].quota_shares.values():
            request = shapes.share_to_api(share, queue_arn)
            for name in ("quotaShareName", "jobQueue", "tags"):
                request.pop(name, None)
            self.batch.update_quota_share(quotaShareArn=self.scope.quota_share("training", share.name), **request)

    def statuses(self) -> dict[str, str]:
        return {name: status(self.batch, job) for name, job in self.ids.items()}


@pytest.fixture
def live(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Live:
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    return Live(emulator, stack)


def with_share(stack: Stack, name: str, change: Callable[[QuotaShare], QuotaShare | None]) -> Stack:
    """Return the declaration with one share changed, or left out."""
    queue = stack.job_queues["training"]
    changed = {known: change(share) if known == name else share for known, share in queue.quota_shares.items()}
    shares = {known: share for known, share in changed.items() if share is not None}
    return replace(stack, job_queues={"training": replace(queue, quota_shares=shares)})


def hit_names(found: Forecast) -> list[str]:
    return [hit.name for hit in found.hits]


def fill(live: Live) -> None:
    """QS1 runs one job of its own and borrows QS2's instance; QS3 runs one job, and one waits."""
    live.submit("high", "QS1", 3)
    live.submit("med", "QS1", 2)
    live.submit("third", "QS3")
    live.submit("fourth", "QS3")


def test_deploying_what_lives_hits_nobody(live: Live) -> None:
    """The gate must be quiet where nothing changes, or it is switched off."""
    fill(live)
    found = live.forecast(live.stack)
    assert found.exit_code == 0
    (queue,) = found.queues
    assert (queue.running, queue.waiting) == (3, 1)
    assert (queue.hits, queue.starts, queue.exposed, queue.anyway, queue.doubts) == ((), (), (), (), ())
    assert not any(room.differs for room in queue.rooms)


def test_a_raised_limit_lets_a_waiting_job_preempt_a_borrower_at_once(live: Live) -> None:
    """QS3 gets a second instance that QS1 is using: whose job stops, for whom, after how much work."""
    fill(live)
    live.emulator.advance(HOUR_MS)
    wider = with_share(live.stack, "QS3", lambda share: replace(share, capacity_limits={UNIT: 2}))
    found = live.forecast(wider)
    assert found.exit_code == 1
    (hit,) = found.hits
    assert (hit.name, hit.share, hit.kind, hit.by_name, hit.by_share) == (
        "med", "QS1", HitKind.CROSS_SHARE, "fourth", "QS3",
    )  # fmt: skip
    assert hit.after_ms == 0
    assert hit.ran_ms == HOUR_MS + 2_000
    assert [(start.name, start.after_ms) for start in found.queues[0].starts] == [("fourth", 0)]
    assert live.statuses()["med"] == "RUNNING"
    live.deploy(wider)
    assert live.statuses() == {"high": "RUNNING", "med": "RUNNABLE", "third": "RUNNING", "fourth": "RUNNING"}


def test_in_share_preemption_switched_on_hits_a_job_of_lower_priority(live: Live) -> None:
    """Switching it on looks harmless in a diff."""
    live.deploy(with_share(live.stack, "QS1", lambda share: replace(share, in_share_preemption=State.DISABLED)))
    live.submit("high", "QS1", 3)
    live.submit("med", "QS1", 2)
    live.submit("urgent", "QS1", 9)
    found = live.forecast(live.stack)
    assert [(hit.name, hit.kind, hit.by_name) for hit in found.hits] == [("med", HitKind.IN_SHARE, "urgent")]
    live.deploy(live.stack)
    assert live.statuses() == {"high": "RUNNING", "med": "RUNNABLE", "urgent": "RUNNING"}


def test_the_jobs_of_a_deleted_share_are_named_as_ended(live: Live) -> None:
    """Deleting a share terminates its jobs, running and waiting ones."""
    fill(live)
    without = with_share(live.stack, "QS3", lambda _: None)
    found = live.forecast(without)
    assert found.exit_code == 1
    ended = [(hit.name, hit.kind, hit.was_running, hit.is_final) for hit in found.queues[0].at_once]
    assert ended == [("fourth", HitKind.SHARE_DELETED, False, True), ("third", HitKind.SHARE_DELETED, True, True)]
    assert hit_names(found) == ["third"]
    assert live.forecast(without, keep_undeclared=True).exit_code == 0


def test_a_renamed_share_is_replaced_with_its_jobs(live: Live) -> None:
    """A name is create-only."""
    fill(live)
    queue = live.stack.job_queues["training"]
    shares = dict(queue.quota_shares)
    shares["QS9"] = replace(shares.pop("QS3"), name="QS9", renamed_from="QS3")
    found = live.forecast(replace(live.stack, job_queues={"training": replace(queue, quota_shares=shares)}))
    assert hit_names(found) == ["third"]


def test_a_renamed_queue_is_replaced_with_all_its_jobs(live: Live, tmp_path: Path, capfd: Capture) -> None:
    """It does not live under its new name yet, which must not read as nothing to hit."""
    fill(live)
    text = Path("stacks/dev.yaml").read_text(encoding="utf-8")
    path = tmp_path / "dev.yaml"
    path.write_text(text.replace("  training:\n", "  learning:\n    renamed_from: training\n"), encoding="utf-8")
    assert run(["forecast", str(path)]) == 1
    output = capfd.readouterr().out
    assert "now hits 3 of 3 running jobs" in output
    assert "Job queue learning: 3 running, 1 waiting" in output
    assert run(["drift", str(path)]) == 1
    assert "± replace job queue learning" in capfd.readouterr().out
    assert run(["forecast", str(path), "--print-iam-policy"]) == 0
    assert "job-queue/training" in capfd.readouterr().out


def test_what_shares_may_borrow_before_and_after_is_told(live: Live) -> None:
    """QS2 stops lending: nobody is hit now, and QS1 may borrow nothing from then on."""
    fill(live)
    reserving = with_share(live.stack, "QS2", lambda share: replace(share, strategy=Strategy.RESERVE))
    found = live.forecast(reserving)
    rooms: dict[str, RoomChange] = {room.share: room for room in found.queues[0].rooms}
    before, after = rooms["QS1"].before, rooms["QS1"].after
    assert before is not None
    assert after is not None
    assert (before.may_borrow, after.may_borrow, after.used) == (1, 0, 2)
    assert found.hits == ()


def test_a_lowered_limit_exposes_jobs_that_were_safe(live: Live) -> None:
    """Nobody is stopped by lowering a limit; the next job of another share stops somebody."""
    both = with_share(live.stack, "QS3", lambda share: replace(share, capacity_limits={UNIT: 2}))
    both = with_share(both, "QS2", lambda share: replace(share, strategy=Strategy.RESERVE))
    both = replace(
        both,
        service_environments={"gpu": replace(both.service_environments["gpu"], capacity_limits={UNIT: 4})},
    )
    live.deploy(both)
    live.submit("a", "QS3")
    live.submit("b", "QS3")
    live.submit("one", "QS1")
    lowered = with_share(both, "QS3", lambda share: replace(share, capacity_limits={UNIT: 1}))
    lowered = replace(
        lowered,
        service_environments={"gpu": replace(both.service_environments["gpu"], capacity_limits={UNIT: 3})},
    )
    found = live.forecast(lowered)
    (queue,) = found.queues
    assert found.exit_code == 0
    assert [hit.name for hit in queue.exposed] == ["b"]
    assert (queue.fewest, queue.most) == (0, 1)
    live.deploy(lowered)
    live.submit("two", "QS2")
    assert live.statuses() == {"a": "RUNNING", "b": "RUNNABLE", "one": "RUNNING", "two": "RUNNING"}


def test_with_an_assumed_duration_later_hits_and_starts_are_told(live: Live) -> None:
    """What the instant of deploying does not show: room that comes free later goes to somebody else."""
    fill(live)
    live.submit("fifth", "QS1", 1)
    found = live.forecast(live.stack, assume_duration_ms=HOUR_MS)
    starts = {start.name: start.after_ms for start in found.queues[0].starts}
    assert starts.keys() == {"fourth", "fifth"}
    assert all(0 < after_ms <= HOUR_MS for after_ms in starts.values())


def test_a_queue_that_does_not_live_yet_has_no_jobs_to_hit(live: Live) -> None:
    """The first deployment of a new environment."""
    fresh = replace(
        live.stack, name="fresh", job_queues={"other": replace(live.stack.job_queues["training"], name="other")}
    )
    observed = observe(fresh, live.session)
    found = forecast(fresh, observed, {})
    assert found.exit_code == 0
    assert not found.queues[0].lives


@pytest.mark.parametrize("operation", ["ListServiceJobs", "DescribeServiceJob", "GetJobQueueSnapshot"])
def test_a_failing_call_gives_no_forecast_at_all(operation: str, live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forecast without some of the jobs would call a deadly deployment harmless."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    fill(live)
    live.emulator.control("faults", {"operation": operation, "kind": "throttle", "count": 99})
    found = live.forecast(live.stack)
    assert found.exit_code == 2
    assert {problem.operation for problem in found.unreadable} == {f"batch:{operation}"}
    assert found.queues == ()


def test_the_reading_gives_every_unfinished_job_as_the_service_shows_it(live: Live) -> None:
    """Priorities, retries and preemptions come from the descriptions; the order is the order of arrival."""
    fill(live)
    live.submit("picky", "QS2", 4, preemptionConfiguration={"preemptionRetriesBeforeTermination": 0})
    read: LiveQueue = observe_jobs(live.stack, ["training"], live.session)["training"]
    assert [(job.name, job.status) for job in read.jobs] == [
        ("high", "RUNNING"), ("med", "RUNNABLE"), ("third", "RUNNING"), ("fourth", "RUNNABLE"), ("picky", "RUNNING"),
    ]  # fmt: skip
    med, picky = read.jobs[1], read.jobs[4]
    assert (med.priority, med.preempted_count) == (2, 1)
    assert picky.preemption_retries == 0
    assert read.now_ms == live.emulator.control("clock")["now_ms"]
    assert read.fronts == {"QS1": live.ids["med"], "QS3": live.ids["fourth"]}
