"""Service jobs through boto3 on the manual clock: the announcement's walkthrough, and everything a job can meet."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import Emulator, StartEmulator
from tests.emulator.conftest import Refused
from tests.emulator.resources import (
    UNIT,
    limits,
    make_blog_queue,
    make_environment,
    make_policy,
    make_queue,
    payload,
    queue_request,
    share_request,
    status,
    submit,
)

HOUR_MS = 3_600_000
CROSS_SHARE = "Cross-share preemption triggered to reclaim borrowed capacity"
TRAINING_JOB = re.compile(r"arn:aws:sagemaker:us-west-2:123456789012:training-job/AWSBatchtrain[0-9a-f]{32}")


def statuses(batch: Any, jobs: dict[str, str]) -> dict[str, str]:
    return {name: status(batch, job_id) for name, job_id in jobs.items()}


def started(emulator: Emulator, queue: str = "training") -> list[tuple[str, str, str]]:
    """Return (job, how it was dispatched, preempted jobs) in order, from the trace."""
    events = emulator.control(f"trace?queue={queue}")["events"]
    return [
        (event["job_name"], event["start"], ",".join(event["victim_names"]))
        for event in events
        if event["event"] == "Dispatched"
    ]


def test_the_announcements_walkthrough(emulator: Emulator, batch: Any) -> None:
    """Lend, borrow, take back across shares, preempt in the share, as the announcement post tells it (G1)."""
    make_blog_queue(batch)
    jobs = {}
    for name, priority in (("high", 3), ("med", 2), ("low", 1)):
        jobs[name] = submit(batch, name, "QS1", priority)
        emulator.advance(1000)
    assert statuses(batch, jobs) == {"high": "RUNNING", "med": "RUNNING", "low": "RUNNABLE"}
    emulator.advance(600_000)
    jobs["qs2_job"] = submit(batch, "qs2_job", "QS2", 1)
    assert statuses(batch, jobs) == {"high": "RUNNING", "med": "RUNNABLE", "low": "RUNNABLE", "qs2_job": "RUNNING"}
    batch.update_service_job(jobId=jobs["low"], schedulingPriority=4)
    assert statuses(batch, jobs) == {"high": "RUNNABLE", "med": "RUNNABLE", "low": "RUNNING", "qs2_job": "RUNNING"}
    jobs["qs3_job"] = submit(batch, "qs3_job", "QS3", 1)
    batch.terminate_service_job(jobId=jobs["qs2_job"], reason="enough")
    assert statuses(batch, jobs) == {
        "high": "RUNNING",
        "med": "RUNNABLE",
        "low": "RUNNING",
        "qs2_job": "FAILED",
        "qs3_job": "RUNNING",
    }
    assert started(emulator) == [
        ("high", "own", ""),
        ("med", "borrowed", ""),
        ("qs2_job", "own", "med"),
        ("low", "in-share", "high"),
        ("qs3_job", "own", ""),
        ("high", "borrowed", ""),
    ]


def test_a_preempted_job_tells_what_happened(emulator: Emulator, batch: Any) -> None:
    """The summary counts and shows preempted attempts; they are not among the attempts, and the latest one is gone."""
    make_blog_queue(batch)
    submit(batch, "high", "QS1", 3)
    med = submit(batch, "med", "QS1", 2)
    at_ms = batch.describe_service_job(jobId=med)["startedAt"]
    emulator.advance(5000)
    submit(batch, "qs2_job", "QS2")
    found = batch.describe_service_job(jobId=med)
    assert found["status"] == "RUNNABLE"
    assert "latestAttempt" not in found
    assert found["attempts"] == []
    (attempt,) = found["preemptionSummary"]["recentPreemptedAttempts"]
    assert TRAINING_JOB.fullmatch(attempt.pop("serviceResourceId")["value"])
    assert attempt == {"startedAt": at_ms, "stoppedAt": at_ms + 5000, "statusReason": CROSS_SHARE}
    assert found["preemptionSummary"]["preemptedAttemptCount"] == 1


def test_preemption_retries_zero_fails_at_the_first_preemption(batch: Any) -> None:
    """0 and unset are different: unset requeues without limit (User guide, Preemption)."""
    make_blog_queue(batch)
    submit(batch, "high", "QS1", 3)
    retries = {"preemptionRetriesBeforeTermination": 0}
    med = submit(batch, "med", "QS1", 2, preemptionConfiguration=retries)
    assert batch.describe_service_job(jobId=med)["preemptionConfiguration"] == retries
    submit(batch, "qs2_job", "QS2")
    found = batch.describe_service_job(jobId=med)
    assert (found["status"], found["statusReason"]) == ("FAILED", CROSS_SHARE)


def test_a_job_comes_back_with_every_member(emulator: Emulator, batch: Any) -> None:
    """What a client sends, it can read; the queue as ARN, actions in the enum's case, the need as capacity usage."""
    make_blog_queue(batch)
    rules = [{"action": "retry", "onStatusReason": "Received status from SageMaker: *"}]
    request = {
        "retryStrategy": {"attempts": 3, "evaluateOnExit": rules},
        "preemptionConfiguration": {"preemptionRetriesBeforeTermination": 2},
        "timeoutConfig": {"attemptDurationSeconds": 3600},
        "tags": {"team": "a"},
    }
    job = submit(batch, "job", "QS1", 9999, **request)
    found = batch.describe_service_job(jobId=f"arn:aws:batch:us-west-2:123456789012:service-job/{job}")
    shown = {name: found[name] for name in request}
    request["retryStrategy"] = {"attempts": 3, "evaluateOnExit": [{**rules[0], "action": "RETRY"}]}
    assert shown == request
    assert found["jobQueue"] == "arn:aws:batch:us-west-2:123456789012:job-queue/training"
    assert found["quotaShareName"] == "QS1"
    assert found["schedulingPriority"] == 9999
    assert found["capacityUsage"] == [{"capacityUnit": UNIT, "quantity": 1.0}]
    assert found["serviceRequestPayload"] == payload()
    assert found["isTerminated"] is False
    assert found["createdAt"] == emulator.control("clock")["now_ms"]
    assert TRAINING_JOB.fullmatch(found["latestAttempt"]["serviceResourceId"]["value"])
    plain = batch.describe_service_job(jobId=submit(batch, "plain", "QS1"))
    assert plain["schedulingPriority"] == 0, "always shown, though not given"
    assert not plain.keys() & {"preemptionConfiguration", "preemptionSummary", "retryStrategy", "timeoutConfig"}


def test_a_job_passes_through_scheduled_and_starting(start_emulator: StartEmulator) -> None:
    """A client that looks right after submitting sees what AWS would show, and no start time before the start."""
    emulator = start_emulator(scheduled_ms=1000, starting_ms=2000, job_duration_ms=30_000)
    batch = emulator.client("batch")
    make_blog_queue(batch)
    job = submit(batch, "job", "QS1")
    seen = []
    for by_ms in (0, 999, 1, 1999, 1, 29_999, 1):
        emulator.advance(by_ms)
        found = batch.describe_service_job(jobId=job)
        seen.append(found["status"])
        assert ("startedAt" in found) == (found["status"] in ("RUNNING", "SUCCEEDED"))
    assert seen == ["SCHEDULED", "SCHEDULED", "STARTING", "STARTING", "RUNNING", "RUNNING", "SUCCEEDED"]
    (attempt,) = found["attempts"]
    assert attempt["stoppedAt"] - attempt["startedAt"] == 30_000
    assert found["latestAttempt"]["serviceResourceId"] == attempt["serviceResourceId"]


@pytest.mark.parametrize("where", ["tags", "hyperparameters"])
def test_duration_and_exit_come_from_the_request(emulator: Emulator, batch: Any, where: str) -> None:
    """A test of a client's error handling needs a job that fails on command; a tag wins over a hyperparameter."""
    make_blog_queue(batch)
    wish = {"quota-engine/duration": "10m", "quota-engine/exit": "AlgorithmError: exit 1"}
    given: dict[str, Any] = {"tags": wish}
    if where == "hyperparameters":
        parameters = {**wish, "quota-engine/duration": "5h"}
        text = payload()[:-1] + ', "HyperParameters": ' + str(parameters).replace("'", '"') + "}"
        given = {"serviceRequestPayload": text, "tags": {"quota-engine/duration": "10m"}}
    job = submit(batch, "job", "QS1", **given)
    emulator.advance(599_999)
    assert status(batch, job) == "RUNNING"
    emulator.advance(1)
    found = batch.describe_service_job(jobId=job)
    assert found["status"] == "FAILED"
    assert found["statusReason"] == "Received status from SageMaker: AlgorithmError: exit 1"
    assert found["attempts"][0]["statusReason"] == found["statusReason"]


def test_a_job_that_states_nothing_takes_the_servers_duration(start_emulator: StartEmulator) -> None:
    """--job-duration; the tag "forever" overrides it."""
    emulator = start_emulator(job_duration_ms=60_000)
    batch = emulator.client("batch")
    make_blog_queue(batch)
    job, endless = (
        submit(batch, "job", "QS2"),
        submit(batch, "endless", "QS1", tags={"quota-engine/duration": "forever"}),
    )
    emulator.advance(60_000)
    assert status(batch, job) == "SUCCEEDED"
    emulator.advance(1000 * HOUR_MS)
    assert status(batch, endless) == "RUNNING"


def test_a_failed_attempt_is_retried_as_the_rules_say(emulator: Emulator, batch: Any) -> None:
    """Attempts count placements; a rule that says EXIT ends it at once (G9)."""
    make_blog_queue(batch)
    fails = {"quota-engine/duration": "1m", "quota-engine/exit": "InternalServerError: try again"}
    job = submit(batch, "job", "QS1", retryStrategy={"attempts": 2}, tags=fails)
    emulator.advance(60_000)
    assert status(batch, job) == "RUNNING"
    emulator.advance(60_000)
    found = batch.describe_service_job(jobId=job)
    assert found["status"] == "FAILED"
    assert len({attempt["serviceResourceId"]["value"] for attempt in found["attempts"]}) == 2
    rule = {"action": "EXIT", "onStatusReason": "*InternalServerError*"}
    once = submit(batch, "once", "QS1", retryStrategy={"attempts": 5, "evaluateOnExit": [rule]}, tags=fails)
    emulator.advance(60_000)
    assert status(batch, once) == "FAILED"


def test_an_attempt_that_takes_too_long_times_out(emulator: Emulator, batch: Any) -> None:
    """attemptDurationSeconds ends it, with a reason as every FAILED job has one."""
    make_blog_queue(batch)
    job = submit(batch, "job", "QS1", timeoutConfig={"attemptDurationSeconds": 60})
    emulator.advance(60_000)
    found = batch.describe_service_job(jobId=job)
    assert found["status"] == "FAILED"
    assert found["statusReason"]


def test_a_payload_without_a_need_is_accepted_and_fails(batch: Any) -> None:
    """Batch passes the payload on unread; SageMaker refuses it (A-18)."""
    make_blog_queue(batch)
    configs: list[dict[str, Any]] = [{"InstancePreferences": []}, {"InstanceType": UNIT, "InstanceCount": 0}]
    for config in (*configs, {"InstanceCount": 2}):
        job = submit(batch, "job", "QS1", serviceRequestPayload=payload(**config))
        found = batch.describe_service_job(jobId=job)
        assert found["status"] == "FAILED"
        assert found["statusReason"].startswith("Received status from SageMaker: ValidationException")


def test_instance_groups_make_a_heterogeneous_need(batch: Any) -> None:
    """Groups of one type add up; the count defaults to 1."""
    make_queue(batch, count=9)
    batch.create_quota_share(**share_request("QS", "training", capacityLimits=limits(9)))
    groups = [
        {"InstanceType": UNIT, "InstanceCount": 3, "InstanceGroupName": "a"},
        {"InstanceType": UNIT, "InstanceCount": 2, "InstanceGroupName": "b"},
    ]
    job = submit(batch, "job", "QS", serviceRequestPayload=payload(InstanceGroups=groups))
    other = submit(batch, "other", "QS", serviceRequestPayload=payload(InstanceType=UNIT))
    assert batch.describe_service_job(jobId=job)["capacityUsage"] == [{"capacityUnit": UNIT, "quantity": 5.0}]
    assert batch.describe_service_job(jobId=other)["capacityUsage"] == [{"capacityUnit": UNIT, "quantity": 1.0}]


def test_a_head_that_can_never_run_says_why_and_is_ended_in_time(emulator: Emulator, batch: Any) -> None:
    """The reason is what users see; the queue's action frees the share of it (G5, G6)."""
    make_blog_queue(batch)
    code = "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED"
    action = {"reason": code, "state": "RUNNABLE", "maxTimeSeconds": 600, "action": "TERMINATE"}
    batch.update_job_queue(jobQueue="training", jobStateTimeLimitActions=[action])
    two = payload(InstanceType=UNIT, InstanceCount=2)
    stuck, behind = submit(batch, "stuck", "QS3", serviceRequestPayload=two), submit(batch, "behind", "QS3")
    reason = batch.describe_service_job(jobId=stuck)["statusReason"]
    assert reason == f"{code} - Job requirements exceed quota share capacity limits."
    assert status(batch, behind) == "RUNNABLE"
    emulator.advance(600_000)
    found = batch.describe_service_job(jobId=stuck)
    assert found["statusReason"] == f"Terminated by JobStateTimeLimit action due to reason: {code}"
    assert found["isTerminated"] is True
    assert status(batch, behind) == "RUNNING"


def test_terminating_is_repeatable_and_keeps_the_first_reason(batch: Any) -> None:
    """Clients retry a terminate; a finished job doesn't change (A-35)."""
    make_blog_queue(batch)
    job = submit(batch, "job", "QS1")
    for reason in ("first", "second"):
        batch.terminate_service_job(jobId=job, reason=reason)
    found = batch.describe_service_job(jobId=job)
    assert (found["status"], found["statusReason"], found["isTerminated"]) == ("FAILED", "first", True)


def test_terminating_many_counts_unknown_ids_as_done(batch: Any, refused: Refused) -> None:
    """What is no id at all is an error of its own, the rest is carried out (API Reference, TerminateServiceJobs)."""
    make_blog_queue(batch)
    jobs = [submit(batch, f"job-{number}", "QS1") for number in range(3)]
    unknown = "11111111-2222-3333-4444-555555555555"
    answer = batch.terminate_service_jobs(jobs=[*jobs, unknown, "nonsense"], reason="stop")
    assert answer["successful"] == [*jobs, unknown]
    assert [(error["job"], error["code"]) for error in answer["errors"]] == [("nonsense", "ValidationException")]
    assert {status(batch, job) for job in jobs} == {"FAILED"}
    refused(batch.terminate_service_jobs, jobs=[unknown] * 0, reason="stop")
    many = [f"11111111-2222-3333-4444-{number:012}" for number in range(51)]
    refused(batch.terminate_service_jobs, jobs=many, reason="stop")


def test_a_finished_job_takes_no_priority(batch: Any, refused: Refused) -> None:
    """It would never be read (A-35)."""
    make_blog_queue(batch)
    job = submit(batch, "job", "QS1")
    batch.terminate_service_job(jobId=job, reason="stop")
    refused(batch.update_service_job, jobId=job, schedulingPriority=2)
    refused(batch.update_service_job, jobId="no-job", schedulingPriority=2)
    refused(batch.describe_service_job, jobId="11111111-2222-3333-4444-555555555555")


def test_deleting_a_share_ends_its_jobs(batch: Any) -> None:
    """Running and waiting ones alike; the deletion does not linger for them."""
    make_blog_queue(batch)
    jobs = [submit(batch, f"job-{number}", "QS3") for number in range(3)]
    arn = "arn:aws:batch:us-west-2:123456789012:job-queue/training/quota-share/QS3"
    batch.update_quota_share(quotaShareArn=arn, state="DISABLED")
    assert status(batch, jobs[0]) == "RUNNING", "disabling a share ends nothing"
    batch.delete_quota_share(quotaShareArn=arn)
    for job in jobs:
        found = batch.describe_service_job(jobId=job)
        assert found["status"] == "FAILED"
        assert found["statusReason"]
    usage = batch.get_job_queue_snapshot(jobQueue="training")["queueUtilization"]["totalCapacityUsage"]
    assert usage == []


def test_what_is_disabled_takes_no_jobs(batch: Any, refused: Refused) -> None:
    """A disabled share or queue refuses; a disabled environment accepts and holds."""
    make_blog_queue(batch)
    arn = "arn:aws:batch:us-west-2:123456789012:job-queue/training/quota-share/QS1"
    batch.update_quota_share(quotaShareArn=arn, state="DISABLED")
    refused(submit, batch=batch, name="job", share="QS1")
    batch.update_service_environment(serviceEnvironment="training-environment", state="DISABLED")
    held = submit(batch, "held", "QS2")
    assert status(batch, held) == "RUNNABLE"
    batch.update_service_environment(serviceEnvironment="training-environment", state="ENABLED")
    assert status(batch, held) == "RUNNING"
    batch.update_job_queue(jobQueue="training", state="DISABLED")
    refused(submit, batch=batch, name="job", share="QS2")
    assert status(batch, held) == "RUNNING"


def test_edits_reach_the_scheduler(batch: Any) -> None:
    """Raising a limit lets a waiting job run at once; an environment's limit too."""
    make_blog_queue(batch)
    jobs = [submit(batch, f"job-{number}", "QS3") for number in range(2)]
    assert [status(batch, job) for job in jobs] == ["RUNNING", "RUNNABLE"]
    arn = "arn:aws:batch:us-west-2:123456789012:job-queue/training/quota-share/QS3"
    batch.update_quota_share(quotaShareArn=arn, capacityLimits=limits(2))
    assert [status(batch, job) for job in jobs] == ["RUNNING", "RUNNING"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"jobName": "two words"}, "Job name should match valid pattern"),
        ({"jobQueue": "no"}, "JobQueue no not found."),
        ({"quotaShareName": "no"}, "QuotaShare no not found."),
        ({"quotaShareName": ""}, "quotaShareName is required"),
        ({"shareIdentifier": "x"}, "shareIdentifier is only allowed"),
        ({"schedulingPriority": 10_000}, "Scheduling priority must be between 0 and 9999."),
        ({"schedulingPriority": -1}, "Scheduling priority must be between 0 and 9999."),
        ({"retryStrategy": {"attempts": 11}}, "RetryAttempts must be between 1 and 10."),
        ({"retryStrategy": {"attempts": 1, "evaluateOnExit": [{"onStatusReason": "*"}] * 6}}, "at most 5"),
        ({"timeoutConfig": {"attemptDurationSeconds": 59}}, "at least 60 seconds"),
        ({"preemptionConfiguration": {"preemptionRetriesBeforeTermination": -1}}, "0 or more"),
        ({"serviceRequestPayload": "{"}, "must be a JSON object"),
        ({"serviceRequestPayload": "[]"}, "must be a JSON object"),
        ({"serviceRequestPayload": '{"a": "' + "x" * 10_240 + '"}'}, "at most 10240 bytes"),
        ({"tags": {"AWS:x": "y"}}, "must not begin with aws:"),
        ({"tags": {"k" * 129: "y"}}, "1 to 128"),
        ({"tags": {"k": "y" * 257}}, "at most 256"),
        ({"tags": {str(number): "" for number in range(51)}}, "at most 50"),
        ({"tags": {"quota-engine/duration": "10"}}, "quota-engine/duration is 10"),
        ({"tags": {"quota-engine/exit": ""}}, "quota-engine/exit"),
        ({"serviceJobType": "GLUE"}, "must be one of [SAGEMAKER_TRAINING]"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_submission_is_refused(batch: Any, refused: Refused, given: dict[str, Any], words: str) -> None:
    """Each range and state rule answers with its text, and no job comes of it."""
    make_blog_queue(batch)
    request = {
        "jobName": "job",
        "jobQueue": "training",
        "quotaShareName": "QS1",
        "serviceJobType": "SAGEMAKER_TRAINING",
        "serviceRequestPayload": payload(),
    }
    assert words in refused(batch.submit_service_job, **{**request, **given})


def test_a_repeated_client_token_makes_no_second_job(
    batch: Any, start_emulator: StartEmulator, refused: Refused
) -> None:
    """SDKs retry a lost answer with the same token; another request with that token is another job."""
    make_blog_queue(batch)
    submit(batch, "job", "QS1", clientToken="token")
    assert "token" in refused(submit, batch=batch, name="job", share="QS1", clientToken="token")
    submit(batch, "other", "QS1", clientToken="token")
    from quota_engine.emulator import RepeatedToken

    lenient = start_emulator(repeated_token=RepeatedToken.SAME_JOB).client("batch")
    make_blog_queue(lenient)
    first = submit(lenient, "job", "QS1", clientToken="token")
    assert submit(lenient, "job", "QS1", clientToken="token") == first


def test_lists_follow_the_rules_of_their_filters(emulator: Emulator, batch: Any) -> None:
    """RUNNING by default; name and time filters ignore the status; newest first."""
    make_blog_queue(batch)
    start_ms = emulator.control("clock")["now_ms"]
    for number, name in enumerate(["Alpha-1", "alpha-2", "beta"]):
        emulator.advance(1000)
        submit(batch, name, "QS1", 3 - number)

    def listed(name: str | None = None, value: str = "", **given: Any) -> list[str]:
        filters = {"filters": [{"name": name, "values": [value]}]} if name else {}
        answer = batch.list_service_jobs(jobQueue="training", **filters, **given)
        return [job["jobName"] for job in answer["jobSummaryList"]]

    assert listed() == ["alpha-2", "Alpha-1"]
    assert listed(jobStatus="RUNNABLE") == ["beta"]
    assert listed("JOB_NAME", "BETA") == ["beta"]
    assert listed("JOB_NAME", "alpha*", jobStatus="FAILED") == ["Alpha-1", "alpha-2"]
    assert listed("BEFORE_CREATED_AT", str(start_ms + 2000)) == ["Alpha-1"]
    assert listed("AFTER_CREATED_AT", str(start_ms + 2000)) == ["beta"]
    assert listed("QUOTA_SHARE_NAME", "QS1") == ["beta", "alpha-2", "Alpha-1"]
    assert listed("QUOTA_SHARE_NAME", "QS1", jobStatus="RUNNABLE") == ["beta"]
    assert listed("QUOTA_SHARE_NAME", "QS2") == []


def test_the_share_filters_default_status_is_a_setting(start_emulator: StartEmulator) -> None:
    """The model's text can be read either way (A-24)."""
    batch = start_emulator(share_filter_status="RUNNING").client("batch")
    make_blog_queue(batch)
    for number in range(3):
        submit(batch, f"job-{number}", "QS1")
    answer = batch.list_service_jobs(jobQueue="training", filters=[{"name": "QUOTA_SHARE_NAME", "values": ["QS1"]}])
    assert [job["jobName"] for job in answer["jobSummaryList"]] == ["job-1", "job-0"]


@pytest.mark.parametrize(
    "given",
    [
        {"filters": [{"name": "COLOUR", "values": ["x"]}]},
        {"filters": [{"name": "JOB_NAME", "values": ["a", "b"]}]},
        {"filters": [{"name": "JOB_NAME", "values": ["a"]}] * 2},
        {"filters": [{"name": "BEFORE_CREATED_AT", "values": ["yesterday"]}]},
        {"filters": [{"name": "BEFORE_CREATED_AT", "values": ["9" * 30]}]},
        {"maxResults": 101},
        {"maxResults": 0},
        {"nextToken": "nonsense"},
        {"jobStatus": "DONE"},
    ],
    ids=str,
)
def test_a_bad_list_request_is_refused(batch: Any, refused: Refused, given: dict[str, Any]) -> None:
    """An empty answer would hide the mistake."""
    make_blog_queue(batch)
    refused(batch.list_service_jobs, jobQueue="training", **given)


def test_the_snapshot_shows_fronts_and_use(emulator: Emulator, batch: Any) -> None:
    """Every share is there, with an empty list where nothing waits; the larger user comes first (G7)."""
    make_queue(batch, count=9)
    batch.create_quota_share(**share_request("team-a", "training", capacityLimits=limits(4)))
    batch.create_quota_share(**share_request("team-b", "training", capacityLimits=limits(5)))
    batch.create_quota_share(**share_request("team-c", "training", state="DISABLED"))
    submit(batch, "four", "team-a", serviceRequestPayload=payload(InstanceType=UNIT, InstanceCount=4))
    submit(batch, "five", "team-b", serviceRequestPayload=payload(InstanceType=UNIT, InstanceCount=5))
    emulator.advance(1000)
    front = submit(batch, "front", "team-a")
    emulator.advance(1000)
    behind = submit(batch, "behind", "team-a")
    now_ms = emulator.control("clock")["now_ms"]
    found = batch.get_job_queue_snapshot(jobQueue="training")
    arn = "arn:aws:batch:us-west-2:123456789012:service-job/"
    head = {"jobArn": arn + front, "earliestTimeAtPosition": now_ms - 1000}
    assert found["frontOfQuotaShares"] == {
        "quotaShares": {"team-a": [head], "team-b": [], "team-c": []},
        "lastUpdatedAt": now_ms,
    }
    assert found["frontOfQueue"]["jobs"] == [head, {"jobArn": arn + behind, "earliestTimeAtPosition": now_ms}]
    assert found["queueUtilization"]["totalCapacityUsage"] == [{"capacityUnit": UNIT, "quantity": 9.0}]
    assert found["queueUtilization"]["quotaShareUtilization"]["topCapacityUtilization"] == [
        {"quotaShareName": "team-b", "capacityUsage": [{"capacityUnit": UNIT, "quantity": 5.0}]},
        {"quotaShareName": "team-a", "capacityUsage": [{"capacityUnit": UNIT, "quantity": 4.0}]},
        {"quotaShareName": "team-c", "capacityUsage": []},
    ]


def test_a_fifo_queue_runs_jobs_in_order(emulator: Emulator, batch: Any, refused: Refused) -> None:
    """Service environments in NUM_INSTANCES and queues without a policy exist beside quota management (G4)."""
    make_environment(batch, capacityLimits=[{"maxCapacity": 5, "capacityUnit": "NUM_INSTANCES"}])
    batch.create_job_queue(**queue_request("training", None, "environment"))
    two = payload(InstanceType="ml.m5.large", InstanceCount=2)
    jobs = [submit(batch, f"job-{number}", priority=number, serviceRequestPayload=two) for number in range(3)]
    assert [status(batch, job) for job in jobs] == ["RUNNING", "RUNNING", "RUNNABLE"]
    refused(submit, batch=batch, name="job", share="QS")
    found = batch.get_job_queue_snapshot(jobQueue="training")
    assert "frontOfQuotaShares" not in found
    batch.terminate_service_job(jobId=jobs[0], reason="stop")
    assert status(batch, jobs[2]) == "RUNNING"


def test_a_fair_share_queue_takes_no_jobs_here(batch: Any, refused: Refused) -> None:
    """Its order is not modelled: a refusal is honest, a wrong order would not be."""
    arn = batch.create_scheduling_policy(name="fair", fairsharePolicy={})["arn"]
    make_environment(batch)
    batch.create_job_queue(**queue_request("training", arn, "environment"))
    assert "Fair-share" in refused(submit, batch=batch, name="job")


def test_a_manual_clock_run_is_reproducible(start_emulator: StartEmulator) -> None:
    """Same calls, same ids, same times: a recorded run can be compared as text."""

    def run() -> Any:
        emulator = start_emulator()
        batch = emulator.client("batch")
        make_blog_queue(batch)
        for number in range(3):
            emulator.advance(1000)
            submit(batch, f"job-{number}", "QS1", clientToken=f"token-{number}")
        return emulator.control("trace?queue=training"), {**emulator.control("dump"), "instance": ""}

    assert run() == run()


def test_jobs_stay_describable_after_their_queue_is_gone(batch: Any) -> None:
    """Finished jobs can be described for days, whatever became of the queue."""
    make_queue(batch)
    share = batch.create_quota_share(**share_request("QS", "training"))["quotaShareArn"]
    job = submit(batch, "job", "QS")
    batch.update_quota_share(quotaShareArn=share, state="DISABLED")
    batch.delete_quota_share(quotaShareArn=share)
    batch.update_job_queue(jobQueue="training", state="DISABLED")
    batch.delete_job_queue(jobQueue="training")
    assert status(batch, job) == "FAILED"
    make_policy(batch, "another")
