"""A scenario: its events, capacity, expectations and assumptions."""

from __future__ import annotations

from quota_engine.model import service_facts as facts
from quota_engine.scheduler import POINTS, assumptions
from tools.schema_parts.jobs import either, job, priority, workload
from tools.schema_parts.keywords import (
    PARAMETER,
    Schema,
    boolean,
    capacity,
    choice,
    document,
    duration,
    fraction,
    header,
    integer,
    listing,
    names,
    record,
    text,
)
from tools.schema_parts.replay import replay

STATUSES = ("runnable", "scheduled", "starting", "running", "succeeded", "failed")


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
        "until": duration(
            "When the simulation ends, later than 0s. Without it, when nothing more happens.", **{"x-at-least": "1ms"}
        ),
        "parameters": names(
            'Values by name; "${name}" stands for one of them anywhere here, and --set NAME=VALUE gives another.',
            {"description": "A number, a text, true or false.", "type": ["string", "number", "boolean"]},
            PARAMETER,
        ),
        "include": {
            "description": "Scenarios, one file or a list, whose work, capacity and expectations are taken too.",
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
