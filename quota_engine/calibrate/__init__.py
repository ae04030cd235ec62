"""How well the scheduling model explains what a real queue did, and which assumptions explain it better.

Pure: recorded lines and a `Stack` in, a `Calibration` out.
"""

from .decisions import Decision, DecisionKind, Judgement, Score, ShareError
from .events import record_of_events
from .history import record_of_history
from .record import BadLine, Course, Record, Stint, StintEnd
from .search import Alternative, Calibration, calibrate

__all__ = [
    "Alternative",
    "BadLine",
    "Calibration",
    "Course",
    "Decision",
    "DecisionKind",
    "Judgement",
    "Record",
    "Score",
    "ShareError",
    "Stint",
    "StintEnd",
    "calibrate",
    "record_of_events",
    "record_of_history",
]
