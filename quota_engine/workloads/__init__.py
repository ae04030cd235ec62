"""A scenario's workloads → its jobs, from a seed: the same on every machine and every Python version.

Pure: the only randomness is `random.Random` with the seed of the scenario and the name of the workload.
"""

from .generate import TooManyJobs, jobs_of, prepare

__all__ = ["TooManyJobs", "jobs_of", "prepare"]
