"""Plays a scenario on a real queue, or on the emulator, and records what happens: see docs/verify-on-aws.md.

It submits training jobs that sleep, follows them until they end, and writes each change that it sees as EventBridge
would, for `quota-engine calibrate`. It costs money on AWS, so it does nothing without --yes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import boto3

from quota_engine.config import load_scenario
from quota_engine.model.durations import format_duration
from quota_engine.model.service_facts import ENDED_STATUSES, STATE_CHANGE
from quota_engine.model.work import Job, Scenario, UpdatePriority
from quota_engine.simulate import measure, run
from quota_engine.workloads import prepare

from .play import agenda, submit

POLL_MS = 5_000
_NEVER_RECORDED = ("tags", "serviceRequestPayload", "ResponseMetadata")

Wait = Callable[[int], object]
"""Let so many ms pass."""


@dataclass(frozen=True, slots=True)
class Training:
    """What a training job needs besides its instances: who it is, what it runs, where its output goes."""

    role_arn: str
    image: str
    output: str

    def request(self, job: Job) -> dict[str, Any]:
        """Return the CreateTrainingJob request of a job that sleeps for its duration."""
        [(unit, count)] = job.need.items()
        seconds = (job.duration_ms or 0) // 1000
        return {
            "TrainingJobName": job.name,
            "RoleArn": self.role_arn,
            "AlgorithmSpecification": {
                "TrainingImage": self.image,
                "TrainingInputMode": "File",
                "ContainerEntrypoint": ["sleep", str(seconds)],
            },
            "OutputDataConfig": {"S3OutputPath": self.output},
            "ResourceConfig": {"InstanceType": unit, "InstanceCount": count, "VolumeSizeInGB": 30},
            "StoppingCondition": {"MaxRuntimeInSeconds": seconds + 600},
        }


@dataclass(slots=True)
class Recorder:
    """Writes a job's state change whenever its status is another than when it was last looked at."""

    batch: Any
    file: TextIO
    seen: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def look(self, now_ms: int) -> bool:
        """Look at every job once; return whether all have ended."""
        for job_id in self.seen:
            if self.seen[job_id] not in ENDED_STATUSES:
                self._look_at(job_id, now_ms)
        return all(status in ENDED_STATUSES for status in self.seen.values())

    def _look_at(self, job_id: str, now_ms: int) -> None:
        detail = self.batch.describe_service_job(jobId=job_id)
        if detail["status"] == self.seen[job_id]:
            return
        self.seen[job_id] = detail["status"]
        self.count += 1
        print(f"{format_duration(now_ms):>8}  {detail['jobName']} is {detail['status']}", flush=True)
        event = {
            "id": str(self.count),
            "detail-type": STATE_CHANGE,
            "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "detail": {name: value for name, value in detail.items() if name not in _NEVER_RECORDED},
        }
        self.file.write(json.dumps(event) + "\n")
        self.file.flush()


def play(batch: Any, scenario: Scenario, training: Training, recorder: Recorder, wait: Wait) -> None:
    """Submit and update at the scenario's times, then follow the jobs until all have ended."""
    ids: dict[str, str] = {}
    steps = list(agenda(scenario))
    now_ms = 0
    while True:
        while steps and steps[0][0] <= now_ms:
            _, step = steps.pop(0)
            if isinstance(step, Job):
                ids[step.name] = submit(batch, scenario.queue, step, json.dumps(training.request(step)))
                recorder.seen[ids[step.name]] = ""
            elif isinstance(step, UpdatePriority):
                batch.update_service_job(jobId=ids[step.job], schedulingPriority=step.priority)
        if recorder.look(now_ms) and not steps:
            return
        pause_ms = min(POLL_MS, steps[0][0] - now_ms) if steps else POLL_MS
        wait(pause_ms)
        now_ms += pause_ms


def costs(scenario: Scenario) -> str:
    """Say what the scenario would use, as the model sees it."""
    found = measure(run(scenario))
    hours = sum(use.used_instance_ms for use in found.utilisation.values()) / 3_600_000
    units = ", ".join(found.utilisation)
    length = format_duration(found.window_ms)
    return f"{len(scenario.jobs)} training jobs on {units}, for about {length} and {hours:.1f} instance-hours"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m demo.verify", description=__doc__)
    parser.add_argument("--scenario", default="scenarios/verify-on-aws.yaml")
    parser.add_argument("--role-arn", required=True, help="SageMaker's execution role")
    parser.add_argument("--image", required=True, help="a container image of your registry that has sleep")
    parser.add_argument("--output", required=True, metavar="S3_URI", help="where SageMaker may write")
    parser.add_argument("--record", default="verify-events.jsonl", type=Path, metavar="FILE")
    parser.add_argument("--yes", action="store_true", help="submit the jobs: on AWS this costs money")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    scenario = load_scenario(given.scenario).value
    if scenario is None:
        raise SystemExit(f"{given.scenario} has errors; quota-engine validate {given.scenario} shows them")
    scenario = prepare(scenario)
    if not given.yes:
        print(f"This would submit {costs(scenario)}. Nothing was done; --yes does it.")
        return 2
    batch: Any = boto3.client("batch", region_name=scenario.stack.region)
    with given.record.open("w", encoding="utf-8") as file:
        recorder = Recorder(batch, file)
        training = Training(given.role_arn, given.image, given.output)
        play(batch, scenario, training, recorder, lambda ms: time.sleep(ms / 1000))
    print(f"recorded in {given.record}; now: quota-engine calibrate {given.record} --stack {scenario.stack.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
