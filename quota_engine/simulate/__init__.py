"""Scenarios through the scheduling model: the trace, what became of every job, verdicts, timelines and measures.

Pure: a `Scenario` in, values out. No scheduling rule stands here; what happened is read from the trace.
"""

from .judge import Judging, Verdict, judge
from .measured import TRACED_MAX, Measured, run_measured
from .metrics import Measures, Meter, measure
from .outcome import Run, Start, Unfinished, sequence
from .run import ScenarioError, run, run_into
from .sensitivity import Divergence, Tried, Turned, sensitivity
from .timeline import JobTimeline, Segment, SegmentKind, timelines

__all__ = [
    "TRACED_MAX",
    "Divergence",
    "JobTimeline",
    "Judging",
    "Measured",
    "Measures",
    "Meter",
    "Run",
    "ScenarioError",
    "Segment",
    "SegmentKind",
    "Start",
    "Tried",
    "Turned",
    "Unfinished",
    "Verdict",
    "judge",
    "measure",
    "run",
    "run_into",
    "run_measured",
    "sensitivity",
    "sequence",
    "timelines",
]
