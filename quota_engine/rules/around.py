"""Rules for what stands around the queues: what it refers to, and the forms that IAM, SNS and CloudWatch accept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import service_facts as facts
from ..model.around import METRICS, Alarm, Grantees, Measure, role_name
from ..model.diagnostic import Severity
from ..model.stack import Path, Stack
from .names import shorten
from .references import suggest
from .registry import Fault, rule

_SECTIONS = ("job_queues",)


@rule(
    "QE440",
    "access-to-unknown-share",
    Severity.ERROR,
    scopes=("stack",),
    source="Service Authorization Reference, AWS Batch: a policy names the quota share by its ARN",
    reads=_SECTIONS,
)
def access_to_unknown_share(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The queue and the quota share that an access names are declared.

    Why it is wrong
      The policy would allow nothing, and whoever has it could submit nowhere.

    Example
      access: {research: {queue: trainings}}

    Use instead
      access: {research: {queue: training}}
    """
    why = "its policy would name a share that doesn't exist"
    for access in stack.around.access.values():
        queue = stack.job_queues.get(access.queue)
        if queue is None:
            what = f"access '{access.name}' names the job queue '{access.queue}', which is not declared"
            yield ("access", access.name, "queue"), what, why, suggest(access.queue, stack.job_queues)
        elif access.share not in queue.quota_shares:
            what = f"access '{access.name}' is for the quota share '{access.share}', which '{queue.name}' doesn't have"
            path = ("access", access.name, "share") if access.share != access.name else ("access", access.name, "@key")
            yield path, what, why, suggest(access.share, queue.quota_shares)


@rule(
    "QE441",
    "alarm-on-unknown-queue",
    Severity.ERROR,
    scopes=("stack",),
    source="AWS Batch User Guide, Using CloudWatch Metrics with AWS Batch",
    reads=_SECTIONS,
)
def alarm_on_unknown_queue(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The queue that an alarm watches is declared.

    Why it is wrong
      CloudWatch accepts any name, and the alarm would never go off.

    Example
      alarms: [{queue: trainings, metric: JobsPreempted, over: 10, within: 1h}]

    Use instead
      alarms: [{queue: training, metric: JobsPreempted, over: 10, within: 1h}]
    """
    for index, alarm in enumerate(stack.around.alarms):
        if alarm.queue not in stack.job_queues:
            what = f"an alarm watches the job queue '{alarm.queue}', which is not declared"
            why = "CloudWatch accepts any name, and the alarm would never go off"
            yield ("alarms", index, "queue"), what, why, suggest(alarm.queue, stack.job_queues)


@rule(
    "QE442",
    "malformed-principal",
    Severity.ERROR,
    scopes=("stack",),
    source="IAM API Reference: AttachRolePolicy, AttachUserPolicy, AttachGroupPolicy",
)
def malformed_principal(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A principal is the ARN of an IAM role, user or group; one that gets a policy is in the stack's own account; and
      a group can't assume a role.

    Why it is wrong
      A policy can be attached only to what is in its account, and IAM refuses a group as a principal.

    Example
      access: {research: {queue: training, principals: [research-team]}}

    Use instead
      access: {research: {queue: training, principals: ["arn:aws:iam::123456789012:role/research-team"]}}
    """
    around = stack.around
    others = {"administrators": around.administrators, "auditors": around.auditors}
    paths: list[tuple[Path, Grantees]] = [(("access", name), access.grantees) for name, access in around.access.items()]
    paths += [((key,), grantees) for key, grantees in others.items() if grantees is not None]
    for path, grantees in paths:
        for key, arns in (("principals", grantees.principals), ("assumed_by", grantees.assumed_by)):
            for index, arn in enumerate(arns):
                problem = _principal_problem(arn, key, stack.account)
                if problem:
                    yield (*path, key, index), f"'{shorten(arn)}' {problem[0]}", problem[1], problem[2]


def _principal_problem(arn: str, key: str, account: str | None) -> tuple[str, str, str] | None:
    """Return (what, why, fix), None where nothing is wrong."""
    match = facts.PRINCIPAL_PATTERN.fullmatch(arn)
    if match is None:
        why = "IAM knows principals by their ARN"
        return "is not the ARN of an IAM role, user or group", why, "write arn:aws:iam::<account>:role/<name>"
    if key == "assumed_by" and match[1] == "group":
        return "is a group, and a group can't assume a role", "IAM refuses it", "name the users, or attach to the group"
    if key == "principals" and account is not None and arn.split(":")[4] != account:
        why = "a policy can be attached only in its own account"
        return f"is not in the account {account}", why, "move it to assumed_by, which may name other accounts"
    return None


@rule(
    "QE443",
    "access-priority-out-of-range",
    Severity.ERROR,
    scopes=("stack",),
    source="Batch API Reference, SubmitServiceJob: schedulingPriority",
)
def access_priority_out_of_range(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A cap on scheduling priorities is one of the priorities there are, 0 to 9999.

    Why it is wrong
      Another cap allows everything or nothing.

    Example
      access: {research: {queue: training, max_priority: 10000}}

    Use instead
      access: {research: {queue: training, max_priority: 9999}}
    """
    for access in stack.around.access.values():
        cap = access.max_priority
        if cap is not None and not facts.JOB_PRIORITY_MIN <= cap <= facts.JOB_PRIORITY_MAX:
            what = f"access '{access.name}' caps the priority at {cap}"
            why = f"priorities go from {facts.JOB_PRIORITY_MIN} to {facts.JOB_PRIORITY_MAX}"
            yield ("access", access.name, "max_priority"), what, why, "write one of them, or remove max_priority"


@rule(
    "QE444",
    "alarm-that-can-not-be",
    Severity.ERROR,
    scopes=("stack",),
    source="CloudWatch API Reference, PutMetricAlarm: Period",
)
def alarm_that_can_not_be(stack: Stack) -> Iterator[Fault]:
    """What it checks
      An alarm looks at whole minutes, a day at most; a metric that counts jobs has a number as its threshold, one that
      measures time a duration; and no two alarms have one name.

    Why it is wrong
      CloudWatch refuses other periods and overwrites an alarm of the same name; a wait over 30 is 30 milliseconds.

    Example
      alarms: [{queue: training, metric: JobAttemptRunnableToScheduledDuration, over: 30, within: 1h}]

    Use instead
      alarms: [{queue: training, metric: JobAttemptRunnableToScheduledDuration, over: 30m, within: 1h}]
    """
    seen: set[str] = set()
    for index, alarm in enumerate(stack.around.alarms):
        if alarm.name in seen:
            what = f"a second alarm has the name '{alarm.name}'"
            yield ("alarms", index), what, "CloudWatch knows alarms by name", "give it a name of its own"
        seen.add(alarm.name)
        yield from _alarm_values(alarm, ("alarms", index))


def _alarm_values(alarm: Alarm, path: Path) -> Iterator[Fault]:
    if alarm.within_seconds % 60 or not 60 <= alarm.within_seconds <= facts.ALARM_PERIOD_MAX_SECONDS:
        what = f"the alarm '{alarm.name}' looks at {alarm.within_seconds} seconds"
        yield (*path, "within"), what, "CloudWatch takes whole minutes, up to a day", "write 1m to 1d"
    measure = METRICS.get(alarm.metric)
    if measure is Measure.MILLISECONDS and not alarm.is_duration:
        what = f"the alarm '{alarm.name}' has the threshold {alarm.over}, and {alarm.metric} is a time"
        yield (*path, "over"), what, "a time has a unit", f"add the unit, e.g. {alarm.over}m"
    if measure is Measure.COUNT and alarm.is_duration:
        what = f"the alarm '{alarm.name}' has a time as its threshold, and {alarm.metric} counts jobs"
        yield (*path, "over"), what, "jobs are counted", "write a number"


@rule(
    "QE445",
    "malformed-aws-name",
    Severity.ERROR,
    scopes=("stack",),
    source="IAM API Reference, CreateRole; Amazon S3 User Guide, bucket naming rules; SNS, CreateTopic; "
    "CloudWatch Logs, CreateLogGroup",
)
def malformed_aws_name(stack: Stack) -> Iterator[Fault]:
    """What it checks
      Names of roles, buckets, topics and log groups have the form that their service accepts.

    Why it is wrong
      The service refuses them in the middle of a deployment.

    Example
      training_role: {name: ml-training, buckets: [ML_Data]}

    Use instead
      training_role: {name: ml-training, buckets: [ml-data]}
    """
    for path, noun, name, pattern in _names(stack):
        if not pattern.fullmatch(name):
            what = f"'{shorten(name)}' is not the form of {noun}"
            yield path, what, "its service refuses it", f"write {noun}'s name as AWS spells it"


def _names(stack: Stack) -> Iterator[tuple[Path, str, str, re.Pattern[str]]]:
    """Yield (path, noun, name, pattern) of everything whose form its own service checks."""
    around = stack.around
    role = around.training_role
    if role is not None:
        yield ("training_role", "name"), "a role", role.name, facts.ROLE_NAME_PATTERN
        for key, buckets in (("buckets", role.buckets), ("read_only_buckets", role.read_only_buckets)):
            for index, bucket in enumerate(buckets):
                yield ("training_role", key, index), "a bucket", bucket, facts.BUCKET_PATTERN
    for access in around.access.values():
        yield ("access", access.name, "@key"), "an access", access.name, facts.NAME_PATTERN
        for index, name in enumerate(access.training_roles):
            is_arn = name.startswith("arn:")
            pattern = facts.ROLE_ARN_PATTERN if is_arn else facts.ROLE_NAME_PATTERN
            yield ("access", access.name, "training_roles", index), "a role", name, pattern
    for occasion, notification in around.notifications.items():
        path: Path = ("notifications", occasion.value)
        if notification.sns_topic is not None:
            yield (*path, "sns_topic"), "a topic", notification.sns_topic, facts.TOPIC_PATTERN
        if notification.log_group is not None:
            yield (*path, "log_group"), "a log group", notification.log_group, facts.LOG_GROUP_PATTERN
    for index, alarm in enumerate(around.alarms):
        if alarm.notify is not None:
            yield ("alarms", index, "notify"), "a topic", alarm.notify, facts.TOPIC_PATTERN


@rule(
    "QE447",
    "role-name-too-long",
    Severity.ERROR,
    scopes=("stack",),
    source="IAM API Reference, CreateRole: RoleName",
)
def role_name_too_long(stack: Stack) -> Iterator[Fault]:
    """What it checks
      A role that is made for an access has a name of at most 64 characters: the stack's name, "-submit-", and
      the entry's.

    Why it is wrong
      IAM refuses longer names.

    Example
      name: ml-training-of-the-recommendations-organisation-production
      access: {research: {queue: training, assumed_by: ["arn:aws:iam::123456789012:role/sso"]}}

    Use instead
      name: ml-training-prod
    """
    around = stack.around
    roles = {("access", name): (access.policy, access.grantees) for name, access in around.access.items()}
    for key, grantees in (("administrators", around.administrators), ("auditors", around.auditors)):
        if grantees is not None:
            roles[(key, "")] = (key, grantees)
    for (section, entry), (name, grantees) in roles.items():
        length = len(role_name(stack.name, name))
        if grantees.assumed_by and length > facts.ROLE_NAME_MAX:
            what = f"the role '{shorten(role_name(stack.name, name))}' would have a name of {length} characters"
            path: Path = (section, entry, "@key") if entry else (section, "@key")
            yield path, what, f"IAM allows {facts.ROLE_NAME_MAX}", "shorten the stack's name, or the entry's"


@rule(
    "QE448",
    "malformed-job-tags",
    Severity.ERROR,
    scopes=("stack",),
    source="Batch API Reference, TagrisTagsMap, TagKey and TagValue; AWS Batch User Guide, Tag restrictions",
)
def malformed_job_tags(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The tags that an access demands of every job are tags a job can have: 50 at most, keys of 1 to 128 characters
      that don't begin with aws:, values of at most 256.

    Why it is wrong
      No job could be submitted.

    Example
      access: {research: {queue: training, job_tags: {"aws:team": research}}}

    Use instead
      access: {research: {queue: training, job_tags: {team: research}}}
    """
    why = "AWS Batch refuses a job with such tags"
    for access in stack.around.access.values():
        path: Path = ("access", access.name, "job_tags")
        if len(access.job_tags) > facts.TAGS_MAX:
            yield path, f"access '{access.name}' demands {len(access.job_tags)} tags", why, f"demand {facts.TAGS_MAX}"
        for key, value in access.job_tags.items():
            is_reserved = key.lower().startswith(facts.TAG_RESERVED_PREFIX)
            if is_reserved or not 1 <= len(key) <= facts.TAG_KEY_MAX:
                yield (*path, key, "@key"), f"a job can't have the tag '{shorten(key)}'", why, "choose another key"
            if len(value) > facts.TAG_VALUE_MAX:
                yield (*path, key), f"the value of tag '{shorten(key)}' has {len(value)} characters", why, "shorten it"


@rule(
    "QE446",
    "access-without-training-role",
    Severity.WARNING,
    scopes=("stack",),
    source="Service Authorization Reference, AWS Batch: SubmitServiceJob needs iam:PassRole",
)
def access_without_training_role(stack: Stack) -> Iterator[Fault]:
    """What it checks
      An access says as which role its jobs may run, or the stack has a training_role.

    Why it is wrong
      Submitting a job needs the right to pass its role on to SageMaker; without it every submission is refused, unless
      the right comes from elsewhere.

    Example
      access: {research: {queue: training}}

    Use instead
      access: {research: {queue: training, training_roles: [ml-training]}}
    """
    if stack.around.training_role is not None:
        return
    for access in stack.around.access.values():
        if not access.training_roles:
            what = f"access '{access.name}' lets nobody pass a role to SageMaker"
            why = "a job runs as a role, and whoever submits it must be allowed to pass that role"
            yield ("access", access.name), what, why, "add training_roles, or declare training_role"
