"""A stack and a fragment."""

from __future__ import annotations

from quota_engine.model import durations
from quota_engine.model import service_facts as facts
from quota_engine.model.stack import State, Strategy
from tools.schema_parts.around import around
from tools.schema_parts.keywords import (
    NAME,
    Schema,
    boolean,
    capacity,
    choice,
    document,
    duration,
    header,
    integer,
    listing,
    names,
    record,
    state,
    tags,
    text,
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
