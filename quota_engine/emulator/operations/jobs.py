"""Service jobs: submit, update, terminate, describe."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any, Final

import orjson

from ...model.arns import parse_arn
from ...model.service_facts import (
    ATTEMPT_DURATION_MIN_SECONDS,
    ATTEMPTS_MAX,
    ATTEMPTS_MIN,
    CLIENT_TOKEN_MAX,
    EVALUATE_ON_EXIT_MAX,
    JOB_PRIORITY_MAX,
    JOB_PRIORITY_MIN,
    NAME_PATTERN,
    NUM_INSTANCES,
    SERVICE_REQUEST_PAYLOAD_MAX_BYTES,
    STATUS_REASON_GLOB_MAX,
    SUBMIT_REQUEST_MAX_BYTES,
    TERMINATE_JOBS_MAX,
)
from ...model.work import Exit, Job, RetryRule, Terminate, UpdatePriority
from ..call import Api, Call, Operations
from ..driver import FIFO_SHARE, JobEntry, QueueDriver
from ..refusal import Refusal
from ..settings import RepeatedToken
from ..store import Kind, Resource, Status
from ..texts import refuse
from .joblists import list_service_jobs
from .jobviews import describe
from .judge import judge_tags
from .payload import INVALID_REQUEST, directives_of, need_of, parse_payload, training_job_name
from .queues import existing_queue

_JOB_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_OPEN_STATUSES: Final = (Status.VALID, Status.UPDATING)
"""A queue or share takes jobs while it is being updated too (assumption A-26)."""


def submit_service_job(call: Call, request: Api) -> Api:
    token = request.get("clientToken")
    fingerprint = _fingerprint(request)
    if token is not None and (job_id := call.region.submit_tokens.get((token, fingerprint))):
        return _repeated(call, token, job_id)
    _check_request(request)
    queue = existing_queue(call, request["jobQueue"], "queue-not-found")
    driver = call.region.drivers.get(queue.name)
    if driver is None or not _is_open(call, queue):
        raise refuse("queue-disabled", queue=queue.name)
    share = _share_for(call, queue, driver, request)
    payload = parse_payload(request["serviceRequestPayload"])
    job = _job(call, request, payload, share, driver)
    entry = _entry(call, request, payload, job, driver)
    call.region.jobs[entry.job_id] = entry
    if token is not None:
        call.region.submit_tokens[token, fingerprint] = entry.job_id
    driver.submit(call.at_ms, entry, job)
    return {"jobArn": entry.arn, "jobName": request["jobName"], "jobId": entry.job_id}


def _fingerprint(request: Api) -> bytes:
    """Return what makes two requests the same but for their token."""
    asked = {name: value for name, value in request.items() if name != "clientToken"}
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).digest()


def _repeated(call: Call, token: str, job_id: str) -> Api:
    if call.settings.repeated_token is RepeatedToken.REJECT:
        raise refuse("token-repeated", token=token)
    entry = call.region.jobs[job_id]
    return {"jobArn": entry.arn, "jobName": entry.request["jobName"], "jobId": job_id}


def _entry(call: Call, request: Api, payload: dict[str, Any], job: Job, driver: QueueDriver) -> JobEntry:
    return JobEntry(
        job_id=job.name,
        arn=call.region.scope.service_job(job.name),
        number=len(driver.entries),
        created_at_ms=call.at_ms,
        request=request,
        tags=request.pop("tags", {}),
        training_job_name=training_job_name(payload),
        driver=driver,
    )


def _check_request(request: Api) -> None:
    """Refuse what is out of range whatever the queue."""
    if not NAME_PATTERN.fullmatch(request["jobName"]):
        raise refuse("job-name")
    if "clientToken" in request and not 1 <= len(request["clientToken"]) <= CLIENT_TOKEN_MAX:
        raise refuse("client-token")
    _check_priority(request.get("schedulingPriority", JOB_PRIORITY_MIN))
    _check_retries(request.get("retryStrategy"))
    if request.get("timeoutConfig", {}).get("attemptDurationSeconds", math.inf) < ATTEMPT_DURATION_MIN_SECONDS:
        raise refuse("timeout")
    if request.get("preemptionConfiguration", {}).get("preemptionRetriesBeforeTermination", 0) < 0:
        raise refuse("preemption-retries")
    if len(request["serviceRequestPayload"].encode()) > SERVICE_REQUEST_PAYLOAD_MAX_BYTES:
        raise refuse("payload-too-long")
    if len(orjson.dumps(request)) > SUBMIT_REQUEST_MAX_BYTES:
        raise refuse("request-too-long")
    judge_tags(request.get("tags", {}))


def _check_priority(priority: int) -> None:
    if not JOB_PRIORITY_MIN <= priority <= JOB_PRIORITY_MAX:
        raise refuse("job-priority")


def _check_retries(strategy: Api | None) -> None:
    if strategy is None:
        return
    if not ATTEMPTS_MIN <= strategy["attempts"] <= ATTEMPTS_MAX:
        raise refuse("attempts")
    rules = strategy.get("evaluateOnExit", [])
    if len(rules) > EVALUATE_ON_EXIT_MAX:
        raise refuse("too-many-retry-rules")
    if any(len(rule.get("onStatusReason", "")) > STATUS_REASON_GLOB_MAX for rule in rules):
        raise refuse("retry-glob")


def _is_open(call: Call, resource: Resource) -> bool:
    return resource.detail["state"] == "ENABLED" and resource.status_at(call.at_ms) in _OPEN_STATUSES


def _share_for(call: Call, queue: Resource, driver: QueueDriver, request: Api) -> str:
    """Return the share a job goes to: the one it names in a quota-managed queue, none to name in a FIFO one."""
    if not driver.takes_jobs:
        raise refuse("fair-share")
    if "shareIdentifier" in request:
        raise refuse("share-identifier")
    name: str | None = request.get("quotaShareName")
    if not driver.is_quota_managed:
        if name is not None:
            raise refuse("share-name-forbidden")
        return FIFO_SHARE
    if not name:
        raise refuse("share-name-required")
    share = call.region.find(Kind.SHARE, f"{queue.name}/{name}")
    if share is None:
        raise refuse("share-not-found", name=name)
    if not _is_open(call, share):
        raise refuse("share-disabled", name=name)
    return name


def _job(call: Call, request: Api, payload: dict[str, Any], share: str, driver: QueueDriver) -> Job:
    """Build the scheduler's job. One whose need can't be computed is accepted and fails when dispatched (A-18)."""
    does = directives_of(payload, request.get("tags", {}), call.settings.job_duration_ms)
    need = need_of(payload)
    if need is not None and driver.counts_instances:
        need = {NUM_INSTANCES: sum(need.values())}
    retry = request.get("retryStrategy", {})
    timeout_s = request.get("timeoutConfig", {}).get("attemptDurationSeconds")
    return Job(
        name=call.world.ids.new("job"),
        share=share,
        need=need or {},
        submit_at_ms=call.at_ms,
        duration_ms=does.duration_ms if need is not None else None,
        priority=request.get("schedulingPriority", 0) if driver.is_quota_managed else 0,
        attempts=retry.get("attempts", 1),
        evaluate_on_exit=tuple(
            RetryRule(rule.get("action", "RETRY"), rule.get("onStatusReason", "*"))
            for rule in retry.get("evaluateOnExit", ())
        ),
        timeout_ms=None if timeout_s is None else timeout_s * 1000,
        preemption_retries=request.get("preemptionConfiguration", {}).get("preemptionRetriesBeforeTermination"),
        checkpoint_ms=does.checkpoint_ms,
        checkpoint_continuous=does.checkpoint_continuous,
        exit=does.exit if need is not None else Exit(0, INVALID_REQUEST),
    )


def describe_service_job(call: Call, request: Api) -> Api:
    entry = _existing(call, request["jobId"])
    return describe(entry, entry.driver.record(entry.job_id, call.at_ms), call.region.scope)


def update_service_job(call: Call, request: Api) -> Api:
    """Give an unfinished job another priority; the scheduler reads it at its next decision."""
    _check_priority(request["schedulingPriority"])
    entry = _existing(call, request["jobId"])
    record = entry.driver.record(entry.job_id, call.at_ms)
    if record.is_finished:
        raise refuse("job-finished", job=request["jobId"], status=record.status)
    entry.driver.apply(call.at_ms, UpdatePriority(call.at_ms, entry.job_id, request["schedulingPriority"]))
    return {"jobArn": entry.arn, "jobName": entry.request["jobName"], "jobId": entry.job_id}


def terminate_service_job(call: Call, request: Api) -> Api:
    """End a job; of one that has ended already nothing changes (assumption A-35)."""
    _terminate(call, _existing(call, request["jobId"]), request["reason"])
    return {}


def terminate_service_jobs(call: Call, request: Api) -> Api:
    """End up to 50 jobs. Unknown ids count as done; what is no id at all is an error of its own."""
    asked = list(dict.fromkeys(request["jobs"]))
    if not asked:
        raise refuse("no-jobs")
    if len(asked) > TERMINATE_JOBS_MAX:
        raise refuse("too-many-jobs", limit=TERMINATE_JOBS_MAX)
    successful, errors = [], []
    for job in asked:
        try:
            entry = _find(call, job)
        except Refusal as refusal:
            errors.append({"job": job, "code": refusal.code, "message": refusal.text})
            continue
        if entry is not None:
            _terminate(call, entry, request["reason"])
        successful.append(job)
    return {"successful": successful, "errors": errors}


def _terminate(call: Call, entry: JobEntry, reason: str) -> None:
    if not entry.driver.record(entry.job_id, call.at_ms).is_finished:
        entry.driver.apply(call.at_ms, Terminate(call.at_ms, entry.job_id, reason))


def _find(call: Call, id_or_arn: str) -> JobEntry | None:
    """Return the job of an id or ARN, None when there is none. Raises Refusal for what is neither."""
    arn = parse_arn(id_or_arn)
    if arn is None:
        if not _JOB_ID.fullmatch(id_or_arn):
            raise refuse("malformed-job", job=id_or_arn)
        return call.region.jobs.get(id_or_arn)
    if arn.kind != "service-job":
        raise refuse("malformed-job", job=id_or_arn)
    return call.region.jobs.get(arn.name) if arn.scope == call.region.scope else None


def _existing(call: Call, id_or_arn: str) -> JobEntry:
    """Return a job. Raises ClientException for whatever names none."""
    try:
        entry = _find(call, id_or_arn)
    except Refusal:
        entry = None
    if entry is None:
        raise refuse("job-not-found", name=id_or_arn)
    return entry


OPERATIONS: Operations = {
    "SubmitServiceJob": submit_service_job,
    "DescribeServiceJob": describe_service_job,
    "UpdateServiceJob": update_service_job,
    "TerminateServiceJob": terminate_service_job,
    "TerminateServiceJobs": terminate_service_jobs,
    "ListServiceJobs": list_service_jobs,
}
