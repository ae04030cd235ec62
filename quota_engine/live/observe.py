"""Reads what a declaration names from a live account, in as few calls as the API allows.

Order of calls: sts:GetCallerIdentity; then, side by side, environments, queues and policies by name or ARN, 100 a call;
then ListQuotaShares per queue; then DescribeQuotaShare per declared share, because lists carry no tags. A queue that is
declared to be renamed is asked for under its former name too.
A failed call makes exactly the resources it was asked about unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import boto3

from ..model.arns import Scope
from ..model.observation import Condition, Observation, Problem
from ..model.service_facts import PAGE_SIZE_MAX
from ..model.stack import (
    SAGEMAKER_TRAINING,
    JobQueue,
    Path,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    former_queues,
)
from .account import (
    READ_TIMEOUT_SECONDS,
    Clients,
    Unreachable,
    identify,
    make_clients,
    open_session,
    refuse_foreign,
)
from .answers import SECTIONS, Detail, converted, is_of_quota_management, share_from
from .calls import CallFailed, call, operation_name, pages, unexpected
from .credentials import remedy_of
from .trouble import NotAuthenticated
from .workers import side_by_side

T = TypeVar("T")
_Call = tuple[str, list[str], Callable[[], list[Detail]]]
"""The section that a call reads, the declared names it was asked for, and the call itself."""
Progress = Callable[[int, int], None]
"""Called with (calls answered, calls known to be needed)."""

MAX_WORKERS = 16
_ENVIRONMENTS = ("describe_service_environments", "serviceEnvironments")
_QUEUES = ("describe_job_queues", "jobQueues")
_GONE = "DELETED"
"""A status that says the resource no longer exists, though it is still shown."""


def observe(
    stack: Stack,
    session: boto3.Session | None = None,
    *,
    max_workers: int = MAX_WORKERS,
    with_tags: bool = True,
    whole_account: bool = False,
    max_attempts: int | None = None,
    read_timeout_seconds: float = READ_TIMEOUT_SECONDS,
    progress: Progress | None = None,
) -> Observation:
    """Return what lives of `stack` in the session's account; raises LiveTrouble when nothing can be told.

    Undeclared shares of declared queues are observed too, without their tags; other undeclared resources only with
    `whole_account`, and then with all their shares and tags. Without `with_tags` the call per share is saved.
    """
    clients = make_clients(
        session or open_session(),
        stack.region,
        connections=max_workers,
        max_attempts=max_attempts,
        read_timeout_seconds=read_timeout_seconds,
    )
    scope = identify(clients, stack)
    reading = _Reading(clients, scope, stack, max_workers, progress, with_tags=with_tags, whole_account=whole_account)
    reading.read_whole_resources()
    reading.read_shares()
    return reading.observation()


@dataclass(slots=True)
class _Reading:
    """The state of one observation. Only the thread that started it writes here; workers return values."""

    clients: Clients
    scope: Scope
    stack: Stack
    workers: int
    progress: Progress | None
    with_tags: bool
    whole_account: bool
    answered: int = 0
    needed: int = 0
    environments: dict[str, ServiceEnvironment] = field(default_factory=dict)
    policies: dict[str, SchedulingPolicy] = field(default_factory=dict)
    queues: dict[str, JobQueue] = field(default_factory=dict)
    shares: dict[str, dict[str, QuotaShare]] = field(default_factory=dict)
    conditions: dict[Path, Condition] = field(default_factory=dict)
    unreadable: dict[Path, Problem] = field(default_factory=dict)
    hopeless: CallFailed | None = None

    def read_whole_resources(self) -> None:
        """Read environments, queues and policies: the declared ones in batches of 100, or all there are."""
        calls = self._calls_for_all() if self.whole_account else self._calls_for_declared()
        for (section, names, _), result in zip(calls, self._all([made for _, _, made in calls]), strict=True):
            self._take(section, names, result)

    def _calls_for_declared(self) -> list[_Call]:
        batch = self.clients.batch
        return [
            *(
                ("service_environments", names, partial(pages, batch, *_ENVIRONMENTS, serviceEnvironments=names))
                for names in _batches(self.stack.service_environments)
            ),
            *(
                ("job_queues", names, partial(pages, batch, *_QUEUES, jobQueues=names))
                for names in _batches({**self.stack.job_queues, **dict.fromkeys(former_queues(self.stack))})
            ),
            *(
                ("scheduling_policies", names, partial(self._policy_details, names))
                for names in _batches(self.stack.scheduling_policies)
            ),
        ]

    def _calls_for_all(self) -> list[_Call]:
        batch = self.clients.batch
        return [
            ("service_environments", list(self.stack.service_environments), partial(pages, batch, *_ENVIRONMENTS)),
            ("job_queues", list(self.stack.job_queues), partial(pages, batch, *_QUEUES)),
            ("scheduling_policies", list(self.stack.scheduling_policies), self._all_policy_details),
        ]

    def _policy_details(self, names: Sequence[str]) -> list[Detail]:
        return self._described_policies([self.scope.scheduling_policy(name) for name in names])

    def _all_policy_details(self) -> list[Detail]:
        listed = pages(self.clients.batch, "list_scheduling_policies", "schedulingPolicies")
        arns = [str(one["arn"]) for one in listed]
        return [detail for batch in _batches(arns) for detail in self._described_policies(batch)]

    def _described_policies(self, arns: Sequence[str]) -> list[Detail]:
        """Describe policies, which the API takes by ARN only and answers in one page."""
        batch = self.clients.batch
        answer = call(batch, "describe_scheduling_policies", arns=list(arns))
        if "schedulingPolicies" not in answer:
            raise unexpected(
                operation_name(batch, "describe_scheduling_policies"), "the answer has no schedulingPolicies"
            )
        return list(answer["schedulingPolicies"])

    def _take(self, section: str, names: Sequence[str], result: list[Detail] | CallFailed) -> None:
        """Take in what was found in one section; `names` are the declared ones that were asked for."""
        if isinstance(result, CallFailed):
            declared = [name for name in names if section != "job_queues" or name in self.stack.job_queues]
            self.unreadable.update({(section, name): result.problem for name in declared})
            if self.whole_account:
                self.unreadable[(section,)] = result.problem
            return
        convert, name_key, arn_key, method = SECTIONS[section]
        refuse_foreign(self.scope, (str(detail.get(arn_key, "")) for detail in result))
        for detail in result:
            name = detail[name_key]
            if detail.get("status") == _GONE or not (name in names or self.whole_account):
                continue
            path = (section, name)
            value = converted(convert, detail, operation_name(self.clients.batch, method))
            if isinstance(value, Problem):
                self.unreadable[path] = value
            elif name in names or is_of_quota_management(value):
                self._section(section)[name] = value
                self._note_condition(path, detail)

    def _section(self, section: str) -> dict[str, Any]:
        sections: dict[str, dict[str, Any]] = {
            "service_environments": self.environments,
            "scheduling_policies": self.policies,
            "job_queues": self.queues,
        }
        return sections[section]

    def _note_condition(self, path: Path, detail: Detail) -> None:
        if detail.get("status"):
            self.conditions[path] = Condition(detail["status"], detail.get("statusReason", ""))

    def read_shares(self) -> None:
        """List the shares of every queue that may have some, then describe those whose tags are wanted."""
        asked = {**self.stack.job_queues, **(self.queues if self.whole_account else {})}
        queues = [name for name in asked if self._may_hold_shares(name)]
        batch = self.clients.batch
        listed = self._all(
            [
                partial(pages, batch, "list_quota_shares", "quotaShares", jobQueue=self.scope.job_queue(queue))
                for queue in queues
            ]
        )
        for queue, result in zip(queues, listed, strict=True):
            self._take_list(queue, result)
        wanted = [
            (queue, share)
            for queue in queues
            if queue in self.queues or ("job_queues", queue) in self.unreadable
            for share in self._shares_to_describe(queue)
        ]
        described = self._all(
            [
                partial(call, batch, "describe_quota_share", quotaShareArn=self.scope.quota_share(*names))
                for names in wanted
            ]
        )
        for names, answer in zip(wanted, described, strict=True):
            self._take_share(*names, answer)

    def _may_hold_shares(self, queue: str) -> bool:
        """Whether to ask for the queue's shares: it lives (or could not be read) and is of the type that has them."""
        found = self.queues.get(queue)
        return found.type == SAGEMAKER_TRAINING if found else ("job_queues", queue) in self.unreadable

    def _shares_to_describe(self, queue: str) -> list[str]:
        """Return the shares that need a call of their own: for their tags, or because the list could not be read."""
        declared = self.stack.job_queues[queue].quota_shares if queue in self.stack.job_queues else {}
        if ("job_queues", queue, "quota_shares") in self.unreadable:
            return list(declared)
        listed = self.shares.get(queue, {}) if self.with_tags else {}
        return [share for share in listed if share in declared or self.whole_account]

    def _take_list(self, queue: str, result: list[Detail] | CallFailed) -> None:
        if isinstance(result, CallFailed):
            if result.is_absence:
                self._forget_queue(queue)
            else:
                self.unreadable[("job_queues", queue, "quota_shares")] = result.problem
            return
        refuse_foreign(self.scope, (str(detail.get("quotaShareArn", "")) for detail in result))
        for detail in result:
            name = detail.get("quotaShareName")
            if not name:
                operation = operation_name(self.clients.batch, "list_quota_shares")
                problem = unexpected(operation, "a quota share in the answer has no quotaShareName").problem
                self.unreadable[("job_queues", queue, "quota_shares")] = problem
                continue
            unclear = self._kept(queue, name, detail, "list_quota_shares")
            if unclear is not None:
                self.unreadable[_share_path(queue, name)] = unclear

    def _forget_queue(self, queue: str) -> None:
        """The queue was deleted after it was described: it is absent now, not unreadable."""
        self.queues.pop(queue, None)
        self.conditions.pop(("job_queues", queue), None)
        self.unreadable.pop(("job_queues", queue), None)

    def _take_share(self, queue: str, share: str, answer: Detail | CallFailed) -> None:
        path = _share_path(queue, share)
        if isinstance(answer, CallFailed) and answer.is_absence:
            self.shares.get(queue, {}).pop(share, None)
            self.conditions.pop(path, None)
            return
        listed = share in self.shares.get(queue, {})
        if isinstance(answer, CallFailed):
            problem: Problem | None = answer.problem
        else:
            refuse_foreign(self.scope, (str(answer.get("quotaShareArn", "")),))
            problem = self._kept(queue, share, answer, "describe_quota_share")
        if problem is not None:
            # What the list told still stands; only the tags were to come from this call alone.
            self.unreadable[(*path, "tags") if listed else path] = problem

    def _kept(self, queue: str, share: str, detail: Detail, method: str) -> Problem | None:
        """Keep a share as `detail` shows it; return the Problem if it can't be understood."""
        value = converted(share_from, detail, operation_name(self.clients.batch, method))
        if isinstance(value, Problem):
            return value
        self.shares.setdefault(queue, {})[share] = value
        self._note_condition(_share_path(queue, share), detail)
        return None

    def _all(self, calls: Sequence[Callable[[], T]]) -> list[T | CallFailed]:
        """Make calls side by side; a failed one gives its CallFailed in its place.

        After a failure that speaks of the endpoint or the credentials no further call is made: it would only fail
        again, after as many retries.
        """
        self.needed += len(calls)
        results: list[T | CallFailed | None] = [None] * len(calls)
        for place, result in side_by_side([partial(self._attempt, made) for made in calls], self.workers):
            results[place] = result
            self.answered += 1
            if self.progress is not None:
                self.progress(self.answered, self.needed)
        return [result for result in results if result is not None]

    def _attempt(self, made: Callable[[], T]) -> T | CallFailed:
        if self.hopeless is not None:
            return self.hopeless
        try:
            return made()
        except CallFailed as failure:
            if failure.is_hopeless:
                self.hopeless = failure
            return failure

    def observation(self) -> Observation:
        """Return what was read; raises LiveTrouble when the endpoint or the credentials gave out altogether."""
        if self.hopeless is not None and not (self.environments or self.policies or self.queues):
            raise _nothing_read(self.clients, self.hopeless)
        queues = {
            name: replace(queue, quota_shares=dict(sorted(self.shares.get(name, {}).items())))
            for name, queue in self.queues.items()
        }
        return Observation(
            stack=Stack(
                name=self.stack.name,
                region=self.scope.region,
                account=self.scope.account,
                service_environments=dict(sorted(self.environments.items())),
                scheduling_policies=dict(sorted(self.policies.items())),
                job_queues=dict(sorted(queues.items())),
            ),
            conditions=self.conditions,
            unreadable=self.unreadable,
            shares_of_unreadable_queues={
                queue: dict(sorted(shares.items())) for queue, shares in self.shares.items() if queue not in queues
            },
            share_tags_read=self.with_tags,
            whole_account=self.whole_account,
        )


def _nothing_read(clients: Clients, failure: CallFailed) -> NotAuthenticated | Unreachable:
    problem = failure.problem
    why = f"{problem.operation} at {clients.batch.meta.endpoint_url}: {problem.code}: {problem.message}"
    if failure.is_refused:
        return NotAuthenticated(
            "AWS Batch does not accept the credentials",
            why=why,
            fix=remedy_of(problem, clients.profile),
            problem=problem,
        )
    return Unreachable(
        "AWS Batch can't be reached",
        why=why,
        fix="check the network, proxies and AWS_ENDPOINT_URL_BATCH",
        problem=problem,
    )


def _share_path(queue: str, share: str) -> Path:
    return ("job_queues", queue, "quota_shares", share)


def _batches(names: Iterable[str]) -> Iterator[list[str]]:
    ordered = list(names)
    for start in range(0, len(ordered), PAGE_SIZE_MAX):
        yield ordered[start : start + PAGE_SIZE_MAX]
