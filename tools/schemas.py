"""Write quota_engine/config/schemas/*.json, the JSON Schemas of the formats, from the service facts.

    python tools/schemas.py

The files serve editors as they are. Keywords that begin with `x-` are read by `quota_engine.config.schema` alone: a
file that extends another may leave any key out, so what is required is known only after the merge. For the same reason
every property also takes null, which removes an inherited value.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from quota_engine.model import durations  # noqa: E402
from quota_engine.model import service_facts as facts  # noqa: E402
from quota_engine.model.around import METRICS, Occasion  # noqa: E402
from quota_engine.model.replay import Format, Unit  # noqa: E402
from quota_engine.model.stack import State, Strategy  # noqa: E402
from quota_engine.scheduler import POINTS, assumptions  # noqa: E402

Schema = dict[str, Any]
TARGET = ROOT / "quota_engine" / "config" / "schemas"
NAME = f"^{facts.NAME_PATTERN.pattern}$"
PARAMETER = r"^[A-Za-z_][A-Za-z0-9_-]*$"
STATUSES = ("runnable", "scheduled", "starting", "running", "succeeded", "failed")


def text(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "string", **more}


def integer(description: str, minimum: int, maximum: int = facts.INT32_MAX, **more: Any) -> Schema:
    return {"description": description, "type": "integer", "minimum": minimum, "maximum": maximum, **more}


def boolean(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "boolean", **more}


def choice(description: str, values: list[str], **more: Any) -> Schema:
    return {"description": description, "type": "string", "enum": values, **more}


def duration(description: str, *words: str, **more: Any) -> Schema:
    """A duration, or one of `words`."""
    pattern = durations.PATTERN if not words else f"{durations.PATTERN}|^({'|'.join(words)})$"
    return {"description": description, "type": "string", "pattern": pattern, "x-duration": list(words), **more}


def record(
    description: str, properties: dict[str, Schema], required: tuple[str, ...] = (), one_of: tuple[str, ...] = ()
) -> Schema:
    """A map with fixed keys, exactly one of `one_of` among them."""
    body: Schema = {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    if required:
        body["x-required"] = list(required)
    if one_of:
        body["x-one-of"] = list(one_of)
    return body


def names(description: str, value: Schema, pattern: str = NAME, **more: Any) -> Schema:
    """A map keyed by names."""
    return {
        "description": description,
        "type": "object",
        "propertyNames": {"pattern": pattern},
        "additionalProperties": value,
        **more,
    }


def listing(description: str, items: Schema, **more: Any) -> Schema:
    return {"description": description, "type": "array", "items": items, **more}


def state(what: str) -> Schema:
    return choice(f"Whether the {what} takes new work. Default ENABLED.", [s.value for s in State], default="ENABLED")


def tags(what: str) -> Schema:
    value = text("The tag's value.", maxLength=facts.TAG_VALUE_MAX)
    return names(
        f"Tags of {what}.", value, rf"^(?![aA][wW][sS]:)[\s\S]{{1,{facts.TAG_KEY_MAX}}}$", maxProperties=facts.TAGS_MAX
    )


def capacity(description: str, minimum: int = facts.MAX_CAPACITY_MIN) -> Schema:
    return names(
        description,
        integer("Number of instances of this type.", minimum),
        f"^{facts.INSTANCE_TYPE_PATTERN.pattern}$",
        minProperties=facts.CAPACITY_LIMITS_MIN,
        maxProperties=facts.CAPACITY_LIMITS_MAX,
    )


def lifecycle() -> dict[str, Schema]:
    return {
        "protect": boolean("Pulumi refuses to delete it while this is true. Default false.", default=False),
        "retain_on_delete": boolean("Pulumi forgets it instead of deleting it. Default false.", default=False),
    }


def resource_sharing() -> Schema:
    return record(
        "What happens to idle capacity: its own, and that of others.",
        {
            "strategy": choice(
                "RESERVE keeps idle capacity to itself; LEND lets others use it; LEND_AND_BORROW also uses theirs.",
                [s.value for s in Strategy],
            ),
            "borrow_limit": integer(
                "Only with LEND_AND_BORROW: how much may be borrowed, in percent of each own capacity limit. "
                "-1, the default, is unlimited; 0 borrows nothing.",
                facts.BORROW_LIMIT_MIN,
            ),
        },
        required=("strategy",),
    )


def preemption() -> Schema:
    in_share = choice(
        "Whether a job may preempt jobs of lower priority in its own share. Default DISABLED.",
        [s.value for s in State],
        default="DISABLED",
    )
    return record("Preemption within the share.", {"in_share": in_share})


def share() -> Schema:
    return record(
        "A quota share: one team's part of the queue.",
        {
            "capacity_limits": capacity("The share's own instances, per instance type."),
            "resource_sharing": resource_sharing(),
            "preemption": preemption(),
            "state": state("share"),
            "tags": tags("the share"),
            "renamed_from": text("The share's former name: Pulumi then knows it as the same resource.", pattern=NAME),
            **lifecycle(),
        },
        required=("capacity_limits", "resource_sharing"),
    )


def share_defaults() -> Schema:
    return record(
        "What most shares of this queue have in common; a share's own values win. Never capacity limits.",
        {
            "resource_sharing": {**resource_sharing(), "x-required": []},
            "preemption": preemption(),
            "state": state("share"),
            "tags": tags("every share"),
            **lifecycle(),
        },
    )


def time_limit_action() -> Schema:
    return record(
        "Ends a job that blocks its share's queue.",
        {
            "reason": choice("What the job is blocked by.", list(facts.TIME_LIMIT_REASONS)),
            "state": choice("The status the job is in. Default RUNNABLE.", ["RUNNABLE"], default="RUNNABLE"),
            "max_time": duration(
                f"How long it may stay blocked, {durations.format_duration(facts.TIME_LIMIT_MIN_SECONDS * 1000)} to "
                f"{durations.format_duration(facts.TIME_LIMIT_MAX_SECONDS * 1000)}, in whole seconds.",
                **{"x-whole-seconds": True},
            ),
            "action": choice("What happens then. Default TERMINATE.", ["TERMINATE"], default="TERMINATE"),
        },
        required=("reason", "max_time"),
    )


def job_queue() -> Schema:
    return record(
        "A queue of SageMaker Training jobs.",
        {
            "service_environment": text(
                "The queue's one service environment, which serves no other queue.", pattern=NAME
            ),
            "scheduling_policy": text("The quota-share policy it follows.", pattern=NAME),
            "priority": integer(
                "Order among queues that share an environment; without effect for quota management. Default 1.",
                facts.QUEUE_PRIORITY_MIN,
                facts.QUEUE_PRIORITY_MAX,
                default=facts.DEFAULT_QUEUE_PRIORITY,
            ),
            "state": state("queue"),
            "job_state_time_limit_actions": listing("What ends jobs that can never run.", time_limit_action()),
            "quota_share_defaults": share_defaults(),
            "quota_shares": names(
                "The shares by name; their order is the order in which ties are settled.",
                share(),
                maxProperties=facts.SHARES_PER_QUEUE_MAX,
            ),
            "tags": tags("the queue"),
            "renamed_from": text("The queue's former name: Pulumi deletes it before it makes this one.", pattern=NAME),
            **lifecycle(),
        },
        required=("service_environment", "scheduling_policy"),
    )


def environment() -> Schema:
    return record(
        "A service environment: the pool of instances behind one queue.",
        {
            "capacity_limits": capacity("All instances there are, per instance type."),
            "state": state("environment"),
            "tags": tags("the environment"),
            **lifecycle(),
        },
        required=("capacity_limits",),
    )


def policy() -> Schema:
    strategy = choice(
        "Which borrowing job gets idle capacity first. Default FIFO, the only value there is.",
        list(facts.IDLE_RESOURCE_ASSIGNMENT),
        default="FIFO",
    )
    return record(
        "A quota-share scheduling policy.",
        {"idle_resource_assignment": strategy, "tags": tags("the policy"), **lifecycle()},
    )


def header(kind: str) -> dict[str, Schema]:
    return {
        "kind": {"description": "What this file is.", "const": kind},
        "version": {"description": "The version of the format.", "type": "integer", "const": 1},
    }


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


def declaration(kind: str) -> Schema:
    """The schema of a stack; a fragment has the same keys and none that is required."""
    path = text("A file, relative to this one, in the stack's folder or below it.", minLength=1)
    properties = {
        **header(kind),
        "name": text("The name shown in reports.", pattern=NAME),
        "region": text("The AWS region, e.g. us-west-2.", pattern=f"^{facts.REGION_PATTERN.pattern}$"),
        "account": text(
            "The AWS account, 12 digits in quotes. Anything that talks to another account refuses to go on.",
            pattern=f"^{facts.ACCOUNT_PATTERN.pattern}$",
        ),
        "extends": {
            "description": "What this declaration builds on. Maps merge, lists and scalars replace, null removes.",
            "anyOf": [path, listing("Several files; later ones win.", path)],
        },
        "tags": tags("every resource; a resource's own tags win"),
        "service_environments": names("Service environments by name.", environment()),
        "scheduling_policies": names("Scheduling policies by name.", policy()),
        "job_queues": names("Job queues by name.", job_queue()),
        **around(),
    }
    title = {"stack": "The declaration of one environment", "fragment": "A part of declarations, for extends"}[kind]
    return document(title, properties, ("kind", "version", *(("name", "region") if kind == "stack" else ())))


def retry_rule() -> Schema:
    return record(
        "What happens when an attempt ends with a matching reason; the first match counts.",
        {
            "action": choice("RETRY or EXIT.", ["RETRY", "EXIT"]),
            "on_status_reason": text("A glob: * at the end matches any rest.", maxLength=facts.STATUS_REASON_GLOB_MAX),
        },
        required=("action", "on_status_reason"),
    )


def failure(description: str, **more: Schema) -> Schema:
    return record(
        description,
        {
            "after": duration("RUNNING time before it fails."),
            "status_reason": text("The text that SageMaker would report."),
            **more,
        },
        required=("after", "status_reason"),
    )


def submission() -> dict[str, Schema]:
    """What a job and all jobs of a workload carry alike."""
    return {
        "attempts": integer(
            "How often it is tried in all; preemptions don't count. Default 1.",
            facts.ATTEMPTS_MIN,
            facts.ATTEMPTS_MAX,
            default=1,
        ),
        "evaluate_on_exit": listing("Which failures are retried.", retry_rule(), maxItems=facts.EVALUATE_ON_EXIT_MAX),
        "timeout": duration(
            "How long an attempt may take, at least a minute.",
            **{"x-at-least": f"{facts.ATTEMPT_DURATION_MIN_SECONDS}s"},
        ),
        "preemption_retries": integer("How often it is requeued after a preemption. Default: without limit.", 0),
        "checkpoint": duration(
            "How much RUNNING time passes between checkpoints, or `continuous`. Without it, a preempted job starts "
            "over.",
            "continuous",
        ),
    }


def priority(description: str, **more: Any) -> Schema:
    return integer(description, facts.JOB_PRIORITY_MIN, facts.JOB_PRIORITY_MAX, **more)


def job() -> Schema:
    return record(
        "One service job, or `count` copies of it.",
        {
            "name": text("The job's name; copies are called name-01, name-02, …", pattern=NAME),
            "share": text("The quota share it is submitted to."),
            "instances": capacity("All the instances it needs at once, per instance type."),
            "submit_at": duration("When it is submitted, from the start of the scenario. Default 0s.", default="0s"),
            "duration": duration("How long it runs. Without it, until something ends it."),
            "priority": priority("Its scheduling priority; higher goes first. Default 0.", default=0),
            "count": integer("How many copies are submitted at once. Default 1.", 1, 100_000, default=1),
            **submission(),
            "exit": failure("The job's own failure, on each attempt."),
        },
        required=("name", "share", "instances"),
    )


RATE_MAX = 100_000
"""Arrivals in an hour; SubmitServiceJob takes no more than 18,000."""
WEIGHT_MAX = 1_000_000


def workload() -> Schema:
    probability = fraction("Which part of the jobs fails so. Default 1: all of them.", default=1)
    return record(
        "Jobs that are generated from the seed, called name-0001, name-0002, … in the order of their arrival.",
        {
            "name": text("What the jobs' names begin with.", pattern=NAME, maxLength=120),
            "share": text("The quota share they are submitted to."),
            "arrivals": arrivals(),
            "instances": needs(),
            "duration": durations_drawn(),
            "priority": priorities_drawn(),
            **submission(),
            "exit": failure("The jobs' own failure, on each attempt.", probability=probability),
        },
        required=("name", "share", "arrivals", "instances"),
    )


def arrivals() -> Schema:
    hour = r"([01]?[0-9]|2[0-3])"
    hours = names(
        "The rate in jobs per hour for each hour, or hours from-to, of the day: {8-18: 12}. Default 0.",
        rate("Arrivals per hour on average."),
        rf"^{hour}(-([01]?[0-9]|2[0-4]))?$",
    )
    processes = {
        "poisson": record(
            "Jobs that know nothing of each other.",
            {"per_hour": rate("How many arrive in an hour on average.")},
            required=("per_hour",),
        ),
        "every": duration("One when the time begins, and one after each of these.", **{"x-at-least": "1ms"}),
        "profile": record(
            "Jobs that know nothing of each other, at a rate that depends on the hour of the day; needs a `start`.",
            {"weekday": {**hours}, "weekend": {**hours}},
        ),
        "burst": record(
            "Many at once.",
            {"at": duration("When, from the start of the scenario."), "jobs": integer("How many.", 1)},
            required=("at", "jobs"),
        ),
    }
    return record(
        "When the jobs are submitted.",
        {
            **processes,
            "from": duration("Before this, none arrives. Default 0s.", default="0s"),
            "until": duration("From then on, none arrives. Default: the scenario's until."),
            "jobs": integer("How many arrive at most.", 1),
        },
        one_of=tuple(processes),
    )


def rate(description: str) -> Schema:
    return {"description": description, "type": "number", "minimum": 0, "maximum": RATE_MAX}


def needs() -> Schema:
    """A map of instances, or a choice of several; in one schema, so that a fault is told of the place it is in."""
    plain = capacity("All the instances a job needs at once, per instance type; or {choice: [[instances, weight], …]}.")
    unit = facts.INSTANCE_TYPE_PATTERN.pattern
    return {
        **plain,
        "propertyNames": {"pattern": f"^(choice|{unit})$"},
        "properties": {"choice": weighted("Each need with its weight.", {**plain, "type": ["object", "number"]})},
    }


def weighted(description: str, either: Schema) -> Schema:
    """A list of pairs of an option and its weight; `either` is the schema of both."""
    pair = listing(
        "An option, and how often it comes beside the others.",
        {**either, "minimum": 0, "maximum": WEIGHT_MAX},
        minItems=2,
        maxItems=2,
    )
    return listing(description, pair, minItems=1)


def durations_drawn() -> Schema:
    plain = duration("How long the jobs run. Without it, until something ends them.")
    positive = {"x-at-least": "1ms"}
    kinds = {
        "constant": duration("All equally long."),
        "uniform": listing("Between two durations, each equally often.", duration("A bound."), minItems=2, maxItems=2),
        "exponential": record("Exponential.", {"mean": duration("The mean.", **positive)}, required=("mean",)),
        "lognormal": record(
            "Log-normal: most are short, a few very long.",
            {
                "median": duration("Half are shorter.", **positive),
                "sigma": {
                    "description": "The deviation of the logarithm; about 1 for training jobs.",
                    "type": "number",
                    "minimum": 0,
                    "maximum": 10,
                },
            },
            required=("median", "sigma"),
        ),
        "weibull": record(
            "Weibull.",
            {
                "scale": duration("63% are shorter.", **positive),
                "shape": {
                    "description": "Below 1: a heavy tail; 1: exponential; above 1: gathered around the scale.",
                    "type": "number",
                    "minimum": 0.1,
                    "maximum": 100,
                },
            },
            required=("scale", "shape"),
        ),
        "empirical": text("A CSV file of observed durations, relative to this file.", minLength=1),
    }
    return either(plain, record(plain["description"], kinds, one_of=tuple(kinds)))


def priorities_drawn() -> Schema:
    plain = priority("The jobs' scheduling priority; higher goes first. Default 0.", default=0)
    bound = priority("A priority.")
    kinds = {
        "constant": bound,
        "uniform": listing("Each from the first to the second equally often.", bound, minItems=2, maxItems=2),
        "choice": weighted(
            "Each priority with its weight.", {"description": "A priority, or its weight.", "type": "number"}
        ),
    }
    return either(plain, record(plain["description"], kinds, one_of=tuple(kinds)))


def either(plain: Schema, drawn: Schema) -> Schema:
    """A value itself, or a map that says how it is drawn; each keyword bounds only one of the two."""
    return {**drawn, **plain, "type": [plain["type"], "object"]}


def mapped(description: str, values: Schema) -> Schema:
    """A value for every line, or the column that it is taken from."""
    return either(
        {**values, "description": description},
        record(
            description,
            {
                "column": column("Where it stands."),
                "map": names("What each of the column's texts means. Without it, the text itself.", values, ANY),
                "default": {**values, "description": "What is taken for what is unknown or not in the map."},
            },
            required=("column",),
        ),
    )


ANY = r"^[\s\S]*$"


def column(description: str) -> Schema:
    return text(description, minLength=1)


def replay() -> Schema:
    unit = choice("What its numbers count. Default: seconds, or what its name or their size tells.", list(Unit))
    zone = text("The offset of times that state none. Default: UTC.", examples=["+01:00"])
    type_ = mapped("The instance type. Needed where the queue's environment has several.", text("An instance type."))
    instances = record(
        "What a job needs.",
        {
            "column": column("A number of processors, GPUs or instances."),
            "per_instance": integer("How many of them an instance has; rounded up. Default 1.", 1, default=1),
            "type": type_,
            "times": column("The column of a number that it is multiplied by, such as that of workers."),
            "key": text("The key of the number in a text such as `cpu=8,gres/gpu=4`.", minLength=1),
            "columns": names("The column of a number of instances for each type.", column("A column."), ANY),
            "each": capacity("The same for every job."),
        },
        one_of=("column", "columns", "each"),
    )
    submit = record("", {"column": column("The time of submission."), "unit": unit, "zone": zone}, ("column",))
    lasting = record(
        "",
        {
            "column": column("The run time."),
            "unit": unit,
            "from": column("The time at which the job began to run."),
            "to": column("The time at which it ended."),
            "zone": zone,
        },
        one_of=("column", "from"),
    )
    properties = {
        "file": text("The history, relative to this file: .swf, .csv or .jsonl, each also .gz.", minLength=1),
        "format": choice("How it is written. Default: what its name tells, and its lines.", list(Format)),
        "delimiter": text("What divides columns of CSV. Default: what its first line tells.", minLength=1, maxLength=1),
        "header": listing("The columns' names, where no line of a CSV file tells them.", text("A name.")),
        "share": mapped("The share that each job is submitted to, or {column, map, default}.", text("A share's name.")),
        "instances": instances,
        "submit": either(column("The column of the time of submission, or {column, unit, zone}."), submit),
        "duration": either(column("The column of the run time, or {column, unit} or {from, to, zone}."), lasting),
        "priority": mapped("The scheduling priority, or {column, map, default}. Default 0.", priority("A priority.")),
        "name": column("The column of the jobs' names. Default: what the format has, else line-N."),
        "only": names(
            "Lines are left out unless these columns have one of these values; * and ? as in file names.",
            listing("The values.", text("A value or a pattern."), minItems=1),
            ANY,
        ),
        "limit": integer("How many jobs are taken at most, in the order of the file.", 1),
        "from": duration("Jobs submitted before it are left out; it counts from the history's first job."),
        "until": duration("Jobs submitted at or after it are left out; it counts from the history's first job."),
        "times": choice(
            "shifted: the first job that is taken is submitted at 0s. kept: as they stand there, counted from `start`.",
            ["shifted", "kept"],
            default="shifted",
        ),
        "checkpoint": duration("How much RUNNING time passes between checkpoints, or `continuous`.", "continuous"),
        "preemption_retries": integer("How often a job is requeued after a preemption. Default: without limit.", 0),
        "max_bad": {
            "description": "How many lines may be unusable: a number, or a percentage and at least 10. Default 1%.",
            "type": ["integer", "string"],
            "minimum": 0,
            "default": "1%",
        },
    }
    return record("Recorded jobs, to run them again.", properties, ("file",))


def event() -> Schema:
    name = text("The job's name.")
    kinds = {
        "update_priority": record(
            "A job's priority is changed.",
            {
                "job": name,
                "priority": priority("The new priority."),
            },
            required=("job", "priority"),
        ),
        "terminate": record(
            "A job is terminated.",
            {"job": name, "reason": text("The reason given.")},
            required=("job",),
        ),
        "fail": record(
            "A job's training fails.",
            {"job": name, "reason": text("The text that SageMaker would report.")},
            required=("job", "reason"),
        ),
        "capacity_error": record(
            "SageMaker finds no instances for a job that is being placed; it goes back to RUNNABLE.",
            {"job": name},
            required=("job",),
        ),
        "apply": text(
            "A stack, relative to this file, that is deployed now: a quota edit while jobs run.", minLength=1
        ),
        "set_capacity": capacity("Instances won or lost: new limits of the service environment.", 0),
    }
    return record(
        "Something that happens while jobs run.",
        {"at": duration("When, from the start of the scenario."), **kinds},
        required=("at",),
        one_of=tuple(kinds),
    )


def capacity_over_time() -> Schema:
    window = record(
        "Instances that are there for a while.",
        {
            "from": duration("When they come, from the start of the scenario. Default 0s.", default="0s"),
            "until": duration("When they are gone. Without it, they stay."),
            "instances": integer("How many there are.", 0),
        },
        required=("instances",),
    )
    windows = listing("When there are how many; at other times there is none.", window)
    based = record(
        windows["description"],
        {
            "base": integer("How many there are outside of the windows. Default 0.", 0, default=0),
            "windows": {**windows, "description": "When there are how many."},
        },
        required=("windows",),
    )
    return names(
        "Instance types of which there are not always as many: windows of time, as training plans reserve them. They "
        "replace the limit of the service environment.",
        either(windows, based),
        f"^{facts.INSTANCE_TYPE_PATTERN.pattern}$",
    )


def expectation() -> Schema:
    name = text("The job's name.")
    kinds = {
        "preempted": record(
            "At least one of the jobs meant here is preempted.",
            {
                **meant(),
                "kind": choice("Which kind of preemption.", ["cross-share", "in-share"]),
                "by": text("The job it made room for."),
            },
            one_of=MEANT,
        ),
        "never_preempted": record("No job meant here is ever preempted.", meant(), one_of=MEANT),
        "finished": record(
            "All jobs meant here succeed in time.",
            {**meant(), "by": duration("The time by which they have.")},
            required=("by",),
            one_of=MEANT,
        ),
        "no_blocked_jobs": {"description": "No job is ever blocked for good.", "const": True},
        "blocked": record(
            "The job is at the head of its share and can never run.",
            {"job": name, "reason": choice("Why.", list(facts.TIME_LIMIT_REASONS))},
            required=("job",),
        ),
        "wait": wait(),
        "borrowed": instances_moved("How many instances the share borrows at once, at the most of the run."),
        "lent": instances_moved("How many of the share's own instances others use at once, at the most of the run."),
        "utilisation": record(
            "Which part of an instance type's time is used, from 0 to 1.",
            {
                "instance_type": text("The instance type."),
                "at_most": fraction("The most that it may be."),
                "at_least": fraction("The least that it may be."),
            },
            required=("instance_type",),
        ),
    }
    statuses = {status: listing(f"Jobs that are {status.upper()} then.", name) for status in STATUSES}
    return record(
        "What must hold: the jobs' statuses at a time, or one of the other kinds.",
        {"at": duration("When these statuses hold, from the start of the scenario."), **statuses, **kinds},
        one_of=("at", *kinds),
    )


MEANT = ("job", "share", "workload")


def meant() -> dict[str, Schema]:
    """The jobs that an expectation is about."""
    return {
        "job": text("The job's name."),
        "share": text("The share's name: all its jobs."),
        "workload": text("The workload's name, or that of an entry of `jobs` with a count: all its jobs."),
    }


def wait() -> Schema:
    bounds = {
        "at_most": duration("The longest that it may be."),
        "at_least": duration("The shortest that it may be."),
    }
    figures = {
        "mean": "Their mean.",
        "p50": "Their median, by nearest rank.",
        "p95": "Their 95th percentile, by nearest rank.",
        "max": "The longest of them.",
    }
    about = {key: value for key, value in meant().items() if key != "job"}
    return record(
        "How long the jobs meant here wait from their submission until they are first SCHEDULED.",
        {**about, **{figure: record(what, bounds) for figure, what in figures.items()}},
        one_of=tuple(about),
    )


def instances_moved(description: str) -> Schema:
    return record(
        description,
        {
            "share": text("The share's name."),
            "instance_type": text("The instance type. Default: all of them together."),
            "at_most": integer("The most that it may be.", 0),
            "at_least": integer("The least that it may be.", 0),
        },
        required=("share",),
    )


def fraction(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "number", "minimum": 0, "maximum": 1, **more}


def assumption(name: str) -> Schema:
    """The schema of one assumption, from the scheduling model's own list."""
    point = next(point for point in POINTS if point.switch == name)
    about = f"{point.number}, {point.title}. Default: {point.statement}."
    if name == "victim_order":
        return listing(about, choice("A criterion.", list(assumptions.VICTIM_CRITERIA)), minItems=1)
    if name == "capacity_backoff":
        return duration(about, **{"x-at-least": "1ms"})
    default = getattr(assumptions.Assumptions(), name)
    if isinstance(default, bool):
        return boolean(about, default=default)
    return choice(about, assumptions.LEGAL[name].split(" or "), default=default)


def scenario() -> Schema:
    timing = record(
        "How long transitions take; all 0s by default.",
        {
            "scheduled": duration("Time spent in SCHEDULED.", default="0s"),
            "starting": duration("Time spent in STARTING.", default="0s"),
            "stopping": duration("Time a preempted job takes to stop.", default="0s"),
        },
    )
    properties = {
        **header("scenario"),
        "description": text("What it shows; one sentence."),
        "stack": text("The stack's file, relative to this one.", minLength=1),
        "queue": text("The queue the jobs go to; needed where the stack has several."),
        "seed": integer("What workloads are drawn from: the same number gives the same jobs. Default 0.", 0, default=0),
        "start": text(
            "The date that time 0 stands for, with the offset of its zone; profiles need it.",
            examples=["2026-12-01T00:00:00+01:00"],
        ),
        "until": duration("When the simulation ends. Without it, when nothing more happens."),
        "parameters": names(
            'Values by name; "${name}" stands for one of them anywhere here, and --set NAME=VALUE gives another.',
            {"description": "A number, a text, true or false.", "type": ["string", "number", "boolean"]},
            PARAMETER,
        ),
        "include": {
            "description": "Scenarios, one file or a list, whose jobs, workloads, events, expectations are taken too.",
            "type": ["string", "array"],
            "items": text("A file, relative to this one."),
        },
        "timing": timing,
        "assumptions": record(
            "Where the service's behaviour is not documented: what to assume, if not the default.",
            {name: assumption(name) for name in assumptions.ASSUMPTION_NAMES},
        ),
        "jobs": listing("The jobs.", job()),
        "workloads": listing("Jobs that are generated from the seed.", workload()),
        "replay": replay(),
        "events": listing("What happens while they run.", event()),
        "capacity": capacity_over_time(),
        "expect": listing("What must hold.", expectation()),
    }
    return document("Work on one queue, and what is expected of it", properties, ("kind", "version", "stack"))


def fleet() -> Schema:
    entry = record(
        "One declaration.",
        {
            "stack": text("Its file, relative to this one."),
            "profile": text("AWS profile to look at its account with."),
            "role_arn": text("IAM role to assume for looking at it."),
        },
        ("stack",),
    )
    return document(
        "Declarations of several accounts, looked at in one run",
        {**header("fleet"), "stacks": listing("The declarations.", entry)},
        ("kind", "version", "stacks"),
    )


def baseline() -> Schema:
    entry = record(
        "One difference.",
        {
            "path": text("Where it is, as a drift report writes it."),
            "live": {"description": "The live value that is accepted. Without it, any."},
            "reason": text("Why it is accepted."),
            "until": text("The last day on which it is, such as 2027-01-31."),
            "stack": text("The name of the declaration it holds for. Without it, all."),
        },
        ("path", "reason", "until"),
    )
    return document(
        "Differences between declaration and account that are accepted for a while",
        {**header("baseline"), "accept": listing("What is accepted.", entry)},
        ("kind", "version", "accept"),
    )


def own_policy() -> Schema:
    globs = {
        key: listing(f"Names of {key}, with * and ? as in file names. Without it, all.", text("A name or a pattern."))
        for key in ("stacks", "queues", "shares")
    }
    return document(
        "An organisation's own rule about what it declares",
        {
            **header("policy"),
            "id": text("QE700 to QE799, one policy each."),
            "name": text("A short name in lower case with hyphens, which says the bad pattern.", pattern=NAME),
            "severity": choice("How bad it is. Default error.", ["error", "warning", "note"], default="error"),
            "applies_to": choice("What the schema is for.", ["stack", "environment", "queue", "share"]),
            "only": record("Where it applies; everywhere without it.", globs),
            "message": text("What is wrong, in a line.", minLength=1),
            "why": text("Why it matters."),
            "fix": text("What to do."),
            "schema": {
                "description": "The JSON Schema (2020-12) that the object must meet. No $ref.",
                "type": "object",
            },
        },
        ("kind", "version", "id", "name", "applies_to", "message", "schema"),
    )


def document(title: str, properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    body = record(title + ".", properties, required)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **body,
        "required": ["kind", "version"],
    }


def optional(schema: Schema) -> Schema:
    """Drop what is required below the top: a fragment may leave out any key."""
    result = {key: value for key, value in schema.items() if key != "x-required"}
    if "properties" in result:
        result["properties"] = {key: optional(value) for key, value in result["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(result.get(key), dict):
            result[key] = optional(result[key])
    return result


def nullable(schema: Schema) -> Schema:
    """Let every property below the top be null: in a file that extends another, null removes."""
    result = dict(schema)
    if "properties" in result:
        result["properties"] = {key: _or_null(nullable(value)) for key, value in result["properties"].items()}
    if isinstance(result.get("additionalProperties"), dict):
        result["additionalProperties"] = _or_null(nullable(result["additionalProperties"]))
    return result


def _or_null(schema: Schema) -> Schema:
    result = dict(schema)
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
    if "enum" in result:
        result["enum"] = [*result["enum"], None]
    return result


def shown(schema: Schema) -> Schema:
    """Turn `x-required` and `x-one-of` into what editors know, where nothing is merged later."""
    result = {key: _inside(key, value, shown) for key, value in schema.items()}
    if "x-required" in result:
        result["required"] = result["x-required"]
    if "x-one-of" in result:
        others = [{"type": one} for one in result["type"] if one != "object"] if result["type"] != "object" else []
        map_only = {"type": "object"} if others else {}
        result["oneOf"] = [*others, *({**map_only, "required": [key]} for key in result["x-one-of"])]
    return result


def _inside(key: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    """Apply a change to the schemas that stand below a keyword."""
    if key == "properties":
        return {name: change(inner) for name, inner in value.items()}
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return change(value)
    return value


USE = r"\$\{"
"""A use of a parameter in a text."""
_UNCHANGED = ("kind", "version", "parameters", "include")


def parametrised(schema: Schema) -> Schema:
    """Let values of a scenario be texts that use a parameter, for editors: config judges what the parameters gave.

    `x-plain` holds what a schema says of that: the keywords as they were, null for one that was not there.
    """
    properties = {
        name: inner if name in _UNCHANGED else _with_uses(inner) for name, inner in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _with_uses(schema: Schema) -> Schema:
    result = {key: _inside(key, value, _with_uses) for key, value in schema.items()}
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    changes: Schema = {}
    if "enum" in schema:
        changes = {"enum": None, "anyOf": [{"enum": schema["enum"]}, {"pattern": USE}]}
    elif "string" in types and "pattern" in schema:
        changes = {"pattern": f"{schema['pattern']}|{USE}"}
    elif "string" not in types and {"integer", "number", "boolean"}.intersection(types):
        changes = {"type": [*types, "string"], "pattern": USE}
        if "oneOf" in schema:
            changes["oneOf"] = [{"type": "string"}, *schema["oneOf"]]
    if not changes:
        return result
    kept = {key: value for key, value in {**result, **changes}.items() if value is not None}
    return {**kept, "x-plain": {key: schema.get(key) for key in changes}}


def schemas() -> dict[str, Schema]:
    """Return every schema by kind."""
    return {
        "stack": nullable(declaration("stack")),
        "fragment": {**nullable(optional(declaration("fragment"))), "x-required": ["kind", "version"]},
        "scenario": parametrised(shown(scenario())),
        "fleet": shown(fleet()),
        "baseline": shown(baseline()),
        "policy": shown(own_policy()),
    }


def render(schema: Schema) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for kind, body in schemas().items():
        (TARGET / f"{kind}.schema.json").write_text(render(body), encoding="utf-8")
