"""Pages of lists: complete, without repetition, and stable while others create and delete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.emulator.conftest import Refused
from tests.emulator.resources import make_blog_queue, make_environment, make_policy, submit

Lister = Callable[[Any], Iterator[list[str]]]


def paginate(batch: Any, operation: str, result: str, member: str, size: int, **request: Any) -> list[list[str]]:
    """Return the members' values page by page, as the paginator of boto3 walks."""
    pages = batch.get_paginator(operation).paginate(**request, PaginationConfig={"PageSize": size})
    return [[item[member] for item in page[result]] for page in pages]


def test_the_paginators_of_boto3_see_everything_once(batch: Any) -> None:
    """All five, with a page size that does not divide the number, and one that does."""
    make_blog_queue(batch)
    for number in range(4):
        make_policy(batch, f"p{number}")
        make_environment(batch, f"e{number}")
        submit(batch, f"job-{number}", "QS1")
    walked = [
        paginate(batch, "list_scheduling_policies", "schedulingPolicies", "arn", 2),
        paginate(batch, "describe_service_environments", "serviceEnvironments", "serviceEnvironmentName", 2),
        paginate(batch, "describe_job_queues", "jobQueues", "jobQueueName", 1),
        paginate(batch, "list_quota_shares", "quotaShares", "quotaShareName", 2, jobQueue="training"),
        paginate(batch, "list_service_jobs", "jobSummaryList", "jobName", 2, jobQueue="training", jobStatus="RUNNABLE"),
    ]
    assert [[len(page) for page in pages] for pages in walked] == [[2, 2, 1], [2, 2, 1], [1], [2, 1], [2]]
    for pages in walked:
        flat = [name for page in pages for name in page]
        assert len(flat) == len(set(flat))
    assert walked[-1] == [["job-3", "job-2"]]


def test_a_page_survives_creations_and_deletions_in_between(batch: Any) -> None:
    """The token names a place, not a number: nothing that stays is shown twice or left out."""
    arns = [make_policy(batch, name) for name in "abcdef"]
    first = batch.list_scheduling_policies(maxResults=3)
    batch.delete_scheduling_policy(arn=arns[0])
    batch.delete_scheduling_policy(arn=arns[2])
    make_policy(batch, "0-new")
    second = batch.list_scheduling_policies(maxResults=3, nextToken=first["nextToken"])
    third = batch.list_scheduling_policies(maxResults=3, nextToken=second["nextToken"])
    seen = [
        [policy["arn"].rpartition("/")[2] for policy in page["schedulingPolicies"]] for page in (first, second, third)
    ]
    assert seen == [["a", "b", "c"], ["d", "e", "f"], ["0-new"]]
    assert "nextToken" not in third


def test_a_token_belongs_to_its_request(batch: Any, refused: Refused) -> None:
    """With other names or another operation it would skip things silently."""
    make_blog_queue(batch)
    for number in range(3):
        make_environment(batch, f"e{number}")
        submit(batch, f"job-{number}", "QS1")
    token = batch.describe_service_environments(maxResults=1)["nextToken"]
    refused(batch.describe_service_environments, nextToken=token, serviceEnvironments=["e1"])
    refused(batch.describe_job_queues, nextToken=token)
    token = batch.list_service_jobs(jobQueue="training", maxResults=1)["nextToken"]
    refused(batch.list_service_jobs, jobQueue="training", jobStatus="RUNNABLE", nextToken=token)


@pytest.mark.parametrize("token", ["x", "eyJ4IjogMX0=", "W10=", "WyJhIiwxXQ==", "\u00e9", "WzFd" * 500])
def test_a_forged_token_is_refused(batch: Any, refused: Refused, token: str) -> None:
    """Whatever it decodes to."""
    refused(batch.list_scheduling_policies, nextToken=token)


def test_more_than_a_hundred_names_are_refused(batch: Any, refused: Refused) -> None:
    """The service's own bound."""
    names = [f"n{number}" for number in range(101)]
    refused(batch.describe_job_queues, jobQueues=names)
    refused(batch.describe_service_environments, serviceEnvironments=names)
    refused(batch.describe_scheduling_policies, arns=names)
