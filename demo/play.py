"""Plays a scenario on an emulator with the manual clock: submits its jobs with boto3, moves the clock, and compares
what was dispatched and preempted with what the model predicts. Exits 1 when they differ."""

from __future__ import annotations

import json
import os
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import boto3

from quota_engine.config import load_scenario
from quota_engine.model.durations import format_duration
from quota_engine.model.work import Job, Scenario, UpdatePriority
from quota_engine.simulate import Start, run, sequence
from quota_engine.simulate.outcome import PREEMPTED
from quota_engine.workloads import prepare

ENDPOINT = "AWS_ENDPOINT_URL_BATCH"
AFTERWARDS_MS = 5 * 60_000
"""How long the clock goes on after the last step: jobs are still running then."""


def emulator(path: str, body: dict[str, Any] | None = None) -> Any:
    """Call one of the emulator's own routes, in the account that the clients use."""
    request = urllib.request.Request(
        f"{os.environ[ENDPOINT]}{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def payload(job: Job) -> str:
    """Return the CreateTrainingJob request that Batch would hand to SageMaker."""
    groups = [
        {"InstanceGroupName": f"group-{number}", "InstanceType": unit, "InstanceCount": count}
        for number, (unit, count) in enumerate(job.need.items(), start=1)
    ]
    return json.dumps({"TrainingJobName": job.name.replace("_", "-"), "ResourceConfig": {"InstanceGroups": groups}})


def submit(batch: Any, queue: str, job: Job, request: str) -> str:
    """Submit a job with a CreateTrainingJob request and return its id. The tag tells the emulator how long it runs."""
    duration = "forever" if job.duration_ms is None else format_duration(job.duration_ms)
    answer = batch.submit_service_job(
        jobName=job.name,
        jobQueue=queue,
        quotaShareName=job.share,
        schedulingPriority=job.priority,
        serviceJobType="SAGEMAKER_TRAINING",
        serviceRequestPayload=request,
        tags={"quota-engine/duration": duration},
    )
    job_id: str = answer["jobId"]
    return job_id


def agenda(scenario: Scenario) -> Iterator[tuple[int, Job | UpdatePriority]]:
    """Yield (time, what to do) in order; this demonstration knows submissions and priority updates."""
    steps: list[tuple[int, Job | UpdatePriority]] = [(job.submit_at_ms, job) for job in scenario.jobs]
    steps += [(event.at_ms, event) for event in scenario.events if isinstance(event, UpdatePriority)]
    yield from sorted(steps, key=lambda step: step[0])


def play(scenario: Scenario) -> list[Start]:
    """Play the scenario and return the emulator's own sequence, by job name."""
    batch = boto3.client("batch")
    ids: dict[str, str] = {}
    now_ms = 0
    for at_ms, step in agenda(scenario):
        emulator("/_emulator/clock", {"advance_ms": at_ms - now_ms})
        now_ms = at_ms
        if isinstance(step, Job):
            ids[step.name] = submit(batch, scenario.queue, step, payload(step))
            print(f"{format_duration(at_ms):>6}  submitted {step.name} to {step.share}")
        else:
            batch.update_service_job(jobId=ids[step.job], schedulingPriority=step.priority)
            print(f"{format_duration(at_ms):>6}  {step.job} has priority {step.priority} now")
    emulator("/_emulator/clock", {"advance_ms": AFTERWARDS_MS})
    for name, job_id in ids.items():
        print(f"        {name} is {batch.describe_service_job(jobId=job_id)['status']}")
    return recorded(scenario.queue, batch.meta.region_name)


def recorded(queue: str, region: str) -> list[Start]:
    """Return the starts and preemptions that the emulator's scheduler recorded for a queue."""
    asked = urllib.parse.urlencode({"queue": queue, "account": os.environ["AWS_ACCESS_KEY_ID"], "region": region})
    starts = []
    for event in emulator(f"/_emulator/trace?{asked}")["events"]:
        if event["event"] == "Dispatched":
            starts.append(Start(event["job_name"], event["start"]))
        elif event["event"] == "PreemptionStarted":
            starts.append(Start(event["job_name"], PREEMPTED, event["by_name"]))
    return starts


def predicted(scenario: Scenario) -> list[Start]:
    """Return what the model says happens up to the moment at which `play` stops."""
    last_ms = max((at_ms for at_ms, _ in agenda(scenario)), default=0)
    return sequence(run(replace(scenario, until_ms=last_ms + AFTERWARDS_MS)).trace)


def in_words(start: Start | None) -> str:
    if start is None:
        return "-"
    return f"{start.job}: preempted by {start.by}" if start.by else f"{start.job}: starts, {start.how}"


def compare(model: list[Start], emulator_saw: list[Start]) -> bool:
    """Print both sequences side by side and return whether they are the same."""
    print(f"\n  {'simulate':<46}  emulator")
    for left, right in zip_longest(model, emulator_saw):
        print(f"{' ' if left == right else '!'} {in_words(left):<46}  {in_words(right)}")
    agree = model == emulator_saw
    print(f"\n{len(model)} of {len(model)} agree" if agree else "\nthe emulator did NOT do what was predicted")
    return agree


def main(path: str) -> int:
    scenario = load_scenario(path).value
    if scenario is None:
        raise SystemExit(f"{path} has errors; quota-engine validate {path} shows them")
    scenario = prepare(scenario)
    return 0 if compare(predicted(scenario), play(scenario)) else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m demo.play SCENARIO")
    sys.exit(main(sys.argv[1]))
