"""The operations of the Batch API, one small function each, grouped by resource.

An operation gets a checked input and either returns its whole output or raises a Refusal, having changed nothing.
"""

from __future__ import annotations

from ..call import Operations
from . import environments, jobs, policies, queues, shares, snapshot, tagging

BATCH: Operations = {
    **policies.OPERATIONS,
    **environments.OPERATIONS,
    **queues.OPERATIONS,
    **shares.OPERATIONS,
    **jobs.OPERATIONS,
    **snapshot.OPERATIONS,
    **tagging.OPERATIONS,
}
"""Every emulated operation of Batch by name."""
