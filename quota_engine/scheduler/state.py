"""The state of one queue: its shares, its jobs, its timers. The scheduler's one mutable object.

Only `advance` and what it calls change it. A driver reads `jobs`, `shares`, `environment` and the functions of
`snapshot`; everything it reads as a sequence is a tuple and stays as it was when the state moves on.
"""

from __future__ import annotations

from bisect import insort
from heapq import heapify, heappop, heappush
from typing import Final

from ..model.stack import JobQueue, QuotaShare, ServiceEnvironment, State, TimeLimitAction
from ..model.work import Job, Timing
from .assumptions import Assumptions
from .attempt import Attempt
from .inputs import InputError
from .ledger import Account, Bar, Ledger, Need, Pairs
from .order import HeadKey, QueueEntry, VictimKey, head_key_of, queue_entry, victim_key_of, victims_by_priority_first
from .status import FINISHED, SUBMITTED, SUCCEEDED, TRANSITIONS, JobStatus, TransitionError
from .trace import PreemptionKind, Sink, StartKind, TraceEvent

VictimEntry = tuple[VictimKey, int, "JobRecord"]
"""A candidate's order, a number no other entry has (so that records are never compared), the record.

As a waiting job's `QueueEntry`, it is alive while its number is its record's `entry_number`.
"""

Candidates = list[VictimEntry]
"""Candidates for preemption in their order: the last is the first victim."""

LEAST_STEP_GUARD: Final = 1_000

PREEMPTED_ATTEMPTS_KEPT: Final = 50
"""How many preempted attempts a record keeps; the emulator shows fewer (assumption A-22)."""


class Claim:
    """A head's right to the room that its victims are leaving (assumption A-15).

    `held` is what the victims still hold, per unit; `pending` how many of them are still stopping.
    """

    __slots__ = ("held", "pending", "record", "start", "victims")

    def __init__(self, record: JobRecord, start: StartKind, victims: tuple[JobRecord, ...]) -> None:
        self.record = record
        self.start = start
        self.victims = victims
        self.pending = len(victims)
        self.held: dict[int, int] = {}

    @property
    def victim_names(self) -> tuple[str, ...]:
        return tuple(victim.key for victim in self.victims)


class Stopping:
    """Why jobs are being stopped, one for all victims of a placement. `claim` is None once the claim has lapsed."""

    __slots__ = ("by", "by_share", "claim", "kind")

    def __init__(self, kind: PreemptionKind, by: str, by_share: str, claim: Claim | None) -> None:
        self.kind = kind
        self.by = by
        self.by_share = by_share
        self.claim = claim


class JobRecord:
    """One job and all that DescribeServiceJob shows of it. Finished records stay as they ended.

    `attempts` are the ended placements that were not preempted, oldest first; `preempted_attempts` the preempted ones,
    newest first, the last `PREEMPTED_ATTEMPTS_KEPT` of `preempted_count`. `placements` counts dispatches: the latest
    attempt is number `placements`, none while it is 0. `started_ms` is when that one became RUNNING, None before.
    `entry_number` is that of the job's living entry in its share's waiting jobs or candidates, 0 without one.
    """

    __slots__ = (
        "attempts_used",
        "borrowed",
        "capacity_blocked",
        "capacity_wait_ms",
        "created_ms",
        "eligible_ms",
        "entry_number",
        "former_attempts",
        "is_terminated",
        "job",
        "kept_ms",
        "key",
        "need",
        "placements",
        "position_ms",
        "preempted_attempts",
        "preempted_count",
        "priority",
        "queued_ms",
        "scheduled_ms",
        "seq",
        "share",
        "started_ms",
        "status",
        "status_reason",
        "stopped_ms",
        "stopping",
        "token",
    )

    def __init__(self, job: Job, share: ShareState, need: Need, seq: int, now_ms: int) -> None:
        self.key = job.name
        self.job = job
        self.share = share
        self.need: Need = need
        self.seq = seq
        self.created_ms = now_ms
        self.position_ms = now_ms
        self.queued_ms = now_ms
        self.priority: int = job.priority
        self.status: JobStatus = SUBMITTED
        self.status_reason = ""
        self.scheduled_ms: int | None = None
        self.started_ms: int | None = None
        self.stopped_ms: int | None = None
        self.former_attempts: tuple[Attempt, ...] = ()
        self.preempted_attempts: tuple[Attempt, ...] = ()
        self.preempted_count = 0
        self.attempts_used = 0
        self.placements = 0
        self.is_terminated = False
        self.kept_ms = 0
        self.borrowed: Pairs = ()
        self.stopping: Stopping | None = None
        self.eligible_ms = 0
        self.capacity_blocked = False
        self.capacity_wait_ms = 0
        self.token = 0
        self.entry_number = 0

    @property
    def share_name(self) -> str:
        return self.share.name

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempt that succeeded is not kept beside its record, which says the same."""
        if self.status is not SUCCEEDED or self.stopped_ms is None:
            return self.former_attempts
        return (*self.former_attempts, self.ended_attempt(self.stopped_ms, ""))

    def ended_attempt(self, stopped_ms: int, reason: str) -> Attempt:
        """Return the latest placement as one that has ended."""
        scheduled_ms = stopped_ms if self.scheduled_ms is None else self.scheduled_ms
        return Attempt(self.placements, scheduled_ms, self.started_ms, stopped_ms, reason)

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    def become(self, status: JobStatus) -> None:
        """Change the status; raises TransitionError for a change that the table does not list."""
        if status not in TRANSITIONS[self.status]:
            raise TransitionError(self.key, self.status, status)
        self.status = status


def put_candidate(candidates: Candidates, entry: VictimEntry) -> None:
    """Enter a candidate in its place, which mostly is the end."""
    if candidates and entry < candidates[-1]:
        insort(candidates, entry)
    else:
        candidates.append(entry)


class ShareState(Account):
    """One share: its settings, its amounts, its waiting and its dispatched jobs.

    `step` is the scheduling step to ask its head next, within one pass.
    `waiting` is a heap with dead entries. `victims` holds the candidates per unit that they use, with dead entries too,
    from when a victim of this share is first looked for. `head` is the first waiting job, `head_order` its place among
    the heads, `claim` its claim; `blocked_*` what its statusReason says, as far as that `is_marked`.
    """

    __slots__ = (
        "blocked_code",
        "blocked_record",
        "blocked_since_ms",
        "blocked_token",
        "claim",
        "has_in_share",
        "has_no_lower",
        "head",
        "head_order",
        "head_since_ms",
        "in_share_bar",
        "is_marked",
        "lacking",
        "name",
        "rank",
        "reason_of_need",
        "running",
        "served_seq",
        "settings",
        "step",
        "takes_jobs",
        "victims",
        "waiting",
        "waiting_count",
    )

    def __init__(self, settings: QuotaShare, rank: int, units: int) -> None:
        super().__init__([0] * units, [0] * units, [0] * units)
        self.settings = settings
        self.name = settings.name
        self.rank = rank
        self.served_seq = 0
        self.takes_jobs = False
        self.step = 0
        self.waiting: list[QueueEntry] = []
        self.waiting_count = 0
        self.running: dict[int, JobRecord] = {}
        self.victims: dict[int, Candidates] | None = None
        self.head: JobRecord | None = None
        self.head_order: HeadKey = (0, 0, "")
        self.head_since_ms = 0
        self.claim: Claim | None = None
        self.has_in_share = False
        self.has_no_lower = False
        self.in_share_bar: Bar | None = None
        self.lacking = False
        self.is_marked = False
        self.reason_of_need: dict[Need, str] = {}
        self.blocked_record: JobRecord | None = None
        self.blocked_code = ""
        self.blocked_since_ms = 0
        self.blocked_token = 0

    def enqueue(self, record: JobRecord, tick: int) -> None:
        """Put a RUNNABLE job in its place; a former entry of it is dead from now on. `tick` is used once only."""
        if not record.entry_number:
            self.waiting_count += 1
        record.entry_number = tick
        heappush(self.waiting, queue_entry(record, tick))
        if len(self.waiting) > 64 + 2 * self.waiting_count:
            self.waiting = [entry for entry in self.waiting if entry[4].entry_number == entry[3]]
            heapify(self.waiting)

    def dequeue(self, record: JobRecord) -> None:
        record.entry_number = 0
        self.waiting_count -= 1

    def add_victim(self, entry: VictimEntry) -> None:
        """Enter a candidate for each unit it uses, where candidates are kept at all."""
        victims = self.victims
        if victims is None:
            return
        for unit, _ in entry[2].need.pairs:
            candidates = victims.get(unit)
            if candidates is None:
                victims[unit] = [entry]
                continue
            put_candidate(candidates, entry)
            if len(candidates) > 64 + 2 * self.use[unit]:
                candidates[:] = [entry for entry in candidates if entry[2].entry_number == entry[1]]

    def in_order(self) -> list[JobRecord]:
        """Return all waiting jobs in their order. Costs a sort: for reports, and for backfill."""
        return [entry[4] for entry in sorted(self.waiting) if entry[4].entry_number == entry[3]]


TimerEntry = tuple[int, int, int, "JobRecord"]
"""(due_ms, rank and submission as one number, token, record); alive while the token is the record's."""

END, STOPPED, TIMEOUT, ELIGIBLE, TIME_LIMIT, START, RUN = range(7)
"""What falls due, in the order in which the timers of one instant fire."""

SEQ_BITS: Final = 40
"""A timer's rank stands above so many bits of its job's submission."""


class SchedulerState:
    """Everything about one queue at `now_ms`. Make it with `create`, change it with `advance` only.

    `takes_jobs` says whether the queue accepts submissions, `is_placing` whether its environment lets it dispatch (UG:
    Update a service environment). `waiting` indexes the heads: {share: its first waiting job}, shares without one left
    out, as the last pass found them. `touched` are the shares whose head the next pass looks at anew; `lacking` are
    the shares whose head fits its own limit but found no room. `released` is the mask of the units in which room or
    idle capacity may have grown, so that others' heads may go too, `released_in_pass` that of the pass so far.
    """

    def __init__(
        self, queue: JobQueue, environment: ServiceEnvironment, timing: Timing, assumptions: Assumptions, now_ms: int
    ) -> None:
        self.now_ms = now_ms
        self.timing = timing
        self.assumptions = assumptions
        self.environment = environment
        self.queue_state = queue.state
        self.takes_jobs = queue.state is State.ENABLED
        self.is_placing = environment.state is State.ENABLED
        self.time_limit_actions: tuple[TimeLimitAction, ...] = queue.time_limit_actions
        self.ledger = Ledger()
        self.shares: dict[str, ShareState] = {}
        self.jobs: dict[str, JobRecord] = {}
        self.next_rank = 0
        self.next_seq = 0
        self.served = 0
        self.token = 0
        self.timers: list[TimerEntry] = []
        self.claims: list[Claim] = []
        self.waiting: dict[ShareState, JobRecord] = {}
        self.touched: dict[ShareState, None] = {}
        self.released = 0
        self.released_in_pass = 0
        self.settings_changed = False
        self.lacking: dict[ShareState, None] = {}
        self.is_held_up = False
        self.has_usual_steps = not (
            assumptions.backfill or assumptions.borrow_fifo_strict or assumptions.straddle_reclaims
        )
        self.emit: Sink = _ignore
        self.head_key = head_key_of(assumptions)
        self.victim_key = victim_key_of(assumptions)
        self.victims_by_priority_first = victims_by_priority_first(assumptions)

    @classmethod
    def create(
        cls,
        queue: JobQueue,
        environment: ServiceEnvironment,
        timing: Timing | None = None,
        assumptions: Assumptions | None = None,
        now_ms: int = 0,
    ) -> SchedulerState:
        """Return an empty queue with its shares in the declared order."""
        from .settings import put_shares

        state = cls(queue, environment, timing or Timing(), assumptions or Assumptions(), now_ms)
        put_shares(state, queue.quota_shares.values())
        return state

    @property
    def step_guard(self) -> int:
        """More steps than any pass can take: each raises own-limit use, uses free pool, or swaps in higher priority."""
        return LEAST_STEP_GUARD + 8 * len(self.jobs)

    def need_of(self, job: Job) -> Need:
        """Return the one Need for what a job asks, as `ledger.needs` has it from then on.

        Raises InputError where a count can't be met by whole instances.

        An empty need is legal: that of a payload which names none (assumption A-18).
        """
        ledger, capacity = self.ledger, job.need
        need = ledger.needs.get(tuple(capacity.items()))
        if need is None:
            if any(type(count) is not int or count < 1 for count in job.need.values()):
                raise InputError(
                    f"job {job.name!r} needs {dict(job.need)!r}; each unit's count must be a whole number from 1 up"
                )
            need = ledger.need_of(capacity)
        return need

    def tick(self) -> int:
        """Return a number never returned before."""
        self.token += 1
        return self.token

    def set_timer(self, record: JobRecord, due_ms: int, rank: int) -> None:
        """Give the record its one timer; the former one is dead from now on."""
        record.token = self.token = token = self.token + 1
        heappush(self.timers, (due_ms, rank << SEQ_BITS | record.seq, token, record))

    def set_block_timer(self, share: ShareState, record: JobRecord, due_ms: int) -> None:
        """Set the time limit of a share's blocked head."""
        share.blocked_token = token = self.tick()
        heappush(self.timers, (due_ms, TIME_LIMIT << SEQ_BITS | record.seq, token, record))

    def next_timer(self) -> TimerEntry | None:
        """Return the next live timer, dropping dead ones on the way."""
        timers = self.timers
        while timers:
            entry = timers[0]
            record = entry[3]
            if entry[2] in (record.token, record.share.blocked_token):
                return entry
            heappop(timers)
        return None

    def touch(self, share: ShareState) -> None:
        """Have the next pass look at the share's head anew."""
        self.touched[share] = None
        share.has_no_lower = False
        share.in_share_bar = None

    def set_lacking(self, share: ShareState, lacking: bool) -> None:
        """Note whether the share's head fits its own limit but finds no room."""
        if lacking:
            self.lacking[share] = None
        else:
            self.lacking.pop(share, None)
        share.lacking = lacking


def _ignore(event: TraceEvent) -> None:
    """Stand for a sink where none was given."""
