"""A second scheduler, slow on purpose: the rules as they are stated, every amount counted anew for every question.

It shares with the real one the model's values and the trace's events, and no line of code. Sums run over all jobs,
candidates are sorted from scratch, and every step asks every head. Default assumptions only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quota_engine.model import service_facts
from quota_engine.model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, Strategy
from quota_engine.model.work import (
    ApplyStack,
    CapacityError,
    Event,
    Fail,
    Job,
    Scenario,
    SetCapacity,
    Terminate,
    UpdatePriority,
)
from quota_engine.scheduler import trace as t

UNBOUNDED = 10**9


@dataclass(eq=False)
class Claimed:
    """The room a waiting job has been promised; `victims` may have stopped or be stopping."""

    job: RefJob
    start: t.StartKind
    victims: list[RefJob]


@dataclass(eq=False)
class RefJob:
    job: Job
    seq: int
    share: str
    created: int
    priority: int
    status: str = "RUNNABLE"
    scheduled: int = 0
    running: int | None = None
    kept: int = 0
    used_attempts: int = 0
    preempted: int = 0
    eligible: int = 0
    capacity_blocked: bool = False
    capacity_waited: int = 0
    stop_at: int | None = None
    stop_kind: t.PreemptionKind | None = None
    stop_by: str = ""
    stop_claim: Claimed | None = None

    @property
    def name(self) -> str:
        return self.job.name

    @property
    def need(self) -> Mapping[str, int]:
        return self.job.need

    @property
    def dispatched(self) -> bool:
        return self.status in ("SCHEDULED", "STARTING", "RUNNING")

    @property
    def stopping(self) -> bool:
        return self.stop_kind is not None


@dataclass
class Shown:
    """What a share's head shows as its blocked reason, and since when its code has been shown."""

    job: RefJob
    reason: str
    since: int


@dataclass
class Reference:
    """One queue at `now`; `trace` is what it did."""

    scenario: Scenario
    queue: JobQueue
    environment: ServiceEnvironment
    backoff: int
    now: int = 0
    jobs: list[RefJob] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    claims: list[Claimed] = field(default_factory=list)
    shown: dict[str, Shown] = field(default_factory=dict)
    trace: list[t.TraceEvent] = field(default_factory=list)

    # Amounts, always counted from the jobs.

    def share(self, name: str) -> QuotaShare:
        return self.queue.quota_shares[name]

    def cap(self, name: str, unit: str) -> int:
        return self.share(name).capacity_limits.get(unit, 0)

    def se(self, unit: str) -> int:
        return self.environment.capacity_limits.get(unit, 0)

    def max_use(self, name: str, unit: str) -> int:
        share, cap = self.share(name), self.cap(name, unit)
        if share.strategy is not Strategy.LEND_AND_BORROW or cap == 0:
            return cap
        if share.borrow_limit_percent in (None, -1):
            return UNBOUNDED
        return cap + (cap * (share.borrow_limit_percent or 0)) // 100

    def use(self, name: str, unit: str, place: RefJob | None = None, gone: Sequence[RefJob] = ()) -> int:
        held = [job for job in self.jobs if job.dispatched and not job.stopping and job not in gone]
        held += [claim.job for claim in self.claims]
        held += [place] if place else []
        return sum(job.need.get(unit, 0) for job in held if job.share == name)

    def total(self, unit: str, place: RefJob | None = None, gone: Sequence[RefJob] = ()) -> int:
        """What the environment has given or promised: each claim holds the larger of its need and its victims'."""
        held = sum(
            job.need.get(unit, 0) for job in self.jobs if job.dispatched and not job.stopping and job not in gone
        )
        for claim in self.claims:
            stopping = sum(job.need.get(unit, 0) for job in self.jobs if job.stopping and job.stop_claim is claim)
            held += max(claim.job.need.get(unit, 0), stopping)
        held += sum(job.need.get(unit, 0) for job in self.jobs if job.stopping and job.stop_claim is None)
        return held + (place.need.get(unit, 0) if place else 0)

    def over(self, name: str, unit: str, place: RefJob | None = None, gone: Sequence[RefJob] = ()) -> int:
        return max(0, self.use(name, unit, place, gone) - self.cap(name, unit))

    def idle(self, name: str, unit: str, place: RefJob | None = None, gone: Sequence[RefJob] = ()) -> int:
        return max(0, self.cap(name, unit) - self.use(name, unit, place, gone))

    def press(self, unit: str, place: RefJob | None = None, gone: Sequence[RefJob] = ()) -> int:
        reserved = sum(
            self.idle(name, unit, place, gone) for name in self.order if self.share(name).strategy is Strategy.RESERVE
        )
        return max(0, self.total(unit, place, gone) + reserved - self.se(unit))

    def lack(self, job: RefJob, gone: Sequence[RefJob]) -> dict[str, int]:
        return {
            unit: max(
                0,
                self.total(unit, job, gone) - self.se(unit),
                self.press(unit, job, gone) - self.press(unit),
            )
            for unit in job.need
        }

    def own_fit(self, job: RefJob, gone: Sequence[RefJob] = ()) -> bool:
        return all(self.use(job.share, unit, job, gone) <= self.cap(job.share, unit) for unit in job.need)

    def borrow_ok(self, job: RefJob, gone: Sequence[RefJob] = ()) -> bool:
        if self.share(job.share).strategy is not Strategy.LEND_AND_BORROW:
            return False
        for unit in job.need:
            over = sum(self.over(name, unit, job, gone) for name in self.order)
            idle = sum(
                self.idle(name, unit, job, gone)
                for name in self.order
                if self.share(name).strategy is not Strategy.RESERVE
            )
            if (
                self.use(job.share, unit, job, gone) > self.max_use(job.share, unit)
                or over > idle
                or self.total(unit, job, gone) > self.se(unit)
                or self.press(unit, job, gone) > 0
            ):
                return False
        return True

    def lent(self, unit: str) -> bool:
        """Whether all that shares use above their limits is idle at lenders, and nothing reserved is used."""
        over = sum(self.over(name, unit) for name in self.order)
        lenders = [name for name in self.order if self.share(name).strategy is not Strategy.RESERVE]
        return over <= sum(self.idle(name, unit) for name in lenders) and self.press(unit) == 0

    # Victims.

    @staticmethod
    def in_victim_order(jobs: Iterable[RefJob]) -> list[RefJob]:
        return sorted(jobs, key=lambda job: (job.priority, -job.scheduled, -job.created, -job.seq))

    def cross_victims(self, job: RefJob) -> list[RefJob] | None:
        gone: list[RefJob] = []
        while any(self.lack(job, gone).values()):
            lack = self.lack(job, gone)
            candidates = [
                other
                for other in self.jobs
                if other.dispatched
                and not other.stopping
                and other.share != job.share
                and other not in gone
                and any(lack[unit] and unit in other.need and self.over(other.share, unit, job, gone) for unit in lack)
            ]
            if not candidates:
                break
            gone.append(self.in_victim_order(candidates)[0])
        if any(self.total(unit, job, gone) > self.se(unit) for unit in job.need):
            return None
        for victim in list(reversed(gone)):
            fewer = [other for other in gone if other is not victim]
            before, after = self.lack(job, gone), self.lack(job, fewer)
            if all(after[unit] <= before[unit] for unit in job.need):
                gone = fewer
        return gone

    def in_share_victims(self, job: RefJob) -> list[RefJob] | None:
        def served(gone: Sequence[RefJob]) -> bool:
            return (self.own_fit(job, gone) and not any(self.lack(job, gone).values())) or self.borrow_ok(job, gone)

        candidates = self.in_victim_order(
            other
            for other in self.jobs
            if other.dispatched and not other.stopping and other.share == job.share and other.priority < job.priority
        )
        gone: list[RefJob] = []
        while not served(gone):
            if not candidates:
                return None
            gone.append(candidates.pop(0))
        for victim in list(reversed(gone)):
            fewer = [other for other in gone if other is not victim]
            if served(fewer):
                gone = fewer
        return gone

    # The pass.

    def head(self, name: str) -> RefJob | None:
        waiting = [job for job in self.jobs if job.status == "RUNNABLE" and job.share == name]
        return min(waiting, key=lambda job: (-job.priority, job.created, job.seq), default=None)

    def in_heads_order(self, jobs: Iterable[RefJob]) -> list[RefJob]:
        return sorted(jobs, key=lambda job: (job.created, self.order.index(job.share)))

    def schedule(self) -> None:
        for claim in list(self.claims):
            if self.head(claim.job.share) is not claim.job:
                self.lapse(claim)
        if self.environment.state is State.ENABLED:
            ready = [claim.job for claim in self.claims if not any(job.stop_claim is claim for job in self.jobs)]
            for job in self.in_heads_order(ready):
                self.redeem(next(claim for claim in self.claims if claim.job is job))
            while self.step():
                pass
        for name in self.order:
            self.show(name)

    def step(self) -> bool:
        claimed = [claim.job for claim in self.claims]
        fronts = [self.head(name) for name in self.order]
        heads = self.in_heads_order(
            head for head in fronts if head is not None and head not in claimed and head.eligible <= self.now
        )
        for job in heads:
            if self.own_fit(job):
                victims = self.cross_victims(job)
                if victims is not None:
                    self.place(job, t.StartKind.OWN, victims, t.PreemptionKind.CROSS_SHARE)
                    return True
        for job in heads:
            if self.borrow_ok(job):
                self.place(job, t.StartKind.BORROWED, [], t.PreemptionKind.CROSS_SHARE)
                return True
        for job in heads:
            if self.share(job.share).in_share_preemption is State.ENABLED:
                victims = self.in_share_victims(job)
                if victims:
                    self.place(job, t.StartKind.IN_SHARE, victims, t.PreemptionKind.IN_SHARE)
                    return True
        return False

    def place(self, job: RefJob, start: t.StartKind, victims: list[RefJob], kind: t.PreemptionKind) -> None:
        stopping = self.scenario.timing.stopping_ms
        claim = Claimed(job, start, victims) if victims and stopping else None
        for victim in victims:
            victim.stop_kind, victim.stop_by, victim.stop_claim = kind, job.name, claim
            victim.stop_at = self.now + stopping
            self.trace.append(
                t.PreemptionStarted(
                    self.now, victim.name, victim.share, kind, job.name, job.share, dict(victim.need), ("A-11",)
                )
            )
            if not stopping:
                self.stopped(victim)
        if claim:
            self.claims.append(claim)
            names = tuple(victim.name for victim in victims)
            self.trace.append(t.ClaimMade(self.now, job.name, job.share, dict(job.need), names))
        else:
            self.dispatch(job, start, victims)

    def redeem(self, claim: Claimed) -> None:
        job = claim.job
        if any(
            self.total(unit) > self.se(unit) or self.use(job.share, unit) > self.max_use(job.share, unit)
            for unit in job.need
        ) or any(self.over(job.share, unit) and not self.lent(unit) for unit in job.need):
            self.lapse(claim)
            return
        self.claims.remove(claim)
        self.dispatch(job, claim.start, claim.victims)

    def lapse(self, claim: Claimed) -> None:
        self.claims.remove(claim)
        for job in self.jobs:
            if job.stop_claim is claim:
                job.stop_claim = None
        self.trace.append(t.ClaimLapsed(self.now, claim.job.name, claim.job.share))

    def dispatch(self, job: RefJob, start: t.StartKind, victims: Sequence[RefJob]) -> None:
        shown = self.shown.get(job.share)
        if shown and shown.job is job:
            self.hide(job.share)
        borrowed = {
            unit: min(count, self.over(job.share, unit, job))
            for unit, count in job.need.items()
            if self.over(job.share, unit, job)
        }
        own = {unit: count - borrowed.get(unit, 0) for unit, count in job.need.items()}
        assumptions: list[str] = []
        share = self.share(job.share)
        if borrowed:
            percent = share.borrow_limit_percent or 0
            if percent > 0 and any(self.cap(job.share, unit) * percent % 100 for unit in borrowed):
                assumptions.append("A-01")
            assumptions.append("A-05")
        if victims:
            assumptions.append("A-11")
        self.trace.append(
            t.Dispatched(
                self.now,
                job.name,
                job.share,
                start,
                dict(job.need),
                {unit: count for unit, count in own.items() if count},
                borrowed,
                job.used_attempts + 1,
                tuple(victim.name for victim in victims),
                tuple(assumptions),
            )
        )
        job.status, job.scheduled, job.running = "SCHEDULED", self.now, None
        if not self.scenario.timing.scheduled_ms:
            self.starting(job)

    # Phases and ends.

    def starting(self, job: RefJob) -> None:
        job.status, job.capacity_blocked, job.capacity_waited = "STARTING", False, 0
        self.trace.append(t.Starting(self.now, job.name))
        if not self.scenario.timing.starting_ms:
            self.begin(job)

    def begin(self, job: RefJob) -> None:
        job.status, job.running = "RUNNING", self.now
        self.trace.append(t.Running(self.now, job.name))

    def own_failure(self, job: RefJob) -> bool:
        spec = job.job
        return spec.exit is not None and (spec.duration_ms is None or spec.exit.after_ms <= spec.duration_ms - job.kept)

    def own_end(self, job: RefJob) -> int | None:
        if job.running is None:
            return None
        if self.own_failure(job) and job.job.exit is not None:
            return job.running + job.job.exit.after_ms
        return None if job.job.duration_ms is None else job.running + job.job.duration_ms - job.kept

    def keep(self, job: RefJob) -> int:
        """Keep checkpointed work; return what is lost."""
        if job.running is None:
            return 0
        done = job.kept + self.now - job.running
        step = job.job.checkpoint_ms
        job.kept = done if job.job.checkpoint_continuous else (done // step * step if step else 0)
        return done - job.kept

    def release(self, job: RefJob) -> None:
        job.stop_kind = job.stop_claim = job.stop_at = None
        job.stop_by = ""

    def ended(self, job: RefJob) -> None:
        if self.own_failure(job) and job.job.exit is not None:
            self.attempt_failed(job, job.job.exit.status_reason)
        else:
            self.release(job)
            job.status = "SUCCEEDED"
            self.trace.append(t.Succeeded(self.now, job.name))

    def attempt_failed(self, job: RefJob, text: str) -> None:
        prefix = "Received status from SageMaker: "
        reason = text if text.startswith(prefix) else prefix + text
        job.used_attempts += 1
        action = "RETRY"
        for rule in job.job.evaluate_on_exit:
            pattern = ".*".join(re.escape(part) for part in rule.on_status_reason.split("*"))
            if re.fullmatch(pattern, reason, re.DOTALL):
                action = rule.action.upper()
                break
        if job.used_attempts < job.job.attempts and action == "RETRY":
            lost = self.keep(job)
            self.release(job)
            self.requeue(job, t.RequeueCause.RETRY, reason, lost)
        else:
            self.failed(job, reason)

    def requeue(self, job: RefJob, cause: t.RequeueCause, reason: str, lost: int = 0) -> None:
        job.status = "RUNNABLE"
        self.trace.append(t.Requeued(self.now, job.name, cause, reason, lost))

    def failed(self, job: RefJob, reason: str, terminated: bool = False) -> None:
        for claim in list(self.claims):
            if claim.job is job:
                self.lapse(claim)
        shown = self.shown.get(job.share)
        if shown and shown.job is job:
            self.hide(job.share)
        self.release(job)
        job.status = "FAILED"
        self.trace.append(t.Failed(self.now, job.name, reason, terminated))

    def stopped(self, job: RefJob) -> None:
        kind, by = job.stop_kind, job.stop_by
        assert kind is not None
        reason = (
            service_facts.CROSS_SHARE_REASON if kind is t.PreemptionKind.CROSS_SHARE else service_facts.IN_SHARE_REASON
        )
        lost = self.keep(job)
        job.preempted += 1
        self.release(job)
        self.trace.append(t.PreemptionCompleted(self.now, job.name, by, kind, job.preempted, lost))
        retries = job.job.preemption_retries
        if retries is not None and job.preempted > retries:
            job.status = "FAILED"
            self.trace.append(t.Failed(self.now, job.name, reason))
        else:
            self.requeue(job, t.RequeueCause.PREEMPTED, reason)

    # Blocked reasons.

    def blocked_reason(self, job: RefJob) -> str:
        share, need = self.share(job.share), job.need
        if any(need[unit] > self.se(unit) for unit in need):
            return service_facts.BLOCKED_BY_ENVIRONMENT
        if share.strategy is not Strategy.LEND_AND_BORROW:
            if any(need[unit] > self.cap(job.share, unit) for unit in need):
                return service_facts.BLOCKED_BY_CAPACITY_LIMIT
        elif any(need[unit] > self.max_use(job.share, unit) for unit in need):
            return service_facts.BLOCKED_BY_BORROW_LIMIT
        else:
            for unit in need:
                others = sum(
                    self.cap(name, unit)
                    for name in self.order
                    if name != job.share and self.share(name).strategy is not Strategy.RESERVE
                )
                if need[unit] > self.cap(job.share, unit) + others:
                    return service_facts.BLOCKED_BY_LENDABLE
        return service_facts.BLOCKED_BY_SAGEMAKER_CAPACITY if job.capacity_blocked else ""

    def hide(self, name: str) -> None:
        shown = self.shown.pop(name)
        if shown.reason.startswith("CAPACITY"):
            shown.job.capacity_waited += self.now - shown.since

    def show(self, name: str) -> None:
        """Bring what the share's head shows up to date."""
        head, shown = self.head(name), self.shown.get(name)
        if shown and shown.job is not head:
            self.hide(name)
            if shown.job.status == "RUNNABLE":
                self.trace.append(t.Blocked(self.now, shown.job.name, name, ""))
            shown = None
        if head is None:
            return
        reason = self.blocked_reason(head)
        if not reason:
            if shown:
                self.hide(name)
                self.trace.append(t.Blocked(self.now, head.name, name, ""))
            return
        if shown and shown.reason == reason:
            return
        if shown and shown.reason.split(" - ")[0] == reason.split(" - ")[0]:
            shown.reason = reason
        else:
            if shown:
                self.hide(name)
            self.shown[name] = Shown(head, reason, self.now)
        self.trace.append(t.Blocked(self.now, head.name, name, reason))

    def limit_due(self, shown: Shown) -> int | None:
        code = shown.reason.split(" - ")[0]
        waited = shown.job.capacity_waited if code.startswith("CAPACITY") else 0
        for action in self.queue.time_limit_actions:
            if action.reason == code:
                return max(self.now, shown.since + 1000 * action.max_time_seconds - waited)
        return None

    # Time.

    def dues(self) -> list[tuple[int, int, int, RefJob]]:
        """Return (due, rank, seq, job) of everything that will happen by itself."""
        found = []
        for job in self.jobs:
            if job.stopping:
                end, stop_at = self.own_end(job), job.stop_at or 0
                first = end is not None and end <= stop_at
                found.append((end if first and end is not None else stop_at, 0 if first else 1, job.seq, job))
            elif job.dispatched:
                due = self.phase_due(job)
                if due:
                    found.append((*due, job.seq, job))
            elif job.status == "RUNNABLE" and job.eligible > self.now:
                found.append((job.eligible, 3, job.seq, job))
        for shown in self.shown.values():
            limit = self.limit_due(shown)
            if limit is not None:
                found.append((limit, 4, shown.job.seq, shown.job))
        return sorted(found, key=lambda due: due[:3])

    def phase_due(self, job: RefJob) -> tuple[int, int] | None:
        timing = self.scenario.timing
        ends: list[tuple[int, int]] = []
        if job.status == "SCHEDULED":
            return job.scheduled + timing.scheduled_ms, 5
        if job.status == "STARTING":
            ends.append((job.scheduled + timing.scheduled_ms + timing.starting_ms, 6))
        end = self.own_end(job) if job.status == "RUNNING" else None
        if end is not None:
            ends.append((end, 0))
        if job.job.timeout_ms is not None:
            timeout = job.scheduled + timing.scheduled_ms + job.job.timeout_ms
            if not ends or timeout < ends[0][0]:
                ends = [(timeout, 2)]
        return ends[0] if ends else None

    def fire(self) -> bool:
        fired = False
        while (dues := self.dues()) and dues[0][0] <= self.now:
            _, rank, _, job = dues[0]
            fired = True
            if rank == 0:
                self.ended(job)
            elif rank == 1:
                self.stopped(job)
            elif rank == 2:
                self.failed(job, "Job attempt duration exceeded timeout")
            elif rank == 4:
                code = self.shown[job.share].reason.split(" - ")[0]
                self.failed(job, f"Terminated by JobStateTimeLimit action due to reason: {code}", True)
            elif rank == 5:
                self.starting(job)
            elif rank == 6:
                self.begin(job)
        return fired

    def instant(self, at: int, events: Sequence[Event], jobs: Sequence[Job]) -> None:
        """Let one instant happen: what is due, what is given, a pass, and what that makes due."""
        eligible = any(job.status == "RUNNABLE" and self.now < job.eligible <= at for job in self.jobs)
        self.now = at
        fired = self.fire() or eligible
        if events or jobs or fired:
            self.edit(events)
            for job in jobs:
                self.submit(job)
            for kind in (UpdatePriority, Terminate, Fail, CapacityError):
                for event in sorted(
                    (event for event in events if isinstance(event, kind)),
                    key=lambda event: (event.job, getattr(event, "priority", 0), getattr(event, "reason", "")),
                ):
                    self.job_event(event)
            self.schedule()
        while self.fire():
            self.schedule()

    def edit(self, events: Sequence[Event]) -> None:
        queue, environment = self.queue, self.environment
        for event in sorted(
            (event for event in events if isinstance(event, ApplyStack)), key=lambda event: event.source
        ):
            queue = event.stack.job_queues[self.queue.name]
            environment = event.stack.service_environments[queue.service_environment or ""]
        for change in sorted(
            (event for event in events if isinstance(event, SetCapacity)),
            key=lambda event: repr(sorted(event.capacity.items())),
        ):
            environment = replace(environment, capacity_limits={**environment.capacity_limits, **change.capacity})
        for name in sorted(name for name in self.order if name not in queue.quota_shares):
            self.trace.append(t.SettingsChanged(self.now, (f"{name} removed",)))
            waiting = [job for job in self.jobs if job.share == name and job.status == "RUNNABLE"]
            waiting.sort(key=lambda job: (-job.priority, job.created, job.seq))
            placed = [job for job in self.jobs if job.share == name and job.dispatched]
            placed.sort(
                key=lambda job: [e.job for e in self.trace if isinstance(e, t.Dispatched)][::-1].index(job.name)
            )
            for job in [*waiting, *reversed(placed)]:
                self.failed(job, "Quota share was deleted", True)
            self.order.remove(name)
            self.shown.pop(name, None)
        summary = self.differences(queue, environment)
        self.queue, self.environment = queue, environment
        self.order += [name for name in queue.quota_shares if name not in self.order]
        if summary:
            self.trace.append(t.SettingsChanged(self.now, tuple(summary)))

    def differences(self, queue: JobQueue, environment: ServiceEnvironment) -> list[str]:
        found = []
        if environment.capacity_limits != self.environment.capacity_limits:
            found.append("environment capacity_limits")
        if environment.state is not self.environment.state:
            found.append("environment state")
        if queue.state is not self.queue.state:
            found.append("queue state")
        if queue.time_limit_actions != self.queue.time_limit_actions:
            found.append("queue job_state_time_limit_actions")
        for name, share in queue.quota_shares.items():
            if name not in self.order:
                found.append(f"{name} created")
                continue
            old = self.queue.quota_shares[name]
            if share.capacity_limits != old.capacity_limits:
                found.append(f"{name} capacity_limits")
            if share.strategy is not old.strategy:
                found.append(f"{name} strategy")
            if share.effective_borrow_limit_percent != old.effective_borrow_limit_percent:
                found.append(f"{name} borrow_limit")
            if share.in_share_preemption is not old.in_share_preemption:
                found.append(f"{name} in_share_preemption")
            if share.state is not old.state:
                found.append(f"{name} state")
        return found

    def submit(self, job: Job) -> None:
        refusal = ""
        if job.share not in self.order:
            refusal = f"quota share {job.share!r} does not exist"
        elif self.queue.state is not State.ENABLED:
            refusal = "the job queue is DISABLED"
        elif self.share(job.share).state is not State.ENABLED:
            refusal = f"quota share {job.share!r} is DISABLED"
        if refusal:
            self.trace.append(t.Refused(self.now, job.name, job.share, refusal))
            return
        self.jobs.append(RefJob(job, len(self.jobs), job.share, self.now, job.priority))
        self.trace.append(t.Submitted(self.now, job.name, job.share, dict(job.need), job.priority))

    def job_event(self, event: UpdatePriority | Terminate | Fail | CapacityError) -> None:
        job = next((job for job in self.jobs if job.name == event.job), None)
        if job is None:
            why = "there is no such job at this time"
            self.trace.append(t.InputIgnored(self.now, event.job, type(event).__name__, why))
            return
        refusal = ""
        if job.status in ("SUCCEEDED", "FAILED"):
            refusal = f"the job has ended {job.status}"
        elif isinstance(event, Fail | CapacityError) and not job.dispatched:
            refusal = f"the job is {job.status}, not dispatched"
        elif isinstance(event, CapacityError) and job.stopping:
            refusal = "the job is being preempted"
        if refusal:
            self.trace.append(t.InputIgnored(self.now, job.name, type(event).__name__, refusal))
        elif isinstance(event, UpdatePriority):
            job.priority = event.priority
            self.trace.append(t.PriorityUpdated(self.now, job.name, event.priority))
        elif isinstance(event, Terminate):
            self.failed(job, event.reason, True)
        elif isinstance(event, Fail):
            self.attempt_failed(job, event.reason)
        else:
            if job.status == "SCHEDULED":
                job.capacity_waited += self.now - job.scheduled
            lost = self.keep(job)
            self.release(job)
            job.capacity_blocked, job.eligible = True, self.now + self.backoff
            self.requeue(job, t.RequeueCause.CAPACITY_ERROR, service_facts.BLOCKED_BY_SAGEMAKER_CAPACITY, lost)


def reference_trace(scenario: Scenario, backoff: int = 60_000, most_instants: int = 20_000) -> list[t.TraceEvent]:
    """Run a scenario to its end and return the trace. `backoff` is the capacity back-off in ms."""
    queue = scenario.stack.job_queues[scenario.queue]
    environment = scenario.stack.service_environments[queue.service_environment or ""]
    state = Reference(scenario, queue, environment, backoff, order=list(queue.quota_shares))
    given = sorted({job.submit_at_ms for job in scenario.jobs} | {event.at_ms for event in scenario.events})
    for _ in range(most_instants):
        dues = state.dues()
        at = min([*(given[:1]), *(due[0] for due in dues[:1])], default=None)
        if at is None:
            return state.trace
        events = [event for event in scenario.events if event.at_ms == at] if at in given else []
        jobs = [job for job in scenario.jobs if job.submit_at_ms == at] if at in given else []
        given = [other for other in given if other > at]
        state.instant(at, events, sorted(jobs, key=lambda job: job.name))
    raise AssertionError("the reference doesn't end")
