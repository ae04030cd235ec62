"""A scenario played on the emulator: its jobs are submitted and its events happen at their instants of the clock.

What is to come is one entry of the journal, so that a restart plays the rest. A step that the emulator refuses (its
job has ended, somebody deleted the share) is skipped, as it would be for a user.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

from ..model.arns import Scope
from ..model.durations import format_duration
from ..model.shapes import environment_to_api, queue_to_api, share_to_api
from ..model.stack import Stack
from ..model.work import (
    ApplyStack,
    CapacityError,
    Event,
    Fail,
    Job,
    Scenario,
    SetCapacity,
    Terminate,
    UpdatePriority,
    arrival_key,
    events_of,
)
from .call import Call
from .operations import BATCH
from .operations.payload import CHECKPOINT_TAG, CONTINUOUS, DURATION_TAG, EXIT_TAG, FOREVER
from .refusal import Refusal
from .store import World
from .strikes import strike
from .wire.conform import conform

_LOG: Final = logging.getLogger("quota_engine.emulator")

Step = dict[str, Any]
"""One thing to do as JSON: `at_ms`, `operation` and `request`; `job` names a submission, or the job that is meant."""


def plan_of(scenario: Scenario, scope: Scope, start_ms: int) -> list[Step]:
    """Return what a scenario brings, in order of time from `start_ms` on; in one instant edits come before jobs."""
    steps: list[Step] = []
    stack = scenario.stack
    for event in sorted(events_of(scenario), key=lambda event: (event.at_ms, _rank(event))):
        if isinstance(event, ApplyStack):
            steps += ({**step, "at_ms": event.at_ms} for step in _edits(stack, event.stack, scenario.queue, scope))
            stack = event.stack
        else:
            steps.append({**_step_of(event, stack, scenario.queue), "at_ms": event.at_ms})
    for job in sorted(scenario.jobs, key=arrival_key):
        request = submission(job, scenario.queue)
        steps.append({"operation": "SubmitServiceJob", "request": request, "job": job.name, "at_ms": job.submit_at_ms})
    steps.sort(key=lambda step: step["at_ms"])
    return [{**step, "at_ms": start_ms + step["at_ms"]} for step in steps]


def _rank(event: Event) -> int:
    return 0 if isinstance(event, ApplyStack) else 1 if isinstance(event, SetCapacity) else 2


def submission(job: Job, queue: str) -> dict[str, Any]:
    """Return the SubmitServiceJob request that makes the emulator run a job as the scenario says."""
    groups = [
        {"InstanceGroupName": f"group-{number}", "InstanceType": unit, "InstanceCount": count}
        for number, (unit, count) in enumerate(job.need.items(), start=1)
    ]
    payload = {"TrainingJobName": job.name.replace("_", "-"), "ResourceConfig": {"InstanceGroups": groups}}
    request: dict[str, Any] = {
        "jobName": job.name,
        "jobQueue": queue,
        "quotaShareName": job.share,
        "schedulingPriority": job.priority,
        "serviceJobType": "SAGEMAKER_TRAINING",
        "serviceRequestPayload": orjson.dumps(payload).decode(),
        "tags": _tags(job),
    }
    if job.attempts > 1 or job.evaluate_on_exit:
        rules = [{"action": rule.action, "onStatusReason": rule.on_status_reason} for rule in job.evaluate_on_exit]
        request["retryStrategy"] = {"attempts": job.attempts, **({"evaluateOnExit": rules} if rules else {})}
    if job.timeout_ms is not None:
        request["timeoutConfig"] = {"attemptDurationSeconds": job.timeout_ms // 1000}
    if job.preemption_retries is not None:
        request["preemptionConfiguration"] = {"preemptionRetriesBeforeTermination": job.preemption_retries}
    return request


def _tags(job: Job) -> dict[str, str]:
    """Return the directives of a job. One that fails by itself runs until then; see `payload.directives_of`."""
    runs_ms = job.duration_ms if job.exit is None else job.exit.after_ms
    tags = {DURATION_TAG: FOREVER if runs_ms is None else format_duration(runs_ms)}
    if job.exit is not None:
        tags[EXIT_TAG] = job.exit.status_reason
    if job.checkpoint_continuous:
        tags[CHECKPOINT_TAG] = CONTINUOUS
    elif job.checkpoint_ms:
        tags[CHECKPOINT_TAG] = format_duration(job.checkpoint_ms)
    return tags


def _step_of(event: Event, stack: Stack, queue: str) -> Step:
    match event:
        case UpdatePriority(job=job, priority=priority):
            return {"operation": "UpdateServiceJob", "job": job, "request": {"schedulingPriority": priority}}
        case Terminate(job=job, reason=reason):
            return {"operation": "TerminateServiceJob", "job": job, "request": {"reason": reason}}
        case Fail(job=job, reason=reason):
            return {"operation": "strike", "job": job, "request": {"fail": reason}}
        case CapacityError(job=job):
            return {"operation": "strike", "job": job, "request": {"capacity_error": True}}
        case SetCapacity(capacity=capacity):
            (environment,) = stack.job_queues[queue].service_environments
            limits = {**stack.service_environments[environment].capacity_limits, **capacity}
            return _update("ServiceEnvironment", "serviceEnvironment", environment, _limits(limits))
    raise TypeError(f"no step for {type(event).__name__}")


def _limits(capacity: dict[str, int]) -> dict[str, Any]:
    return {"capacityLimits": [{"maxCapacity": count, "capacityUnit": unit} for unit, count in capacity.items()]}


def _update(kind: str, member: str, name: str, request: dict[str, Any]) -> Step:
    return {"operation": f"Update{kind}", "request": {member: name, **request}}


def _edits(before: Stack, after: Stack, name: str, scope: Scope) -> Iterator[Step]:
    """Yield what turns one declaration of a queue into another: its environment, itself, its shares."""
    queue, former = after.job_queues[name], before.job_queues[name]
    environment = environment_to_api(after.service_environments[queue.service_environments[0]])
    kept = {member: environment[member] for member in ("capacityLimits", "state")}
    yield _update("ServiceEnvironment", "serviceEnvironment", environment["serviceEnvironmentName"], kept)
    wanted = queue_to_api(queue, scope)
    kept = {"jobStateTimeLimitActions": wanted.get("jobStateTimeLimitActions", []), "state": wanted["state"]}
    yield _update("JobQueue", "jobQueue", name, {**kept, "priority": queue.priority})
    for share_name, share in queue.quota_shares.items():
        request = share_to_api(share, scope.job_queue(name))
        if share_name not in former.quota_shares:
            yield {"operation": "CreateQuotaShare", "request": request}
        elif share != former.quota_shares[share_name]:
            kept = {member: request[member] for member in _SHARE_MEMBERS}
            yield _update("QuotaShare", "quotaShareArn", scope.quota_share(name, share_name), kept)
    for share_name in former.quota_shares:
        if share_name not in queue.quota_shares:
            arn = scope.quota_share(name, share_name)
            yield _update("QuotaShare", "quotaShareArn", arn, {"state": "DISABLED"})
            yield {"operation": "DeleteQuotaShare", "request": {"quotaShareArn": arn}}


_SHARE_MEMBERS: Final = ("capacityLimits", "resourceSharingConfiguration", "preemptionConfiguration", "state")


def play(world: World, scope: Scope, steps: list[Step]) -> None:
    """Have every step done at its instant."""
    ids: dict[str, str] = {}
    for step in steps:
        world.call_at(step["at_ms"], _action(world, scope, step, ids))


def _action(world: World, scope: Scope, step: Step, ids: dict[str, str]) -> Callable[[int], None]:
    def act(at_ms: int) -> None:
        mark = world.mark()
        try:
            _do(Call(world, world.region(scope), at_ms), step, ids)
        except (Refusal, ValueError, KeyError) as error:
            world.reset(mark)
            _LOG.warning("the scenario's %s at %d ms was refused: %s", step["operation"], at_ms, error)

    return act


def _do(call: Call, step: Step, ids: dict[str, str]) -> None:
    operation, request = step["operation"], dict(step["request"])
    if operation == "strike":
        strike(call.world, {**request, "job": ids[step["job"]]}, call.at_ms)
        return
    if "job" in step and operation != "SubmitServiceJob":
        request["jobId"] = ids[step["job"]]
    output = BATCH[operation](call, conform("batch", operation, request))
    if operation == "SubmitServiceJob":
        ids[step["job"]] = output["jobId"]
