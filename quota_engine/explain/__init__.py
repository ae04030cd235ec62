"""Why a job waits, runs or was preempted, and what would change it. Pure.

What is said of the present is read from a situation; every "would" is tried in the scheduling model before it is said.
"""

from .moment import Moment, moment_of
from .result import Explanation, Would
from .why import explain

__all__ = ["Explanation", "Moment", "Would", "explain", "moment_of"]
