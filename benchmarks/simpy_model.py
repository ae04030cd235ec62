"""The same rules written the ordinary way on SimPy: a process a job, interrupts for preemption, lists scanned.

Shares are all LEND_AND_BORROW without a bound (as in the benchmark's own stack), one unit. Own limit first, then
borrowing in order of arrival, cross-share preemption of lent capacity, in-share preemption where it is on; victims by
lowest priority, then latest start.
"""

from __future__ import annotations

import bisect
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from .workloads import NOMINAL, RawJob


@dataclass(slots=True, eq=False)
class Live:
    """A job's process and where it stands."""

    raw: RawJob
    seq: int
    granted: Any = None
    process: Any = None
    started_at: float = 0.0

    @property
    def waiting_key(self) -> tuple[int, int, int]:
        return (-self.raw.priority, self.raw.submit_at_ms, self.seq)

    @property
    def victim_key(self) -> tuple[int, float, int, int]:
        return (self.raw.priority, -self.started_at, -self.raw.submit_at_ms, -self.seq)


@dataclass(slots=True)
class Share:
    used: int = 0
    waiting: list[Live] = field(default_factory=list)
    running: list[Live] = field(default_factory=list)


class Model:
    """One queue."""

    def __init__(self, shares: int, in_share: bool) -> None:
        self.env = simpy.Environment()
        self.shares = [Share() for _ in range(shares)]
        self.capacity = NOMINAL * shares
        self.used = 0
        self.in_share = in_share
        self.preemptions = 0

    def job(self, live: Live) -> Generator[Any, Any, None]:
        yield self.env.timeout(live.raw.submit_at_ms)
        share = self.shares[live.raw.share]
        while True:
            live.granted = self.env.event()
            bisect.insort(share.waiting, live, key=lambda other: other.waiting_key)
            self.schedule()
            try:
                yield live.granted
                yield self.env.timeout(live.raw.duration_ms)
            except simpy.Interrupt:
                self.preemptions += 1
                continue
            self.release(live)
            self.schedule()
            return

    def start(self, live: Live) -> None:
        share = self.shares[live.raw.share]
        share.waiting.remove(live)
        share.running.append(live)
        share.used += live.raw.size
        self.used += live.raw.size
        live.started_at = self.env.now
        live.granted.succeed()

    def release(self, live: Live) -> None:
        share = self.shares[live.raw.share]
        share.running.remove(live)
        share.used -= live.raw.size
        self.used -= live.raw.size

    def preempt(self, victims: list[Live]) -> None:
        for victim in victims:
            self.release(victim)
            victim.process.interrupt()

    def schedule(self) -> None:
        while self.step():
            pass

    def step(self) -> bool:
        heads = sorted(
            (share.waiting[0] for share in self.shares if share.waiting),
            key=lambda head: (head.raw.submit_at_ms, head.seq),
        )
        for head in heads:
            if self.shares[head.raw.share].used + head.raw.size <= NOMINAL:
                victims = self.cross_victims(head)
                if victims is not None:
                    self.preempt(victims)
                    self.start(head)
                    return True
        for head in heads:
            if self.can_borrow(head, 0):
                self.start(head)
                return True
        if self.in_share:
            for head in heads:
                victims = self.in_share_victims(head)
                if victims:
                    self.preempt(victims)
                    self.start(head)
                    return True
        return False

    def can_borrow(self, head: Live, freed: int) -> bool:
        own = self.shares[head.raw.share]
        over = idle = 0
        for share in self.shares:
            used = share.used + (head.raw.size - freed if share is own else 0)
            over += max(0, used - NOMINAL)
            idle += max(0, NOMINAL - used)
        return over <= idle and self.used + head.raw.size - freed <= self.capacity

    def cross_victims(self, head: Live) -> list[Live] | None:
        lack = self.used + head.raw.size - self.capacity
        victims: list[Live] = []
        over = {index: share.used - NOMINAL for index, share in enumerate(self.shares)}
        while lack > 0:
            candidates = [
                live
                for index, share in enumerate(self.shares)
                if index != head.raw.share and over[index] > 0
                for live in share.running
                if live not in victims
            ]
            if not candidates:
                return None
            best = min(candidates, key=lambda live: live.victim_key)
            victims.append(best)
            over[best.raw.share] -= best.raw.size
            lack -= best.raw.size
        return self.pruned(victims, -lack)

    def in_share_victims(self, head: Live) -> list[Live]:
        share = self.shares[head.raw.share]
        candidates = sorted(
            (live for live in share.running if live.raw.priority < head.raw.priority), key=lambda live: live.victim_key
        )
        victims: list[Live] = []
        freed = 0
        for live in candidates:
            victims.append(live)
            freed += live.raw.size
            fits = share.used - freed + head.raw.size <= NOMINAL and self.used - freed + head.raw.size <= self.capacity
            if fits or self.can_borrow(head, freed):
                spare = freed - max(0, min(share.used + head.raw.size - NOMINAL, freed))
                return self.pruned(victims, spare if fits else 0)
        return []

    @staticmethod
    def pruned(victims: list[Live], spare: int) -> list[Live]:
        kept = list(victims)
        for live in reversed(victims):
            if live.raw.size <= spare:
                kept.remove(live)
                spare -= live.raw.size
        return kept


def run(jobs: list[RawJob], shares: int, in_share: bool) -> int:
    """Run to the end and return the number of preemptions."""
    model = Model(shares, in_share)
    for seq, raw in enumerate(jobs):
        live = Live(raw, seq)
        live.process = model.env.process(model.job(live))
    model.env.run()
    return model.preemptions
