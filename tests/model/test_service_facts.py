"""Facts of the service that stand in one table, against the service's own model."""

from __future__ import annotations

from typing import Any

import botocore.session

from quota_engine.model.service_facts import JOB_STATUSES
from quota_engine.scheduler.status import JobStatus


def test_the_statuses_are_the_services_and_the_schedulers() -> None:
    """Lists ask for each of them; one that is missing would hide its jobs."""
    shape: Any = botocore.session.get_session().get_service_model("batch").shape_for("ServiceJobStatus")
    assert set(JOB_STATUSES) == set(shape.enum)
    assert tuple(JobStatus) == JOB_STATUSES
