"""What was found of a declaration in a live account: present, absent or unreadable, which are three different answers.

`live` builds it, `drift` compares it with the declaration. A resource that could not be read is named in `unreadable`
with the failed call; only what was asked for and is in neither place is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .stack import Path, QuotaShare, Stack


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something could not be read: the API operation ("batch:ListQuotaShares"), its error code and its message."""

    operation: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A resource's status as the service gives it (VALID, UPDATING, …) and, where it has one, the status reason."""

    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """The observed stack, each resource's condition, and what could not be read.

    Paths are those of the declaration. Under `unreadable`, ("job_queues", Q) is the queue itself but not its shares;
    ("job_queues", Q, "quota_shares") is which shares the queue holds, so nothing is known of shares that nobody
    declared; a path ending in "tags" is the tags alone. `shares_of_unreadable_queues` holds the shares that were read
    although their queue was not. `share_tags_read` is False where share tags were left out on purpose. With
    `whole_account` the stack holds everything of quota management in the account and region, declared or not.
    """

    stack: Stack
    conditions: Mapping[Path, Condition] = field(default_factory=dict)
    unreadable: Mapping[Path, Problem] = field(default_factory=dict)
    shares_of_unreadable_queues: Mapping[str, Mapping[str, QuotaShare]] = field(default_factory=dict)
    share_tags_read: bool = True
    whole_account: bool = False

    def shares_of(self, queue: str) -> Mapping[str, QuotaShare]:
        """Return the shares found in a queue, by name; none when the queue is absent."""
        found = self.stack.job_queues.get(queue)
        return found.quota_shares if found else self.shares_of_unreadable_queues.get(queue, {})
