"""Many simulations at once: seeds and values to try, done in this process, on a process pool or on a Dask cluster.

The result depends on the runs alone, not on where or in which order they were done; each is the simulation that
`simulate` does. Finished runs go into a journal as they come. Nothing here reads a scenario: a `Plan` holds them.
"""

from .grid import (
    Axis,
    AxisKind,
    Choice,
    Combination,
    check_axes,
    combinations,
    count_combinations,
    described,
    read_axis,
    read_seeds,
)
from .journal import Journal, journal_path, open_journal, told_when_stopped
from .plan import Plan, RunResult, Seeds, Swept, sweep
from .pool import process_pool, processors
from .summary import METRICS, Group, Summary, summarised
from .table import Table, check_ending, table_of, written
from .task import Engine, Task, loop, perform

__all__ = [
    "METRICS",
    "Axis",
    "AxisKind",
    "Choice",
    "Combination",
    "Engine",
    "Group",
    "Journal",
    "Plan",
    "RunResult",
    "Seeds",
    "Summary",
    "Swept",
    "Table",
    "Task",
    "check_axes",
    "check_ending",
    "combinations",
    "count_combinations",
    "described",
    "journal_path",
    "loop",
    "open_journal",
    "perform",
    "process_pool",
    "processors",
    "read_axis",
    "read_seeds",
    "summarised",
    "sweep",
    "table_of",
    "told_when_stopped",
    "written",
]
