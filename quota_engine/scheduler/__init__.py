"""The scheduling model: what AWS Batch would dispatch, lend, borrow and preempt on one queue.

Pure and deterministic: integer milliseconds, integer instances, no clock, no randomness, no set order. Two drivers use
it, `simulate/` (to the end of a scenario) and `emulator/` (until now); neither holds a scheduling rule of its own.
"""
