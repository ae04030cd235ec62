"""Rules for what one quota share says of borrowing."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import service_facts as facts
from ..model.diagnostic import Severity
from ..model.stack import QuotaShare, Strategy
from .names import label
from .registry import Fault, rule

_BORROW_LIMIT = ("resource_sharing", "borrow_limit")
LARGE_BORROW_LIMIT_PERCENT = 10_000
"""A hundred times the own limit. SageMaker HyperPod's field of the same meaning stops here."""


@rule(
    "QE304",
    "borrow-limit-without-borrowing",
    Severity.ERROR,
    scopes=("share",),
    source="Batch API Reference, QuotaShareResourceSharingConfiguration",
)
def borrow_limit_without_borrowing(share: QuotaShare) -> Iterator[Fault]:
    """What it checks
      Only a share with the strategy LEND_AND_BORROW states a borrow limit, 0 and -1 included.

    Why it is wrong
      A borrow limit applies only to LEND_AND_BORROW; AWS Batch refuses it with RESERVE and LEND.

    Example
      resource_sharing: {strategy: LEND, borrow_limit: 50}

    Use instead
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 50}
    """
    if share.borrow_limit_percent is not None and not share.strategy.can_borrow:
        what = f"{label(share)} sets borrow_limit {share.borrow_limit_percent}, but its strategy is {share.strategy}"
        why = f"a borrow limit applies only to {Strategy.LEND_AND_BORROW}"
        yield _BORROW_LIMIT, what, why, f"remove borrow_limit, or set strategy: {Strategy.LEND_AND_BORROW}"


@rule(
    "QE305",
    "borrow-limit-out-of-range",
    Severity.ERROR,
    scopes=("share",),
    source="CloudFormation AWS::Batch::QuotaShare (minimum -1); Batch API Reference (32-bit integer)",
)
def borrow_limit_out_of_range(share: QuotaShare) -> Iterator[Fault]:
    """What it checks
      A borrow limit is -1 (unlimited), 0 (none) or a percentage that fits in 32 bits.

    Why it is wrong
      AWS Batch refuses others.

    Example
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: -2}

    Use instead
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: -1}
    """
    limit = share.borrow_limit_percent
    if limit is not None and not facts.BORROW_LIMIT_MIN <= limit <= facts.INT32_MAX:
        what = f"{label(share)} sets borrow_limit {limit}"
        why = f"a borrow limit is an integer from {facts.BORROW_LIMIT_MIN} (unlimited) to {facts.INT32_MAX}"
        yield _BORROW_LIMIT, what, why, "write -1 for no limit, 0 for no borrowing, or a percentage"


@rule(
    "QE326",
    "renamed-from-itself",
    Severity.ERROR,
    scopes=("share",),
    source="Pulumi documentation, resource option aliases",
)
def renamed_from_itself(share: QuotaShare) -> Iterator[Fault]:
    """What it checks
      renamed_from names another share than the one it stands in.

    Why it is wrong
      Nothing was renamed; the share would be an alias of itself.

    Example
      quota_shares:
        QS1: {renamed_from: QS1}

    Use instead
      quota_shares:
        QS1: {renamed_from: QS_OLD}
    """
    if share.renamed_from == share.name:
        what = f"{label(share)} says that it was renamed from itself"
        yield ("renamed_from",), what, "it names the share's former name", "write the former name, or remove it"


@rule(
    "QE327",
    "huge-borrow-limit",
    Severity.WARNING,
    scopes=("share",),
    source="assumed: no upper bound is public; SageMaker HyperPod's field of the same meaning stops at 10000",
)
def huge_borrow_limit(share: QuotaShare) -> Iterator[Fault]:
    """What it checks
      A borrow limit is at most 10000 percent.

    Why it is wrong
      A hundred times the own limit is rarely meant: the number is a percentage, not a count of instances.

    Example
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: 20000}

    Use instead
      resource_sharing: {strategy: LEND_AND_BORROW, borrow_limit: -1}
    """
    limit = share.borrow_limit_percent
    if limit is not None and LARGE_BORROW_LIMIT_PERCENT < limit <= facts.INT32_MAX:
        what = f"{label(share)} may borrow {limit} percent of its own limits, {limit // 100} times as much"
        yield _BORROW_LIMIT, what, "borrow_limit is a percentage", "write -1 for no limit, or a smaller percentage"
