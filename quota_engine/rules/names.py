"""Rules for what every resource has: a name and tags; and for a stack's account and region."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import service_facts as facts
from ..model.diagnostic import KEY, Severity
from ..model.stack import JobQueue, QuotaShare, SchedulingPolicy, ServiceEnvironment, Stack
from .registry import Fault, rule

Resource = ServiceEnvironment | SchedulingPolicy | JobQueue | QuotaShare
_OTHERS = re.compile("[^A-Za-z0-9_-]+")
RESOURCES = ("environment", "policy", "queue", "share")

_NOUNS = {
    ServiceEnvironment: "service environment",
    SchedulingPolicy: "scheduling policy",
    JobQueue: "job queue",
    QuotaShare: "quota share",
}


def label(resource: Resource) -> str:
    """Name a resource in a message, e.g. "quota share 'QS1'"."""
    return f"{_NOUNS[type(resource)]} '{resource.name}'"


@rule(
    "QE301",
    "malformed-name",
    Severity.ERROR,
    scopes=RESOURCES,
    source="Batch API Reference: CreateQuotaShare, CreateJobQueue, CreateServiceEnvironment, CreateSchedulingPolicy",
)
def malformed_name(resource: Resource) -> Iterator[Fault]:
    """What it checks
      A name has 1 to 128 letters, digits, hyphens and underscores.

    Why it is wrong
      AWS Batch refuses any other name, and a name can't be changed later.

    Example
      quota_shares:
        team a: {capacity_limits: {ml.g5.xlarge: 1}}

    Use instead
      quota_shares:
        team-a: {capacity_limits: {ml.g5.xlarge: 1}}
    """
    names = [((KEY,), resource.name)]
    if isinstance(resource, QuotaShare | JobQueue) and resource.renamed_from is not None:
        names.append((("renamed_from",), resource.renamed_from))
    for path, name in names:
        if not facts.NAME_PATTERN.fullmatch(name):
            noun = _NOUNS[type(resource)]
            what = f"the name '{shorten(name)}' of a {noun} is not 1 to 128 letters, digits, hyphens and underscores"
            proposed = _OTHERS.sub("-", name).strip("-")[:128]
            fix = f"write {proposed}" if proposed else "use only A-Z, a-z, 0-9, - and _"
            yield path, what, "AWS Batch refuses other names", fix


@rule(
    "QE320",
    "too-many-tags",
    Severity.ERROR,
    scopes=RESOURCES,
    source="Batch API Reference, TagrisTagsMap; AWS Batch User Guide, Tag restrictions",
)
def too_many_tags(resource: Resource) -> Iterator[Fault]:
    """What it checks
      A resource has at most 50 tags, those of the stack included.

    Why it is wrong
      AWS Batch refuses more.

    Example
      tags: {t1: a, t2: a, t3: a}  # and so on to t51

    Use instead
      tags: {t1: a}
    """
    count = len(resource.tags)
    if count > facts.TAGS_MAX:
        what = f"{label(resource)} has {count} tags, {facts.TAGS_MAX} at most are allowed"
        yield ("tags",), what, "AWS Batch refuses more", f"remove {count - facts.TAGS_MAX} of them"


@rule(
    "QE321",
    "reserved-tag-key",
    Severity.ERROR,
    scopes=RESOURCES,
    source="AWS Batch User Guide, Tag restrictions",
)
def reserved_tag_key(resource: Resource) -> Iterator[Fault]:
    """What it checks
      No tag's key begins with aws:, in any case.

    Why it is wrong
      The prefix is reserved; AWS refuses it.

    Example
      tags: {"aws:team": research}

    Use instead
      tags: {team: research}
    """
    for key in resource.tags:
        if key.lower().startswith(facts.TAG_RESERVED_PREFIX):
            what = f"the tag key '{shorten(key)}' begins with {facts.TAG_RESERVED_PREFIX}"
            yield ("tags", key, KEY), what, "the prefix is reserved for AWS", "choose another key"


@rule(
    "QE322",
    "tag-length",
    Severity.ERROR,
    scopes=RESOURCES,
    source="Batch API Reference, TagKey and TagValue",
)
def tag_length(resource: Resource) -> Iterator[Fault]:
    """What it checks
      A tag's key has 1 to 128 characters, its value at most 256.

    Why it is wrong
      AWS refuses others.

    Example
      tags: {"": research}

    Use instead
      tags: {team: research}
    """
    for key, value in resource.tags.items():
        if not 1 <= len(key) <= facts.TAG_KEY_MAX:
            what = f"the tag key '{shorten(key)}' has {len(key)} characters"
            yield ("tags", key, KEY), what, f"AWS wants 1 to {facts.TAG_KEY_MAX}", "choose another key"
        if len(value) > facts.TAG_VALUE_MAX:
            what = f"the value of tag '{shorten(key)}' has {len(value)} characters"
            yield ("tags", key), what, f"AWS allows {facts.TAG_VALUE_MAX}", "shorten it"


@rule("QE323", "malformed-account", Severity.ERROR, scopes=("stack",), source="AWS account identifiers")
def malformed_account(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The account is 12 digits, leading zeros included.

    Why it is wrong
      No ARN could be built from another text.

    Example
      account: "12345"

    Use instead
      account: "000000012345"
    """
    if stack.account is not None and not facts.ACCOUNT_PATTERN.fullmatch(stack.account):
        what = f"the account '{shorten(stack.account)}' is not 12 digits"
        yield ("account",), what, "ARNs hold the account's 12 digits", "write all 12 digits, in quotes"


@rule("QE324", "malformed-region", Severity.ERROR, scopes=("stack",), source="AWS General Reference, regions")
def malformed_region(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The region has the form of a region's code.

    Why it is wrong
      There is no endpoint to talk to: us-west is no region, and us-west-2a is an availability zone.

    Example
      region: us-west-2a

    Use instead
      region: us-west-2
    """
    if not facts.REGION_PATTERN.fullmatch(stack.region):
        what = f"'{shorten(stack.region)}' is not the code of a region"
        yield ("region",), what, "a code is like us-west-2 or eu-central-1", "write the region's code"


@rule("QE325", "malformed-stack-name", Severity.ERROR, scopes=("stack",), source="docs/declaration.md")
def malformed_stack_name(stack: Stack) -> Iterator[Fault]:
    """What it checks
      The stack's name has 1 to 128 letters, digits, hyphens and underscores.

    Why it is wrong
      Reports and file names are made of it.

    Example
      name: "ML training / dev"

    Use instead
      name: ml-training-dev
    """
    if not facts.NAME_PATTERN.fullmatch(stack.name):
        what = f"the stack's name '{shorten(stack.name)}' is not 1 to 128 letters, digits, hyphens and underscores"
        yield ("name",), what, "reports are named after it", "use only A-Z, a-z, 0-9, - and _"


def shorten(text: str) -> str:
    """Cut a long text for a message."""
    return text if len(text) <= 60 else text[:59] + "…"
