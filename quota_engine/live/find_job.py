"""Finding one service job by what a person has at hand: its id, its ARN, or its name in a queue."""

from __future__ import annotations

import re
from typing import Final

import boto3

from ..model.arns import name_of, parse_arn
from ..model.stack import Stack
from .account import identify, make_clients
from .calls import CallFailed, call, pages
from .trouble import LiveTrouble

_JOB_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_job_id(text: str) -> bool:
    """Whether the text is a job's id or ARN, not a name."""
    arn = parse_arn(text)
    return _JOB_ID.fullmatch(text) is not None or (arn is not None and arn.kind == "service-job")


def find_job(job: str, queue: str | None, region: str, session: boto3.Session) -> tuple[str, str]:
    """Return (id, queue) of a job; raises LiveTrouble where none, or more than one, is meant.

    A name is looked up in `queue`; of several jobs of that name the newest unfinished one is meant.
    """
    accounts = [arn.scope.account for arn in map(parse_arn, filter(None, (job, queue))) if arn is not None]
    stack = Stack("", region, accounts[0] if accounts else None)
    clients = make_clients(session, region, connections=1, max_attempts=None)
    identify(clients, stack)
    try:
        if is_job_id(job):
            detail = call(clients.batch, "describe_service_job", jobId=job)
            return str(detail["jobId"]), name_of(detail["jobQueue"])
        if queue is None:
            raise LiveTrouble(f"in which queue is {job}?", why="it is no job's id or ARN", fix="name --queue")
        filters = [{"name": "JOB_NAME", "values": [job]}]
        found = pages(clients.batch, "list_service_jobs", "jobSummaryList", jobQueue=queue, filters=filters)
    except CallFailed as failure:
        problem = failure.problem
        why = f"{problem.operation}: {problem.code}: {problem.message}"
        where = "check the job's id or name, --queue and --region"
        fix = "check the network and AWS_ENDPOINT_URL_BATCH" if failure.is_unreachable else where
        raise LiveTrouble(f"can't look up job {job}", why=why, fix=fix, problem=problem) from failure
    named = [one for one in found if one["jobName"] == job]
    if not named:
        raise LiveTrouble(f"there is no job {job} in queue {queue}", fix="give its id, or check --queue and --region")
    open_ones = [one for one in named if one["status"] not in ("SUCCEEDED", "FAILED")] or named
    newest = max(open_ones, key=lambda one: (one["createdAt"], one["jobId"]))
    return str(newest["jobId"]), name_of(queue)
