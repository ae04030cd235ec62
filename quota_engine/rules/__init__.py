"""What AWS Batch would refuse, and what is legal but probably wrong: one small function per rule, judging values.

Pure: a rule knows paths, never text, lines or files. The same rules judge declarations, requests to the emulator and
live resources. Ids are stable for ever: QE3xx judge one resource, QE4xx several together, QE5xx a scenario's work.
"""

from . import accounts, around, capacity, names, queues, references, shares, sharing, windows, work, workloads
from .accounts import Clash, check_accounts
from .check import check_environment, check_policy, check_queue, check_scenario, check_share, check_stack
from .registry import RULES, Rule, page
from .work import refusal_of

__all__ = [
    "RULES",
    "Clash",
    "Rule",
    "check_accounts",
    "check_environment",
    "check_policy",
    "check_queue",
    "check_scenario",
    "check_share",
    "check_stack",
    "page",
    "refusal_of",
]

_MODULES = (accounts, around, capacity, names, queues, references, shares, sharing, windows, work, workloads)
"""Every module of rules: importing them is what fills the registry."""
