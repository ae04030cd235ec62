"""A live account as values: read-only calls through boto3, answered as present, absent or unreadable.

`observe(stack, session)` is what others call. It never writes, never guesses, and never takes a failed call for an
absent resource. The only package besides the emulator's tests that speaks to AWS.
"""

from .account import Unreachable, WrongAccount, WrongRegion, open_session
from .adopt import Adopted, adopt
from .find_job import find_job, is_job_id
from .history import read_history
from .jobs import observe_jobs
from .observe import observe
from .permissions import history_policy, iam_policy
from .settle import observe_settled
from .trouble import LiveTrouble, NotAuthenticated

__all__ = [
    "Adopted",
    "LiveTrouble",
    "NotAuthenticated",
    "Unreachable",
    "WrongAccount",
    "WrongRegion",
    "adopt",
    "find_job",
    "history_policy",
    "iam_policy",
    "is_job_id",
    "observe",
    "observe_jobs",
    "observe_settled",
    "open_session",
    "read_history",
]
