"""The comparison itself: walk the declaration, look each resource up in the observation, and name what differs.

Three answers per resource: present (its attributes are compared), absent (missing), unreadable (said as such, never
taken for missing). Then what lives in declared queues and nobody declared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..model.observation import Condition, Observation, Problem
from ..model.stack import JobQueue, Path, QuotaShare, Stack, former_queues
from . import consequences, kinds
from .changes import Action, Change, DriftReport, ResourceKind, StatusNote, Unreadable, order
from .consequences import Surroundings
from .kinds import Kind
from .normal import IDLE_ASSIGNMENT, POLICY, Attributes, Resource, attributes, nested


class Unmanaged(StrEnum):
    """What shares that nobody declared mean: drift, a note, or nothing."""

    FAIL = "fail"
    REPORT = "report"
    IGNORE = "ignore"


_KIND_OF_ATTRIBUTE: Mapping[str, Kind] = {
    "capacity_limits": kinds.CAPACITY,
    "idle_resource_assignment": kinds.REPLACED,
    "job_state_time_limit_actions": kinds.TIME_LIMIT,
    "preemption": kinds.PREEMPTION,
    "priority": kinds.PRIORITY,
    "resource_sharing": kinds.SHARING,
    "scheduling_policy": kinds.WIRING,
    "service_environment": kinds.WIRING,
    "state": kinds.STATE,
    "tags": kinds.TAG,
    "type": kinds.REPLACED,
}
_IN_TRANSITION = ("CREATING", "UPDATING")


@dataclass(frozen=True, slots=True)
class _Pair:
    """A declared resource and what was found of it."""

    kind: ResourceKind
    path: Path
    desired: Resource
    live: Resource | None
    around: Surroundings

    @property
    def name(self) -> str:
        return self.desired.name


@dataclass(slots=True)
class _Findings:
    changes: list[Change] = field(default_factory=list)
    notes: list[StatusNote] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    compared: Counter[ResourceKind] = field(default_factory=Counter)


def compare(desired: Stack, observation: Observation, *, unmanaged: Unmanaged = Unmanaged.FAIL) -> DriftReport:
    """Return every difference between a declaration and what was observed of it, ordered by path."""
    found = _Findings()
    for pair in _pairs(desired, observation):
        _compare_pair(pair, observation, found)
    if unmanaged is not Unmanaged.IGNORE:
        for queue in desired.job_queues.values():
            _look_for_unmanaged(queue, desired, observation, found, unmanaged)
        if observation.whole_account:
            _look_for_undeclared(desired, observation, found, unmanaged)
    return DriftReport(
        name=desired.name,
        account=observation.stack.account or "",
        region=observation.stack.region,
        changes=tuple(sorted(found.changes, key=lambda change: (order(change.resource), order(change.attribute)))),
        notes=tuple(sorted(found.notes, key=lambda note: order(note.path))),
        unreadable=tuple(sorted(found.unreadable, key=lambda gap: order(gap.path))),
        compared={kind: found.compared[kind] for kind in ResourceKind if found.compared[kind]},
        share_tags_compared=observation.share_tags_read,
    )


def _pairs(desired: Stack, observation: Observation) -> Iterator[_Pair]:
    live = observation.stack
    everything = Surroundings(desired, observation)
    for environment in desired.service_environments.values():
        path: Path = ("service_environments", environment.name)
        found = live.service_environments.get(environment.name)
        yield _Pair(ResourceKind.SERVICE_ENVIRONMENT, path, environment, found, everything)
    for policy in desired.scheduling_policies.values():
        path = ("scheduling_policies", policy.name)
        yield _Pair(ResourceKind.SCHEDULING_POLICY, path, policy, live.scheduling_policies.get(policy.name), everything)
    for queue in desired.job_queues.values():
        path = ("job_queues", queue.name)
        around = Surroundings(desired, observation, queue)
        yield _Pair(ResourceKind.JOB_QUEUE, path, queue, live.job_queues.get(queue.name), around)
        if _queue_under_old_name(queue, around):
            continue  # its shares live in it, under the old name too
        shares = observation.shares_of(queue.name)
        for share in queue.quota_shares.values():
            yield _Pair(ResourceKind.QUOTA_SHARE, _share_path(queue, share.name), share, shares.get(share.name), around)


def _share_path(queue: JobQueue, share: str) -> Path:
    return ("job_queues", queue.name, "quota_shares", share)


def _compare_pair(pair: _Pair, observation: Observation, found: _Findings) -> None:
    problem = observation.unreadable.get(pair.path)
    if problem is not None:
        found.unreadable.append(_gap(pair.path, f"{pair.kind} {pair.name!r}", problem))
        return
    found.compared[pair.kind] += 1
    if pair.live is None:
        found.changes.append(_renamed(pair, observation) or _missing(pair))
        return
    condition = observation.conditions.get(pair.path)
    note = condition and _status_note(pair.kind, pair.path, pair.name, condition)
    if note:
        found.notes.append(note)
    declared, live = attributes(pair.desired), attributes(pair.live)
    problem = observation.unreadable.get((*pair.path, "tags"))
    if problem is not None:
        found.unreadable.append(_gap((*pair.path, "tags"), f"the tags of {pair.kind} {pair.name!r}", problem))
    if problem is not None or (pair.kind is ResourceKind.QUOTA_SHARE and not observation.share_tags_read):
        declared, live = _without_tags(declared), _without_tags(live)
    for attribute in sorted({*declared, *live}, key=order):
        if declared.get(attribute) != live.get(attribute):
            found.changes.append(_changed(pair, attribute, declared, live))


def _gap(path: Path, what: str, problem: Problem) -> Unreadable:
    return Unreadable(kinds.UNREADABLE, path, what, problem)


def _without_tags(found: Attributes) -> Attributes:
    return {path: value for path, value in found.items() if path[0] != "tags"}


def _changed(pair: _Pair, attribute: Path, declared: Attributes, live: Attributes) -> Change:
    before, after = declared.get(attribute), live.get(attribute)
    about = _KIND_OF_ATTRIBUTE[str(attribute[0])]
    action = Action.REPLACE if about is kinds.REPLACED else Action.UPDATE
    repaired = action is Action.UPDATE or not pair.desired.protect
    if attribute == IDLE_ASSIGNMENT or (attribute == POLICY and after is None):
        # Batch refuses both updates: a policy's kind is fixed, and a queue made without a policy can't get one.
        action, repaired = Action.REPLACE, False
    return Change(
        about=about,
        action=action,
        kind=pair.kind,
        resource=pair.path,
        attribute=attribute,
        declared=before,
        live=after,
        consequence=consequences.of_change(pair.desired, pair.live, attribute, before, after, pair.around),
        repaired_by_refresh=repaired,
    )


def _missing(pair: _Pair) -> Change:
    return Change(
        about=kinds.MISSING,
        action=Action.CREATE,
        kind=pair.kind,
        resource=pair.path,
        attribute=(),
        declared=nested(attributes(pair.desired)),
        live=None,
        consequence=consequences.of_missing(pair.desired, pair.around),
        repaired_by_refresh=True,
    )


def _renamed(pair: _Pair, observation: Observation) -> Change | None:
    """Return the replacement of a share or queue that still lives under the name it is declared to be renamed from."""
    match pair.desired, pair.around.queue:
        case QuotaShare() as share, JobQueue() as queue if _still_under_old_name(share, queue, observation):
            renamed: QuotaShare | JobQueue = share
        case JobQueue() as queue, _ if _queue_under_old_name(queue, pair.around):
            renamed = queue
        case _:
            return None
    return Change(
        about=kinds.REPLACED,
        action=Action.REPLACE,
        kind=pair.kind,
        resource=pair.path,
        attribute=(),
        declared=renamed.name,
        live=renamed.renamed_from,
        consequence=consequences.of_rename(renamed),
        repaired_by_refresh=not renamed.protect,
    )


def _queue_under_old_name(queue: JobQueue, around: Surroundings) -> bool:
    live = around.observation.stack.job_queues
    return queue.name not in live and queue.renamed_from in live and queue.renamed_from in former_queues(around.desired)


def _still_under_old_name(share: QuotaShare, queue: JobQueue, observation: Observation) -> bool:
    old, live = share.renamed_from, observation.shares_of(queue.name)
    return old is not None and old in live and old not in queue.quota_shares and share.name not in live


def _look_for_unmanaged(
    queue: JobQueue, desired: Stack, observation: Observation, found: _Findings, unmanaged: Unmanaged
) -> None:
    path: Path = ("job_queues", queue.name, "quota_shares")
    problem = observation.unreadable.get(path)
    if problem is not None:
        found.unreadable.append(_gap(path, f"which quota shares job queue {queue.name!r} holds", problem))
    awaiting_rename = {
        share.renamed_from for share in queue.quota_shares.values() if _still_under_old_name(share, queue, observation)
    }
    around = Surroundings(desired, observation, queue)
    for name, share in observation.shares_of(queue.name).items():
        if name not in queue.quota_shares and name not in awaiting_rename:
            pair = _Pair(ResourceKind.QUOTA_SHARE, _share_path(queue, name), share, share, around)
            found.changes.append(_extra(kinds.UNMANAGED, pair, consequences.of_unmanaged(share, around), unmanaged))
    for unmanaged_path, unread in observation.unreadable.items():
        if unmanaged_path[:-1] == path and unmanaged_path[-1] not in queue.quota_shares:
            found.unreadable.append(_gap(unmanaged_path, f"quota share {str(unmanaged_path[-1])!r}", unread))


def _look_for_undeclared(desired: Stack, observation: Observation, found: _Findings, unmanaged: Unmanaged) -> None:
    """Name the queues, environments and policies of the account that the declaration does not."""
    live, everything = observation.stack, Surroundings(desired, observation)
    awaiting_rename = {
        (ResourceKind.JOB_QUEUE, queue.renamed_from)
        for queue in desired.job_queues.values()
        if _queue_under_old_name(queue, everything)
    }
    sections: tuple[tuple[ResourceKind, str, Mapping[str, Resource], Mapping[str, Resource]], ...] = (
        (ResourceKind.JOB_QUEUE, "job_queues", desired.job_queues, live.job_queues),
        (
            ResourceKind.SERVICE_ENVIRONMENT,
            "service_environments",
            desired.service_environments,
            live.service_environments,
        ),
        (
            ResourceKind.SCHEDULING_POLICY,
            "scheduling_policies",
            desired.scheduling_policies,
            live.scheduling_policies,
        ),
    )
    for kind, section, declared, observed in sections:
        problem = observation.unreadable.get((section,))
        if problem is not None:
            found.unreadable.append(_gap((section,), f"which {section.replace('_', ' ')} the account holds", problem))
        for name, resource in observed.items():
            if name not in declared and (kind, name) not in awaiting_rename:
                pair = _Pair(kind, (section, name), resource, resource, everything)
                found.changes.append(_extra(kinds.UNDECLARED, pair, consequences.of_undeclared(resource), unmanaged))


def _extra(about: Kind, pair: _Pair, consequence: str, unmanaged: Unmanaged) -> Change:
    """Return the change for something that lives and nobody declared."""
    return Change(
        about=about,
        action=Action.DELETE,
        kind=pair.kind,
        resource=pair.path,
        attribute=(),
        declared=None,
        live=nested(_without_tags(attributes(pair.desired))),
        consequence=consequence,
        repaired_by_refresh=False,
        tolerated="" if unmanaged is Unmanaged.FAIL else "what nobody declared is only reported",
    )


def _status_note(kind: ResourceKind, path: Path, name: str, condition: Condition) -> StatusNote | None:
    status, reason = condition.status, condition.reason
    because = f": {reason}" if reason else ""
    if status == "INVALID":
        return StatusNote(
            kinds.INVALID, kind, path, status, reason, f"{kind} {name!r} is INVALID and can't do its work{because}"
        )
    if status == "DELETING":
        return StatusNote(kinds.DELETING, kind, path, status, reason, f"{kind} {name!r} is being deleted{because}")
    if status in _IN_TRANSITION:
        doing = "created" if status == "CREATING" else "updated"
        sentence = f"{kind} {name!r} is still being {doing}; compare again when it has settled{because}"
        return StatusNote(kinds.IN_TRANSITION, kind, path, status, reason, sentence)
    return None
