"""Jobs, spelled out or generated."""

from __future__ import annotations

from typing import Any

from quota_engine.model import service_facts as facts
from tools.schema_parts.keywords import (
    NAME,
    Schema,
    capacity,
    choice,
    duration,
    fraction,
    integer,
    listing,
    names,
    record,
    text,
)


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
