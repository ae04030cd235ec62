"""The emulator against a dictionary: any sequence of calls leaves what the dictionary says, and can be replayed.

The calls go through the dispatcher, without a socket, so that a run of fifty calls takes milliseconds.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import orjson
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from quota_engine.emulator import ClockKind, Settings
from quota_engine.emulator.checkpoint import freeze, thaw
from quota_engine.emulator.clock import ManualClock
from quota_engine.emulator.control import dump
from quota_engine.emulator.dispatch import HttpRequest, answer
from quota_engine.emulator.journal import Entry
from quota_engine.emulator.perform import note_clock
from quota_engine.emulator.start import new_world, replay
from quota_engine.emulator.store import World
from quota_engine.emulator.wire.models import service_model

NAMES = st.sampled_from(["a", "b", "c"])
STATES = st.sampled_from(["ENABLED", "DISABLED"])
COUNTS = st.integers(1, 4)
STRATEGIES = st.sampled_from(["RESERVE", "LEND", "LEND_AND_BORROW"])
UNIT = "ml.g5.xlarge"


class ListJournal:
    """A journal in a list."""

    is_durable = True

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        self.entries.append(entry)

    def mark_time(self, at_ms: int) -> None:
        """Remember nothing: every move of the clock is an entry."""

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        """Close nothing."""


def fresh_world() -> World:
    return new_world(Settings(clock=ClockKind.MANUAL, scheduled_ms=1000, starting_ms=1000, job_duration_ms=5000))


def contents(world: World) -> Any:
    """Return everything a world holds, but who it is."""
    found = orjson.loads(orjson.dumps(dump(world, None, None)))  # type: ignore[arg-type]
    return {**found, "instance": ""}


class EmulatorMachine(RuleBasedStateMachine):
    """Creates, updates and deletes at random; `policies` … `shares` are what must be there: key → state."""

    def __init__(self) -> None:
        super().__init__()
        self.world = fresh_world()
        self.journal = ListJournal()
        self.world.journal = self.journal
        self.policies: set[str] = set()
        self.environments: dict[str, str] = {}
        self.queues: dict[str, dict[str, str]] = {}
        self.shares: dict[tuple[str, str], str] = {}
        self.jobs: list[str] = []

    def call(self, operation: str, **given: Any) -> tuple[bool, Any]:
        """Call an operation; return whether it was accepted, and its answer. Anything but 200 and 400 fails."""
        uri = service_model("batch").operation_model(operation).http["requestUri"]
        found = answer(self.world, HttpRequest("POST", uri, "", {}, json.dumps(given).encode()))
        assert found.status in (200, 400), found.body
        return found.status == 200, json.loads(found.body)

    @rule(name=NAMES)
    def create_policy(self, name: str) -> None:
        policy = {"idleResourceAssignmentStrategy": "FIFO"}
        accepted, _ = self.call("CreateSchedulingPolicy", name=name, quotaSharePolicy=policy)
        assert accepted == (name not in self.policies)
        self.policies.add(name)

    @rule(name=NAMES)
    def delete_policy(self, name: str) -> None:
        in_use = any(queue["policy"] == name for queue in self.queues.values())
        accepted, _ = self.call("DeleteSchedulingPolicy", arn=self.arn(f"scheduling-policy/{name}"))
        assert accepted == (name in self.policies and not in_use)
        if accepted:
            self.policies.remove(name)

    @rule(name=NAMES, state=STATES, count=COUNTS)
    def create_environment(self, name: str, state: str, count: int) -> None:
        limits = [{"maxCapacity": count, "capacityUnit": UNIT}]
        request = {"serviceEnvironmentType": "SAGEMAKER_TRAINING", "capacityLimits": limits, "state": state}
        accepted, _ = self.call("CreateServiceEnvironment", serviceEnvironmentName=name, **request)
        assert accepted == (name not in self.environments)
        self.environments.setdefault(name, state)

    @rule(name=NAMES, state=STATES)
    def update_environment(self, name: str, state: str) -> None:
        accepted, _ = self.call("UpdateServiceEnvironment", serviceEnvironment=name, state=state)
        assert accepted == (name in self.environments)
        if accepted:
            self.environments[name] = state

    @rule(name=NAMES)
    def delete_environment(self, name: str) -> None:
        in_use = any(queue["environment"] == name for queue in self.queues.values())
        accepted, _ = self.call("DeleteServiceEnvironment", serviceEnvironment=name)
        assert accepted == (self.environments.get(name) == "DISABLED" and not in_use)
        if accepted:
            del self.environments[name]

    @rule(name=NAMES, policy=NAMES, environment=NAMES)
    def create_queue(self, name: str, policy: str, environment: str) -> None:
        accepted, _ = self.call(
            "CreateJobQueue",
            jobQueueName=name,
            jobQueueType="SAGEMAKER_TRAINING",
            priority=1,
            schedulingPolicyArn=self.arn(f"scheduling-policy/{policy}"),
            serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": environment}],
        )
        is_free = all(queue["environment"] != environment for queue in self.queues.values())
        possible = policy in self.policies and environment in self.environments and is_free
        assert accepted == (name not in self.queues and possible)
        if accepted:
            self.queues[name] = {"state": "ENABLED", "policy": policy, "environment": environment}

    @rule(name=NAMES, state=STATES)
    def update_queue(self, name: str, state: str) -> None:
        accepted, _ = self.call("UpdateJobQueue", jobQueue=name, state=state)
        assert accepted == (name in self.queues)
        if accepted:
            self.queues[name]["state"] = state

    @rule(name=NAMES)
    def delete_queue(self, name: str) -> None:
        has_shares = any(queue == name for queue, _ in self.shares)
        accepted, _ = self.call("DeleteJobQueue", jobQueue=name)
        assert accepted == (name in self.queues and self.queues[name]["state"] == "DISABLED" and not has_shares)
        if accepted:
            del self.queues[name]

    @rule(queue=NAMES, name=NAMES, count=COUNTS, strategy=STRATEGIES)
    def create_share(self, queue: str, name: str, count: int, strategy: str) -> None:
        accepted, _ = self.call(
            "CreateQuotaShare",
            quotaShareName=name,
            jobQueue=queue,
            capacityLimits=[{"maxCapacity": count, "capacityUnit": UNIT}],
            resourceSharingConfiguration={"strategy": strategy},
            preemptionConfiguration={"inSharePreemption": "ENABLED"},
        )
        assert accepted == (queue in self.queues and (queue, name) not in self.shares)
        if accepted:
            self.shares[queue, name] = "ENABLED"

    @rule(queue=NAMES, name=NAMES, state=STATES, count=COUNTS)
    def update_share(self, queue: str, name: str, state: str, count: int) -> None:
        limits = [{"maxCapacity": count, "capacityUnit": UNIT}]
        arn = self.arn(f"job-queue/{queue}/quota-share/{name}")
        accepted, _ = self.call("UpdateQuotaShare", quotaShareArn=arn, state=state, capacityLimits=limits)
        assert accepted == ((queue, name) in self.shares)
        if accepted:
            self.shares[queue, name] = state

    @rule(queue=NAMES, name=NAMES)
    def delete_share(self, queue: str, name: str) -> None:
        arn = self.arn(f"job-queue/{queue}/quota-share/{name}")
        accepted, _ = self.call("DeleteQuotaShare", quotaShareArn=arn)
        assert accepted == (self.shares.get((queue, name)) == "DISABLED")
        if accepted:
            del self.shares[queue, name]

    @rule(queue=NAMES, share=NAMES, count=COUNTS, priority=st.integers(0, 3))
    def submit_job(self, queue: str, share: str, count: int, priority: int) -> None:
        text = json.dumps({"ResourceConfig": {"InstanceType": UNIT, "InstanceCount": count}})
        accepted, job = self.call(
            "SubmitServiceJob",
            jobName="job",
            jobQueue=queue,
            quotaShareName=share,
            serviceJobType="SAGEMAKER_TRAINING",
            serviceRequestPayload=text,
            schedulingPriority=priority,
        )
        is_open = queue in self.queues and self.queues[queue]["state"] == "ENABLED"
        assert accepted == (is_open and self.shares.get((queue, share)) == "ENABLED")
        if accepted:
            self.jobs.append(job["jobId"])

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), priority=st.integers(0, 3))
    def change_job(self, data: st.DataObject, priority: int) -> None:
        job = data.draw(st.sampled_from(self.jobs))
        accepted, _ = self.call("UpdateServiceJob", jobId=job, schedulingPriority=priority)
        if accepted and priority == 0:
            assert self.call("TerminateServiceJob", jobId=job, reason="enough")[0]

    @rule(by_ms=st.sampled_from([0, 1000, 7000]))
    def wait(self, by_ms: int) -> None:
        clock = self.world.clock
        assert isinstance(clock, ManualClock)
        clock.set_ms(clock.now_ms() + by_ms)
        self.world.settle()
        note_clock(self.world)

    def arn(self, resource: str) -> str:
        return f"arn:aws:batch:us-east-1:000000000000:{resource}"

    @invariant()
    def what_is_listed_is_what_was_acknowledged(self) -> None:
        """Names and states of everything, from the lists and describes."""
        policies = self.call("ListSchedulingPolicies")[1]["schedulingPolicies"]
        assert {policy["arn"].rpartition("/")[2] for policy in policies} == self.policies
        environments = self.call("DescribeServiceEnvironments")[1]["serviceEnvironments"]
        assert {found["serviceEnvironmentName"]: found["state"] for found in environments} == self.environments
        queues = self.call("DescribeJobQueues")[1]["jobQueues"]
        assert {found["jobQueueName"]: found["state"] for found in queues} == {
            name: queue["state"] for name, queue in self.queues.items()
        }
        shares = {
            (name, share["quotaShareName"]): share["state"]
            for name in self.queues
            for share in self.call("ListQuotaShares", jobQueue=name)[1]["quotaShares"]
        }
        assert shares == self.shares

    @invariant()
    def no_job_outlives_its_share(self) -> None:
        """A job that is not finished has a share to be in."""
        for job in self.jobs:
            found = self.call("DescribeServiceJob", jobId=job)[1]
            key = (found["jobQueue"].rpartition("/")[2], found["quotaShareName"])
            assert found["status"] in ("SUCCEEDED", "FAILED") or key in self.shares

    def teardown(self) -> None:
        """Replay: the same acknowledged calls at the same instants give the same world, ids and times included."""
        again = fresh_world()
        replay(again, self.journal.entries)
        assert contents(again) == contents(self.world)
        frozen = freeze(self.world)
        assert frozen is not None
        thawed = thaw(frozen)
        assert thawed is not None
        assert contents(thawed) == contents(self.world)


TestEmulatorAgainstADictionary = EmulatorMachine.TestCase
TestEmulatorAgainstADictionary.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
