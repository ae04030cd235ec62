"""Rules for capacity limits: how many, of which units, of what size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, pairwise

from ..model import service_facts as facts
from ..model.diagnostic import KEY, Severity
from ..model.instance_types import TRAINING_INSTANCE_TYPES
from ..model.stack import QuotaShare, ServiceEnvironment
from .names import label, shorten
from .registry import Fault, rule

Limited = ServiceEnvironment | QuotaShare
LIMITED = ("environment", "share")
_LIMITS = "capacity_limits"
_LOOKED_UP = 20
_NEAR = 3
"""Changes of a letter within which a known type is proposed."""


@rule(
    "QE306",
    "capacity-limit-count",
    Severity.ERROR,
    scopes=LIMITED,
    source="AWS Batch User Guide, Create quota management resources and Quota shares",
)
def capacity_limit_count(resource: Limited) -> Iterator[Fault]:
    """What it checks
      A service environment and a quota share have 1 to 5 capacity limits.

    Why it is wrong
      AWS Batch refuses none and more than five.

    Example
      capacity_limits: {}

    Use instead
      capacity_limits: {ml.g5.xlarge: 1}
    """
    count = len(resource.capacity_limits)
    if not facts.CAPACITY_LIMITS_MIN <= count <= facts.CAPACITY_LIMITS_MAX:
        what = f"{label(resource)} has {count} capacity limits"
        why = f"AWS Batch wants {facts.CAPACITY_LIMITS_MIN} to {facts.CAPACITY_LIMITS_MAX}"
        fix = "add one" if count == 0 else f"keep {facts.CAPACITY_LIMITS_MAX}, and move the rest to another environment"
        yield (_LIMITS,), what, why, fix


@rule(
    "QE307",
    "capacity-out-of-range",
    Severity.ERROR,
    scopes=LIMITED,
    source="CloudFormation AWS::Batch::QuotaShare (minimum 1); Batch API Reference (32-bit integer)",
)
def capacity_out_of_range(resource: Limited) -> Iterator[Fault]:
    """What it checks
      A capacity limit is at least 1 and fits in 32 bits.

    Why it is wrong
      AWS Batch refuses others. A share that shall have nothing of a type leaves the type out.

    Example
      capacity_limits: {ml.g5.xlarge: 0}

    Use instead
      capacity_limits: {ml.g5.xlarge: 1}
    """
    for unit, count in resource.capacity_limits.items():
        if not facts.MAX_CAPACITY_MIN <= count <= facts.INT32_MAX:
            what = f"{label(resource)} limits {unit} to {count}"
            why = f"a capacity limit is an integer from {facts.MAX_CAPACITY_MIN} to {facts.INT32_MAX}"
            fix = (
                f"write at least {facts.MAX_CAPACITY_MIN}, or leave {unit} out"
                if count < 1
                else "write a smaller number"
            )
            yield (_LIMITS, unit), what, why, fix


@rule(
    "QE308",
    "malformed-instance-type",
    Severity.ERROR,
    scopes=LIMITED,
    source="Batch API Reference, CapacityLimit; SageMaker API Reference, TrainingInstanceType",
)
def malformed_instance_type(resource: Limited) -> Iterator[Fault]:
    """What it checks
      A unit is an instance type, ml.<family>.<size>, spelt right.

    Why it is wrong
      AWS Batch refuses unknown units, and no job ever asks for a misspelt one.

    Example
      capacity_limits: {g5.xlarge: 1}

    Use instead
      capacity_limits: {ml.g5.xlarge: 1}
    """
    for unit in _first(resource):
        if unit != facts.NUM_INSTANCES and is_misspelt(unit):
            near = nearest_type(unit)
            what = f"{label(resource)} limits '{shorten(unit)}', which is not an instance type of SageMaker training"
            fix = f"did you mean {near}?" if near else "write ml.<family>.<size>, e.g. ml.g5.xlarge"
            yield (_LIMITS, unit, KEY), what, "AWS Batch refuses units that it does not know", fix


@rule(
    "QE309",
    "unknown-instance-type",
    Severity.WARNING,
    scopes=LIMITED,
    source="SageMaker API Reference, TrainingInstanceType, as of the botocore release this version was made with",
)
def unknown_instance_type(resource: Limited) -> Iterator[Fault]:
    """What it checks
      A unit of the right form is one of the instance types known today.

    Why it is wrong
      It may be new hardware, or a slip; AWS Batch refuses what it does not know.

    Example
      capacity_limits: {ml.g5.13xlarge: 1}

    Use instead
      capacity_limits: {ml.g5.12xlarge: 1}
    """
    for unit in _first(resource):
        if unit not in TRAINING_INSTANCE_TYPES and unit != facts.NUM_INSTANCES and not is_misspelt(unit):
            near = nearest_type(unit)
            what = f"{label(resource)} limits {unit}, an instance type that is not known here"
            fix = f"check the spelling{f' (did you mean {near}?)' if near else ''}; ignore this if it is new hardware"
            yield (_LIMITS, unit, KEY), what, "AWS Batch refuses units that it does not know", fix


@rule(
    "QE310",
    "share-in-num-instances",
    Severity.ERROR,
    scopes=("share",),
    source="Batch API Reference, QuotaShareCapacityLimit",
)
def share_in_num_instances(share: QuotaShare) -> Iterator[Fault]:
    """What it checks
      A quota share is limited in instance types, not in NUM_INSTANCES.

    Why it is wrong
      Quota management counts instances of each type.

    Example
      capacity_limits: {NUM_INSTANCES: 1}

    Use instead
      capacity_limits: {ml.g5.xlarge: 1}
    """
    if facts.NUM_INSTANCES in share.capacity_limits:
        what = f"{label(share)} is limited in {facts.NUM_INSTANCES}"
        yield (
            (_LIMITS, facts.NUM_INSTANCES, KEY),
            what,
            "a share counts instances of each type",
            "name instance types, e.g. ml.g5.xlarge",
        )


@rule(
    "QE311",
    "mixed-units",
    Severity.ERROR,
    scopes=("environment",),
    source="Batch API Reference, CapacityLimit; the service's own refusal, as recorded by others",
)
def mixed_units(environment: ServiceEnvironment) -> Iterator[Fault]:
    """What it checks
      A service environment counts either NUM_INSTANCES or instance types.

    Why it is wrong
      AWS Batch refuses a mix.

    Example
      capacity_limits: {NUM_INSTANCES: 8, ml.g5.xlarge: 8}

    Use instead
      capacity_limits: {ml.g5.xlarge: 8}
    """
    units = environment.capacity_limits
    if facts.NUM_INSTANCES in units and len(units) > 1:
        what = f"{label(environment)} mixes {facts.NUM_INSTANCES} with instance types"
        yield (
            (_LIMITS, facts.NUM_INSTANCES, KEY),
            what,
            "AWS Batch refuses a mix",
            f"remove {facts.NUM_INSTANCES}",
        )


def _first(resource: Limited) -> Iterator[str]:
    """Yield the units to look up. That there are too many is a finding of its own."""
    return islice(resource.capacity_limits, _LOOKED_UP)


@lru_cache(maxsize=4096)
def is_misspelt(unit: str) -> bool:
    """Whether a unit can't be right: the wrong form, or a slip away from a known type.

    A known type with other digits (a new generation or size) is taken for new hardware, not for a slip.
    """
    if unit in TRAINING_INSTANCE_TYPES:
        return False
    if not facts.INSTANCE_TYPE_PATTERN.fullmatch(unit):
        return True
    return _skeleton(unit) not in _skeletons() and any(_distance(unit, known) <= 2 for known in _alike(unit, 2))


@lru_cache(maxsize=1)
def _skeletons() -> frozenset[str]:
    return frozenset(_skeleton(known) for known in TRAINING_INSTANCE_TYPES)


@lru_cache(maxsize=1)
def _letters() -> tuple[tuple[str, Counter[str]], ...]:
    """Return each known type with its letters counted, by name."""
    return tuple((known, Counter(known)) for known in sorted(TRAINING_INSTANCE_TYPES))


def _alike(unit: str, most: int) -> list[str]:
    """Return the known types that may be within `most` changes of a unit: a quick look before the exact one."""
    counted = Counter(unit)
    return [
        known
        for known, letters in _letters()
        if abs(len(known) - len(unit)) <= most and (counted - letters).total() <= most
    ]


def _skeleton(unit: str) -> str:
    """Return a type without its digits, e.g. ml.g.xlarge."""
    return "".join(letter for letter in unit if not letter.isdigit())


def spelling_of(unit: str) -> str | None:
    """Return the known type that a unit is in another spelling: other case, `_` for `.`, or without `ml.`."""
    folded = unit.strip().lower().replace("_", ".")
    return next((one for one in (folded, f"ml.{folded}") if one in TRAINING_INSTANCE_TYPES), None)


@lru_cache(maxsize=4096)
def nearest_type(unit: str) -> str | None:
    """Return the known type nearest to `unit`, case and a missing `ml.` aside; None where none is near."""
    folded = unit.strip().lower().replace("_", ".")
    if not folded.startswith("ml."):
        folded = f"ml.{folded}"
    if len(folded) > 40:
        return None
    ranked = min(((_distance(folded, known), known) for known in _alike(folded, _NEAR)), default=(_NEAR + 1, ""))
    return ranked[1] if ranked[0] <= _NEAR else None


def _distance(left: str, right: str) -> int:
    """Return the number of letters to insert, delete or replace between two texts (Levenshtein)."""
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, start=1):
        above = row
        row = [i]
        for other, (diagonal, upper) in zip(right, pairwise(above), strict=True):
            row.append(min(upper + 1, row[-1] + 1, diagonal + (letter != other)))
    return row[-1]
