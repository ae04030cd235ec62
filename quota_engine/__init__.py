"""AWS Batch quota management as code: validate, predict, deploy and check for drift.

Importing this package imports nothing heavy; each part is imported where it is used (see docs/architecture.md).
"""

__version__ = "0.1.0"
