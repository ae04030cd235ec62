"""Every error text of the emulator, in one table, each marked as recorded from the service or invented here.

Recorded texts are wire constants that clients compare; `wrapped` ones come as raw field validation does, with the
request id around. No text is public for the invented ones: one sentence, naming field and value (assumption in
docs/emulator.md). Keys are words of ours; `RULE_TEXTS` maps the rules' ids to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .refusal import Refusal


class Origin(StrEnum):
    """Where a text comes from."""

    RECORDED = "recorded"
    INVENTED = "invented"


@dataclass(frozen=True, slots=True)
class Text:
    """A text with `{placeholders}`, its origin, and how it is sent."""

    template: str
    origin: Origin = Origin.INVENTED
    wrapped: bool = False
    code: str = "ClientException"
    status: int = 400


def _field(template: str) -> Text:
    """A recorded complaint about a field."""
    return Text(template, Origin.RECORDED, wrapped=True)


def _state(template: str) -> Text:
    """A recorded complaint about the state of things."""
    return Text(template, Origin.RECORDED)


TEXTS: Final = {
    # names and existence
    "exists": _state("Object already exists"),
    "share-exists": Text("QuotaShare {name} already exists."),
    "absent": _state("{name} does not exist"),
    "environment-name": _field("Service environment name should match a valid pattern."),
    "policy-name": _field("Scheduling policy name should match a valid pattern."),
    "queue-name": _field("Job Queue name should match a valid pattern."),
    "share-name": Text("Quota share name should match a valid pattern."),
    "job-name": _state("Job name should match valid pattern"),
    # capacity limits
    "no-limits": _field("Capacitylimits are required."),
    "too-many-limits": _field("Number of capacity limits exceeds 5."),
    "limit-below-one": _field("Max capacity must be more than 0."),
    "mixed-units": _field("Capacity units must specify either number of instances OR instance type, but not both"),
    "unknown-unit": _field("{unit} is unknown capacity unit in [{known}]"),
    "unit-missing": Text("Capacity unit is required in each capacity limit."),
    "unit-twice": Text("Capacity unit {unit} is listed more than once in capacityLimits."),
    "share-unit": Text("Capacity unit {unit} is not an instance type; a quota share counts instance types only."),
    # quota shares
    "borrow-limit-strategy": Text("Borrow limit can only be set with the LEND_AND_BORROW strategy."),
    "borrow-limit-range": Text("Borrow limit must be -1 or more."),
    "too-many-shares": Text("Job queue {queue} already has the maximum of {limit} quota shares."),
    "not-a-quota-queue": Text("JobQueue {queue} has no scheduling policy with a quotaSharePolicy."),
    "queue-not-valid": Text("JobQueue {queue} must be VALID, it is {status}."),
    # scheduling policies
    "both-policies": _field("A scheduling policy can have either fairsharePolicy or quotaSharePolicy, but not both."),
    "policy-kind": Text("The kind of a scheduling policy can't be changed."),
    "share-decay": Text("shareDecaySeconds must be between 0 and 604800."),
    "compute-reservation": Text("computeReservation must be between 0 and 99."),
    "share-distribution": Text("shareDistribution must have at most 500 shares."),
    "weight-factor": Text("weightFactor must be between 0.0001 and 999.9999."),
    "policy-in-use": Text("Cannot delete, SchedulingPolicy is used by JobQueue {queue}."),
    # job queues
    "one-environment": _field("Job queue can only have 1 service environment."),
    "no-environment": _field("Job queues of type SAGEMAKER_TRAINING must have serviceEnvironmentOrder."),
    "queue-type": _field(
        "CreateJobQueue requires either setting computeEnvironmentOrder or setting serviceEnvironmentOrder along with "
        "a supported jobQueueType. The jobQueueType provided is {type}, which is incompatible with the provided "
        "serviceEnvironmentOrder."
    ),
    "compute-environments": Text(
        "Compute environments are not emulated: this emulator serves job queues of type SAGEMAKER_TRAINING only."
    ),
    "environment-not-valid": _state(
        "Service environments must be created and valid before attaching them to a job queue."
    ),
    "policy-not-found": _state("SchedulingPolicy {arn} not found."),
    "policy-arn": _field("Only scheduling policy Arn can be allowed."),
    "quota-queue-type": _field("Quota Management feature is only supported for SageMaker Training job queues."),
    "environment-taken": Text("Service environment {environment} already belongs to JobQueue {queue}."),
    "environment-units": Text(
        "A job queue with a quotaSharePolicy needs a service environment in instance types, {environment} counts "
        "NUM_INSTANCES."
    ),
    "queue-priority": Text("Job queue priority must be between 0 and 1000."),
    "time-limit-action": _field("Invalid job action. Valid job actions: [TERMINATE]"),
    "time-limit-twice": _field("Duplicate job state limit actions are not allowed."),
    "time-limit-reason": Text("Reason {reason} is not a valid job state time limit reason."),
    "time-limit-seconds": Text("maxTimeSeconds must be between 600 and 86400."),
    "policy-added": Text("A scheduling policy can't be added to a job queue that was created without one."),
    "policy-removed": Text("The scheduling policy of a job queue can be replaced but not removed."),
    "policy-kind-swapped": Text("A job queue's scheduling policy can only be replaced by one of the same kind."),
    "too-many": Text("The account has the maximum of {limit} {what} in this region."),
    # deletion and updates
    "being-modified": _state("Cannot delete, resource is being modified."),
    "update-being-modified": Text("Cannot update, resource is being modified."),
    "not-disabled": Text("Cannot delete, {what} must be DISABLED."),
    "environment-in-use": _state("Cannot delete, found existing JobQueue relationship"),
    "queue-has-shares": Text("Cannot delete, JobQueue {queue} still has quota shares."),
    # service jobs
    "queue-not-found": _state("JobQueue {name} not found."),
    "job-not-found": Text("Service job {name} does not exist"),
    "queue-disabled": Text("JobQueue {queue} is not ENABLED and VALID."),
    "share-not-found": Text("QuotaShare {name} not found."),
    "share-disabled": Text("QuotaShare {name} is not ENABLED and VALID."),
    "share-name-required": Text("quotaShareName is required for a job queue with a quotaSharePolicy."),
    "share-name-forbidden": Text("quotaShareName is only allowed for a job queue with a quotaSharePolicy."),
    "share-identifier": Text("shareIdentifier is only allowed for a job queue with a fairsharePolicy."),
    "fair-share": Text(
        "Fair-share scheduling is not emulated: this emulator runs jobs of quota-managed and FIFO queues only."
    ),
    "job-priority": _state("Scheduling priority must be between 0 and 9999."),
    "attempts": _state("RetryAttempts must be between 1 and 10."),
    "too-many-retry-rules": Text("evaluateOnExit must have at most 5 entries."),
    "retry-glob": Text("onStatusReason must have at most 512 characters."),
    "timeout": _state("AttemptDurationSeconds in Timeout must be at least 60 seconds."),
    "preemption-retries": Text("preemptionRetriesBeforeTermination must be 0 or more."),
    "payload-not-json": Text("serviceRequestPayload must be a JSON object."),
    "payload-too-long": Text("serviceRequestPayload must have at most 10240 bytes."),
    "request-too-long": Text("A SubmitServiceJob request must have at most 30720 bytes."),
    "client-token": Text("clientToken must have 1 to 64 characters."),
    "token-repeated": Text("A request with clientToken {token} and the same parameters was already received."),
    "job-finished": Text("Service job {job} is {status} and can't be updated."),
    "too-many-jobs": Text("Maximum number of jobs supported is {limit}"),
    "no-jobs": Text("At least one job is required."),
    "malformed-job": Text("{job} is neither a service job id nor an ARN.", code="ValidationException"),
    "filter": Text("Filter {name} is not supported; use one of {known}."),
    "one-filter": Text("At most one filter with one value is allowed."),
    "filter-time": Text("Filter {name} needs a time in milliseconds since the epoch."),
    "job-directive": Text("{directive} is {value}, which is not {expected}."),
    # tags
    "tag-reserved": Text("Tag keys must not begin with aws:."),
    "tag-key": Text("Tag keys must have 1 to 128 characters."),
    "tag-value": Text("Tag values must have at most 256 characters."),
    "too-many-tags": Text("A resource can have at most 50 tags."),
    "tag-resource": Text("{arn} is not the ARN of a resource that can have tags."),
    # requests in general
    "max-results": Text("maxResults must be between 1 and 100."),
    "next-token": Text("nextToken is not one that this operation gave out for this request."),
    "too-many-names": Text("At most 100 names or ARNs are allowed."),
    "required": Text("{member} is required."),
    "wrong-type": Text("{member} must be {expected}."),
    "not-in-enum": Text("{member} must be one of [{allowed}].", Origin.RECORDED, wrapped=True),
    "out-of-range": Text("{member} must be between {low} and {high}."),
    "not-json": Text("The request body is not valid JSON."),
    "too-deep": Text("The JSON is nested too deeply."),
    "not-emulated": Text("{operation} is an operation of AWS Batch that this emulator does not have."),
    "no-such-operation": Text("{what} is not an operation of AWS Batch.", code="UnknownOperationException", status=404),
    "too-large": Text("The request body is larger than {limit} bytes.", code="RequestEntityTooLarge", status=413),
    "bad-credential": Text(
        "The Credential of the Authorization header is malformed.", code="IncompleteSignatureException", status=403
    ),
    "throttled": Text("Too Many Requests", Origin.RECORDED, code="TooManyRequestsException", status=429),
}
"""Recorded: semantics of live calls others have published (docs/emulator.md names them); the rest is ours."""


def refuse(key: str, **values: object) -> Refusal:
    """Build the Refusal of a text; the caller raises it."""
    text = TEXTS[key]
    return Refusal(text.template.format(**values), text.code, text.status, wrapped=text.wrapped)


def spaced(path: str) -> str:
    """Spell a member as the service's sentences do: idleResourceAssignmentStrategy → Idle resource …."""
    member = path.rpartition(".")[2]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", member).lower()
    return words[:1].upper() + words[1:]
