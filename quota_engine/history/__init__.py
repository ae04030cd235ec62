"""A job history → jobs to replay: Standard Workload Format, CSV, JSON Lines, what `history` and EventBridge write.

Reads files, line by line, in bounded memory. What a scenario says of a history is `model.replay`.
"""

from .bad_lines import BadLines
from .read import Fits, History, read_history, refuse
from .recorded import read_recorded
from .scenario import taken_names, with_history
from .text import HistoryError, Progress

__all__ = [
    "BadLines",
    "Fits",
    "History",
    "HistoryError",
    "Progress",
    "read_history",
    "read_recorded",
    "refuse",
    "taken_names",
    "with_history",
]
