"""The scheduling model: what AWS Batch would dispatch, lend, borrow and preempt on one queue.

Pure and deterministic: integer milliseconds, integer instances, no clock, no randomness, no set order. Two drivers use
it, `simulate/` (to the end of a scenario) and `emulator/` (until now); neither holds a scheduling rule of its own.
"""

from .advance import advance, next_due_ms
from .assumptions import AssumptionError, Assumptions
from .attempt import Attempt
from .inputs import Complete, Input, InputError, PutEnvironment, PutQueue, PutShare, RemoveShare, Submit
from .points import POINTS
from .state import JobRecord, SchedulerState, ShareState
from .status import DISPATCHED, FINISHED, JobStatus

__all__ = [
    "DISPATCHED",
    "FINISHED",
    "POINTS",
    "AssumptionError",
    "Assumptions",
    "Attempt",
    "Complete",
    "Input",
    "InputError",
    "JobRecord",
    "JobStatus",
    "PutEnvironment",
    "PutQueue",
    "PutShare",
    "RemoveShare",
    "SchedulerState",
    "ShareState",
    "Submit",
    "advance",
    "next_due_ms",
]
