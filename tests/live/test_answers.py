"""Names against ARNs: what an answer references is a name where it lives at home, in every partition."""

from __future__ import annotations

from typing import Any

import pytest

from quota_engine.live.answers import SECTIONS
from quota_engine.model.arns import Scope
from quota_engine.model.stack import JobQueue


def queue(scope: Scope, environment: str, policy: str) -> JobQueue:
    read = SECTIONS["job_queues"][0]
    detail: dict[str, Any] = {
        "jobQueueName": "q",
        "jobQueueArn": scope.job_queue("q"),
        "jobQueueType": "SAGEMAKER_TRAINING",
        "state": "ENABLED",
        "priority": 1,
        "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": environment}],
        "schedulingPolicyArn": policy,
        "computeEnvironmentOrder": [],
    }
    found: JobQueue = read(detail)
    return found


@pytest.mark.parametrize("region", ["us-east-1", "cn-north-1", "us-gov-west-1", "us-iso-east-1", "eusc-de-east-1"])
def test_arns_of_every_partition_become_names(region: str) -> None:
    """A declaration holds names; a partition whose ARNs stay ARNs would drift for ever."""
    scope = Scope("123456789012", region)
    found = queue(scope, scope.service_environment("gpu"), scope.scheduling_policy("fifo"))
    assert (found.service_environment, found.scheduling_policy) == ("gpu", "fifo")


def test_a_plain_name_stays_one() -> None:
    """How an environment's order is shown is not documented: name and ARN are both read."""
    scope = Scope("123456789012", "us-east-1")
    assert queue(scope, "gpu", scope.scheduling_policy("fifo")).service_environment == "gpu"


def test_what_lives_in_another_account_keeps_its_arn() -> None:
    """The same name elsewhere is another resource, and must not pass for the declared one."""
    home, elsewhere = Scope("123456789012", "us-east-1"), Scope("999999999999", "us-east-1")
    found = queue(home, home.service_environment("gpu"), elsewhere.scheduling_policy("fifo"))
    assert found.scheduling_policy == elsewhere.scheduling_policy("fifo")
