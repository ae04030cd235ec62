"""Every limit, default, pattern, text and create-only field of AWS Batch quota management, each with its source.

A number of the service stands here and nowhere else. Sources: SM = service model shipped in botocore (same text as the
API Reference), UG = AWS Batch User Guide, CFN = CloudFormation schema, seen = recorded from live calls by others.
"""

from __future__ import annotations

import re
from typing import Final

NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
"""Names of all four resources and of jobs. SM: CreateQuotaShareRequest and siblings."""

ACCOUNT_PATTERN: Final = re.compile(r"[0-9]{12}")
REGION_PATTERN: Final = re.compile(r"[a-z]{2,}(-[a-z]+)+-[0-9]{1,2}")
"""The form of a region's code in every partition, e.g. us-west-2, us-gov-east-1, eusc-de-east-1."""
INSTANCE_TYPE_PATTERN: Final = re.compile(r"ml\.[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*")
"""The form of a SageMaker training instance type, ml.<family>.<size>. SM: CapacityLimit."""

PRINCIPAL_PATTERN: Final = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:(role|user|group)/[A-Za-z0-9_+=,.@/-]{1,512}")
ROLE_NAME_MAX: Final = 64
ROLE_NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9_+=,.@-]{1,64}")
ROLE_ARN_PATTERN: Final = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]{1,512}")
"""IAM API Reference: CreateRole, AttachRolePolicy."""
BUCKET_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
"""Amazon S3 User Guide, General purpose bucket naming rules."""
TOPIC_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{1,256}|arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}")
"""SNS API Reference: CreateTopic; or an existing topic's ARN."""
LOG_GROUP_PATTERN: Final = re.compile(r"[A-Za-z0-9_/.#-]{1,512}")
"""CloudWatch Logs API Reference: CreateLogGroup."""
ALARM_PERIOD_MAX_SECONDS: Final = 86_400
"""CloudWatch API Reference, PutMetricAlarm: period times evaluations is at most a day for periods under an hour."""

NUM_INSTANCES: Final = "NUM_INSTANCES"
"""The unit of environments that are not quota-managed. SM: CapacityLimit."""

INT32_MAX: Final = 2**31 - 1
CAPACITY_LIMITS_MIN: Final = 1
CAPACITY_LIMITS_MAX: Final = 5
"""Capacity limits per environment and per share. UG: Create quota management resources, Quota shares."""
MAX_CAPACITY_MIN: Final = 1
BORROW_LIMIT_MIN: Final = -1
"""CFN: AWS::Batch::QuotaShare. No public upper bound."""
SHARES_PER_QUEUE_MAX: Final = 20
SERVICE_ENVIRONMENTS_MAX: Final = 50
JOB_QUEUES_MAX: Final = 50
"""Per account and region. UG: AWS Batch service quotas."""
QUEUE_PRIORITY_MIN: Final = 0
QUEUE_PRIORITY_MAX: Final = 1000
"""CFN: AWS::Batch::JobQueue."""
JOB_PRIORITY_MIN: Final = 0
JOB_PRIORITY_MAX: Final = 9999
"""SM: SubmitServiceJobRequest.schedulingPriority."""
ATTEMPTS_MIN: Final = 1
ATTEMPTS_MAX: Final = 10
EVALUATE_ON_EXIT_MAX: Final = 5
STATUS_REASON_GLOB_MAX: Final = 512
"""SM: ServiceJobRetryStrategy, ServiceJobEvaluateOnExit."""
ATTEMPT_DURATION_MIN_SECONDS: Final = 60
TIME_LIMIT_MIN_SECONDS: Final = 600
TIME_LIMIT_MAX_SECONDS: Final = 86_400
"""SM: JobStateTimeLimitAction.maxTimeSeconds."""
TAGS_MAX: Final = 50
TAG_KEY_MAX: Final = 128
TAG_VALUE_MAX: Final = 256
TAG_RESERVED_PREFIX: Final = "aws:"
"""SM: TagrisTagsMap, TagKey, TagValue; UG: Tag restrictions. The prefix is reserved in any case."""
PAGE_SIZE_MAX: Final = 100
TERMINATE_JOBS_MAX: Final = 50
SUBMIT_REQUEST_MAX_BYTES: Final = 30 * 1024
SERVICE_REQUEST_PAYLOAD_MAX_BYTES: Final = 10 * 1024
CLIENT_TOKEN_MAX: Final = 64

IDLE_RESOURCE_ASSIGNMENT: Final = ("FIFO",)
"""SM: QuotaShareIdleResourceAssignmentStrategy."""

DEFAULT_QUEUE_PRIORITY: Final = 1
"""Ours, for a declaration that states none; the API requires a priority."""

SERVICE_ENVIRONMENT_MAX_RESOURCE: Final = "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE"
QUOTA_LIMIT_EXCEEDED: Final = "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED"
INSUFFICIENT_CAPACITY: Final = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"
TIME_LIMIT_REASONS: Final = (SERVICE_ENVIRONMENT_MAX_RESOURCE, QUOTA_LIMIT_EXCEEDED, INSUFFICIENT_CAPACITY)
"""What a time-limit action may name. UG: Jobs stuck in a RUNNABLE status, and its two pages."""

BLOCKED_BY_ENVIRONMENT: Final = (
    f"{SERVICE_ENVIRONMENT_MAX_RESOURCE} - Service environment(s) associated with the job queue cannot meet the "
    "capacity requirement of the job."
)
BLOCKED_BY_CAPACITY_LIMIT: Final = f"{QUOTA_LIMIT_EXCEEDED} - Job requirements exceed quota share capacity limits."
BLOCKED_BY_BORROW_LIMIT: Final = (
    f"{QUOTA_LIMIT_EXCEEDED} - Job requirements exceed quota share capacity limits and borrow limits."
)
BLOCKED_BY_LENDABLE: Final = (
    f"{QUOTA_LIMIT_EXCEEDED} - Job requires borrowing that exceeds all configured borrowable capacity."
)
BLOCKED_BY_SAGEMAKER_CAPACITY: Final = f"{INSUFFICIENT_CAPACITY} - Unable to provision requested compute resources"
"""statusReason of a blocked head. UG: Jobs stuck in RUNNABLE due to misconfiguration, due to capacity."""

CROSS_SHARE_REASON: Final = "Cross-share preemption triggered to reclaim borrowed capacity"
"""UG: Service job preemption events."""
IN_SHARE_REASON: Final = "In-share preemption triggered to run a higher priority job"
"""Invented: the service's own text is not public (assumption A-21)."""
PREEMPTION_IN_PROGRESS: Final = "PREEMPTION_IN_PROGRESS: "
SAGEMAKER_STATUS_PREFIX: Final = "Received status from SageMaker: "
"""UG: Service job retry strategies; with a blank after the colon (assumption A-45)."""


def time_limit_reason_text(reason: str) -> str:
    """Return the statusReason of a job ended by a time-limit action. UG: Jobs stuck in a RUNNABLE status."""
    return f"Terminated by JobStateTimeLimit action due to reason: {reason}"


UNFINISHED_STATUSES: Final = ("SUBMITTED", "PENDING", "RUNNABLE", "SCHEDULED", "STARTING", "RUNNING")
ENDED_STATUSES: Final = ("SUCCEEDED", "FAILED")
JOB_STATUSES: Final = (*UNFINISHED_STATUSES, *ENDED_STATUSES)
"""Of a service job, in the order of its life. SM: ServiceJobStatus."""

STATE_CHANGE: Final = "Batch Service Job State Change"
QUEUE_BLOCKED: Final = "Batch Service Job Queue Blocked"
PREEMPTION_STARTED: Final = "Batch Service Job Preemption Started"
PREEMPTION_COMPLETED: Final = "Batch Service Job Preemption Completed"
"""What the events of EventBridge are called, their detail-type. UG: Service job events."""

LATEST_MS: Final = 253_402_300_799_999
"""The last of the year 9999, as far as the service's times can be written."""

CREATE_ONLY: Final = {
    "SchedulingPolicy": ("Name",),
    "ServiceEnvironment": ("ServiceEnvironmentName", "ServiceEnvironmentType"),
    "JobQueue": ("JobQueueName", "JobQueueType"),
    "QuotaShare": ("QuotaShareName", "JobQueue"),
}
"""CFN: createOnlyProperties of the four types. A change of one means replacement."""
