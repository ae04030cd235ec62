"""What happens to one job on demand: a capacity error, a lost instance, a failure of its training."""

from __future__ import annotations

from typing import Any, Final

from ..model.work import CapacityError, Fail
from .operations.jobviews import describe
from .store import World

LOST_INSTANCE: Final = "InternalServerError: an instance of the training job was lost"
"""What a job whose instance was lost fails with; the wording is ours."""


def strike(world: World, body: dict[str, Any], at_ms: int) -> dict[str, Any]:
    """Let it happen to the job that `body` names, at `at_ms`, the present; return the job as described.

    Raises ValueError.
    """
    job_id = str(body["job"]).rpartition("/")[2]
    region = next((region for region in world.regions.values() if job_id in region.jobs), None)
    if region is None:
        raise ValueError(f"there is no job {body['job']}")
    entry = region.jobs[job_id]
    blow = _blow(at_ms, job_id, body)
    entry.driver.advance_to(at_ms)
    entry.driver.apply(at_ms, blow)
    return describe(entry, entry.driver.state.jobs[job_id], region.scope)


def _blow(at_ms: int, job_id: str, body: dict[str, Any]) -> CapacityError | Fail:
    if body.get("capacity_error") is True:
        return CapacityError(at_ms, job_id)
    if body.get("lost_instance") is True:
        return Fail(at_ms, job_id, LOST_INSTANCE)
    if isinstance(body.get("fail"), str):
        return Fail(at_ms, job_id, body["fail"])
    raise ValueError('say what happens to the job: "capacity_error": true, "lost_instance": true or "fail": "reason"')
