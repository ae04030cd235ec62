"""A history to replay."""

from __future__ import annotations

from quota_engine.model.replay import Format, Unit
from tools.schema_parts.jobs import either, priority
from tools.schema_parts.keywords import Schema, capacity, choice, duration, integer, listing, names, record, text


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
