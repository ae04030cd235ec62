"""Findings about a scenario: what it names, and what it generates and replays (QE5xx)."""

from __future__ import annotations

from typing import Final

_SCENARIO = "docs/scenario.md"
_REPLAY = "docs/replay.md"

ROWS: Final = (
    # id, name, what it checks, why it is wrong, example, use instead, source
    (
        "QE501",
        "scenario-stack-unreadable",
        "The stack that a scenario names can be read.",
        "Without its shares nothing can be simulated.",
        "stack: ../stacks/dve.yaml",
        "stack: ../stacks/dev.yaml",
        _SCENARIO,
    ),
    (
        "QE502",
        "scenario-stack-invalid",
        "The stack that a scenario names is valid.",
        "A simulation of something that can't be deployed means nothing.",
        "stack: broken.yaml",
        "stack: ../stacks/dev.yaml",
        _SCENARIO,
    ),
    (
        "QE503",
        "scenario-queue",
        "The scenario's queue is one of the stack's, and is named where the stack has several.",
        "The jobs would have nowhere to go.",
        "queue: trianing",
        "queue: training",
        _SCENARIO,
    ),
    (
        "QE504",
        "unknown-share",
        "A share named in a scenario is one of its queue's.",
        "Batch refuses a job for a share that doesn't exist.",
        "share: QS9",
        "share: QS1",
        _SCENARIO,
    ),
    (
        "QE505",
        "duplicate-job",
        "Every job's name is unique, those of its copies included.",
        "Events and expectations could not tell them apart.",
        "- {name: train}\n- {name: train}",
        "- {name: train-1}\n- {name: train-2}",
        _SCENARIO,
    ),
    (
        "QE506",
        "unknown-job",
        "A job or workload named by an event or an expectation is one of the scenario's.",
        "The event would do nothing; the expectation would be about nothing.",
        "terminate: {job: trian}",
        "terminate: {job: train}",
        _SCENARIO,
    ),
    (
        "QE507",
        "job-out-of-range",
        "What a job asks for keeps within the limits of SubmitServiceJob.",
        "Batch refuses the submission.",
        "priority: 10000",
        "priority: 9999",
        "Batch API Reference, SubmitServiceJob",
    ),
    (
        "QE508",
        "unknown-unit",
        "Jobs and events ask for instance types that the queue's environment has.",
        "A job of another type never runs: the service environment has none of it.",
        "instances: {ml.g5.2xlarge: 1}",
        "instances: {ml.g5.xlarge: 1}",
        "AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration",
    ),
    (
        "QE509",
        "event-out-of-order",
        "An event about a job comes at or after the job's submission; nothing comes or is expected after `until`.",
        "It would have no effect, or be about what is not known.",
        "submit_at: 1h, and an event at: 30m",
        "an event at: 1h",
        _SCENARIO,
    ),
    (
        "QE510",
        "expectation-bounds",
        "An expectation about an amount has a bound, and at_least is not above at_most.",
        "It would hold whatever happens, or never.",
        "wait: {share: research, p95: {}}",
        "wait: {share: research, p95: {at_most: 2h}}",
        _SCENARIO,
    ),
    (
        "QE511",
        "include-unreadable",
        "A file named by include can be read.",
        "The scenario lacks work without it.",
        "include: comon.yaml",
        "include: common.yaml",
        _SCENARIO,
    ),
    (
        "QE512",
        "include-outside",
        "A file named by include lies in the folder of the scenario or below it.",
        "What is predicted must not depend on files that a reviewer of the folder can't see.",
        "include: ../../other/load.yaml",
        "include: load.yaml",
        _SCENARIO,
    ),
    (
        "QE513",
        "include-cycle",
        "No file includes itself, directly or through others.",
        "There is no first list to begin from.",
        "include: day.yaml  # in day.yaml",
        "include: load.yaml",
        _SCENARIO,
    ),
    (
        "QE514",
        "unknown-parameter",
        "A parameter that a value uses is stated under parameters.",
        "There is no value to put in its place.",
        'parameters: {rate: 6}\nper_hour: "${rat}"',
        'parameters: {rate: 6}\nper_hour: "${rate}"',
        _SCENARIO,
    ),
    (
        "QE515",
        "unused-parameter",
        "A parameter is used somewhere.",
        "Giving it another value changes nothing, though it looks as if it did.",
        "parameters: {rate: 6}\nper_hour: 6",
        'parameters: {rate: 6}\nper_hour: "${rate}"',
        _SCENARIO,
    ),
    (
        "QE516",
        "distribution",
        "What a workload is drawn from can be drawn from: bounds in order, weights that add up, hours of a day.",
        "There is no such distribution.",
        "priority: {uniform: [5, 1]}",
        "priority: {uniform: [1, 5]}",
        _SCENARIO,
    ),
    (
        "QE517",
        "workload-without-end",
        "Something ends a workload: until of the scenario or of its arrivals, or a number of jobs.",
        "It would go on for ever.",
        "arrivals: {poisson: {per_hour: 6}}  # in a scenario without until",
        "arrivals: {poisson: {per_hour: 6}, until: 24h}",
        _SCENARIO,
    ),
    (
        "QE518",
        "durations-file",
        "A file of observed durations can be read, and holds at least one; each has a unit, or its column says which.",
        "There is nothing to draw from.",
        "duration: {empirical: durations.csv}  # 40 in line 1",
        "duration: {empirical: durations.csv}  # 40m in line 1",
        _SCENARIO,
    ),
    (
        "QE519",
        "start",
        "A scenario's start is a date and time with the offset of its zone, and is there where a profile needs it.",
        "Nobody knows which hour of which day it is otherwise.",
        "start: 2026-12-01",
        "start: 2026-12-01T00:00:00+01:00",
        "ISO 8601; docs/scenario.md",
    ),
    (
        "QE530",
        "replay-unreadable",
        "The history that a scenario replays can be read, and it is known how it is written.",
        "Its jobs would be missing.",
        "replay: {file: hsitory.swf}",
        "replay: {file: history.swf}",
        _REPLAY,
    ),
    (
        "QE531",
        "replay-column",
        "A column that a scenario names is one of the history's.",
        "Nothing could be taken from it.",
        "share: {column: que}",
        "share: {column: queue}",
        _REPLAY,
    ),
    (
        "QE532",
        "replay-bad-line",
        (
            "A line of the history tells of a job that can be submitted. "
            "An error where there are more other lines than max_bad allows, else a warning; one for each reason."
        ),
        "The job is left out, and the queue of the simulation is emptier than the real one was.",
        'share: {column: queue, map: {"0": interactive}}  # and a line of queue 1',
        'share: {column: queue, map: {"0": interactive, "1": normal}}',
        _REPLAY,
    ),
    (
        "QE533",
        "replay-without-jobs",
        "A history has jobs that can be replayed.",
        "Nothing would be simulated.",
        "replay: {file: history.swf, from: 90d}  # of a history of 30 days",
        "replay: {file: history.swf, from: 20d}",
        _REPLAY,
    ),
    (
        "QE534",
        "capacity-window",
        "A window of capacity ends after it begins, and no two of one type hold at the same time.",
        "It would hold nothing, or nobody knows which of the two counts.",
        """\
capacity:
  ml.p5.48xlarge:
    - {from: 0s, until: 24h, instances: 16}
    - {from: 12h, until: 48h, instances: 8}""",
        """\
capacity:
  ml.p5.48xlarge:
    - {from: 0s, until: 12h, instances: 16}
    - {from: 12h, until: 24h, instances: 24}
    - {from: 24h, until: 48h, instances: 8}""",
        _SCENARIO,
    ),
    (
        "QE535",
        "capacity-stated-twice",
        "No event sets the capacity of a type whose windows the scenario states.",
        "The two contradict each other from then on.",
        """\
capacity: {ml.p5.48xlarge: [{from: 0s, until: 24h, instances: 16}]}
events:
  - {at: 12h, set_capacity: {ml.p5.48xlarge: 8}}""",
        """\
capacity:
  ml.p5.48xlarge: [{from: 0s, until: 12h, instances: 16}, {from: 12h, until: 24h, instances: 8}]""",
        _SCENARIO,
    ),
    (
        "QE536",
        "replay-stated-twice",
        "A scenario and the files that it includes state one replay between them.",
        "One history is replayed; the jobs of the other would be missing.",
        "include: last-week.yaml  # which replays a history\nreplay: {file: this-week.swf}",
        "include: last-week.yaml",
        _SCENARIO,
    ),
)
