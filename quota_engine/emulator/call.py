"""What an operation is given beside its input: the world, the region it acts in, and the instant it happens at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model.arns import parse_arn
from .settings import Settings
from .store import Kind, Region, Resource, World

Api = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request's surroundings."""

    world: World
    region: Region
    at_ms: int

    @property
    def settings(self) -> Settings:
        return self.world.settings

    def find(self, kind: Kind, name_or_arn: str) -> Resource | None:
        """Return what a name or an ARN of this account and region means; None when there is none."""
        key = self.key_of(kind, name_or_arn)
        return self.region.find(kind, key) if key else None

    def key_of(self, kind: Kind, name_or_arn: str) -> str | None:
        """Return the store's key for a name or ARN; None for an ARN of something or somewhere else."""
        if not name_or_arn.startswith("arn:"):
            return name_or_arn
        arn = parse_arn(name_or_arn)
        if arn is None or arn.scope != self.region.scope or arn.kind != _ARN_KINDS[kind]:
            return None
        return f"{arn.queue}/{arn.name}" if arn.queue else arn.name


_ARN_KINDS = {
    Kind.POLICY: "scheduling-policy",
    Kind.ENVIRONMENT: "service-environment",
    Kind.QUEUE: "job-queue",
    Kind.SHARE: "quota-share",
}

Operation = Callable[[Call, Api], Api]
"""One API operation: (call, checked input) → output. Raises Refusal, and then has changed nothing."""

Operations = Mapping[str, Operation]
