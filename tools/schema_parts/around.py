"""What may be declared around the queues."""

from __future__ import annotations

from quota_engine.model import service_facts as facts
from quota_engine.model.around import METRICS, Occasion
from tools.schema_parts.keywords import (
    NAME,
    Schema,
    boolean,
    choice,
    duration,
    integer,
    listing,
    names,
    record,
    tags,
    text,
)


def grantees() -> dict[str, Schema]:
    arn = text("The ARN of an IAM role, user or group.", pattern=f"^({facts.PRINCIPAL_PATTERN.pattern})$")
    return {
        "principals": listing("Roles, users and groups of this account that get the policy.", arn),
        "assumed_by": listing("Who may assume a role that is made for it and has the policy.", arn),
    }


def access() -> Schema:
    return record(
        "Who may submit to one quota share, and to no other.",
        {
            "queue": text("The share's queue.", pattern=NAME),
            "share": text("The quota share. Default: this entry's own name.", pattern=NAME),
            **grantees(),
            "max_priority": integer(
                "The highest scheduling priority they may set, on submission and later. Without it, any.",
                facts.JOB_PRIORITY_MIN,
                facts.JOB_PRIORITY_MAX,
            ),
            "training_roles": listing(
                "The only roles their jobs may run as. Default: the declared training_role.",
                text("The ARN of a role, or the name of one in this account.", minLength=1),
            ),
            "may_terminate": boolean("Whether they may also terminate jobs. Default false.", default=False),
            "job_tags": tags("every job they submit; then they may update and terminate only jobs that carry them"),
        },
        required=("queue",),
    )


def training_role() -> Schema:
    bucket = text("The name of an S3 bucket.", pattern=f"^({facts.BUCKET_PATTERN.pattern})$")
    return record(
        "The role that SageMaker runs training jobs as.",
        {
            "name": text("The role's name.", pattern=f"^({facts.ROLE_NAME_PATTERN.pattern})$"),
            "buckets": listing("Buckets that jobs read and write.", bucket),
            "read_only_buckets": listing("Buckets that jobs only read.", bucket),
        },
        required=("name",),
    )


def notification() -> Schema:
    return record(
        "Where notice of it goes.",
        {"sns_topic": topic(), "log_group": text("A log group to create.")},
        one_of=("sns_topic", "log_group"),
    )


def topic() -> Schema:
    return text("An SNS topic: a name to create, or the ARN of an existing one.")


def alarm() -> Schema:
    return record(
        "An alarm on one metric of a queue.",
        {
            "name": text("The alarm's name in this stack. Default: queue and metric.", pattern=NAME),
            "queue": text("The queue.", pattern=NAME),
            "metric": choice("What is watched.", list(METRICS)),
            "over": {
                "description": "Over how many jobs, or for a duration over how long, e.g. 30m.",
                "anyOf": [integer("Jobs.", 0), duration("The longest.")],
            },
            "within": duration("The time it is looked at as one, 1m to 1d, in whole minutes.", **{"x-at-least": "1m"}),
            "notify": topic(),
        },
        required=("queue", "metric", "over", "within"),
    )


def around() -> dict[str, Schema]:
    """What may stand around the queues."""
    occasions = {
        Occasion.PREEMPTION: "A preemption starts or is completed.",
        Occasion.QUEUE_BLOCKED: "The job at the head of a share can't run.",
        Occasion.FAILURES: "A job fails.",
    }
    return {
        "access": names("Who may submit to which share; by default an entry is named after its share.", access()),
        "administrators": record("Who may change what this declaration deploys.", grantees()),
        "auditors": record("Who may look for drift.", grantees()),
        "training_role": training_role(),
        "notifications": record(
            "Who is told what.",
            {name.value: {**notification(), "description": what} for name, what in occasions.items()},
        ),
        "alarms": listing("CloudWatch alarms.", alarm()),
        "dashboard": boolean("Whether there is a CloudWatch dashboard of the queues. Default false.", default=False),
    }
