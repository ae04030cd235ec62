"""Speed, as ratios measured in one run; not tests. `python -m benchmarks.scheduler` prints a table."""
